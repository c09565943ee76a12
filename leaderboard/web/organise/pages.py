"""What all pages of organisers share: their list, and the task that they are about."""

from __future__ import annotations

from flask import Flask, jsonify, make_response, render_template
from flask.wrappers import Response
from flask_babel import LazyString
from flask_babel import lazy_gettext as _

from leaderboard.contract import TaskSpec
from leaderboard.services import audit_words
from leaderboard.site import utc_now
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.installation import organised_task, site
from leaderboard.web.resources import is_published

PAGES: tuple[tuple[str, LazyString], ...] = (
    ("dashboard.show", _("At a glance")),
    ("organiser_runs.show", _("Runs")),
    ("organiser_teams.show", _("Teams")),
    ("on_behalf.new", _("Submit for a team")),
    ("announcing.show", _("Announcements")),
    ("answering.show", _("Questions")),
    ("settings.show", _("Settings")),
    ("phase_settings.show", _("Phases")),
    ("allowances.show", _("Allowances")),
    ("benchmarks.show", _("Benchmark")),
    ("organiser_judging.show", _("Judging")),
    ("public_files.show", _("Public files")),
    ("organiser_references.show", _("Published results")),
    ("organiser_resources.show", _("Machine judgments")),
    ("organisers.show", _("People")),
    ("task_archives.show", _("Archive")),
    ("editions.show", _("Editions")),
    ("task_probing.show", _("Probing")),
    ("task_queue.show", _("Queue")),
    ("task_log.show", _("Log")),
)
"""The pages in the order of their list: the endpoint, and what it is called there."""

ORGANISE = "/tasks/<task>/organise"
"""Under this address is everything that organisers do to a task."""


def init_organise(app: Flask) -> None:
    """Gives templates the list of pages, and the words of the log."""
    app.add_template_global(lambda: PAGES, "organise_pages")
    for words in (audit_words.action_words, audit_words.kind_words, audit_words.field_words):
        app.add_template_global(words)


def task_named(name: str) -> TaskSpec:
    """The task that a page is about, also one that only organisers may see; else "not found"."""
    with site().database.reading() as session:
        return organised_task(session, name)


def declared_task(name: str) -> TaskSpec:
    """The same task as its folder declares it, without what organisers set."""
    with site().database.reading() as session:
        organised_task(session, name)
        return site().declared(session, name)


def organise_page(template: str, spec: TaskSpec, code: int = 200, **context: object) -> Response:
    """A page of organisers. It extends ``organise/base.html`` and is never kept by a browser or proxy."""
    with site().database.reading() as session:
        has_resource = is_published(session, spec)
    text = render_template(
        template, spec=spec, has_resource=has_resource, button=Confirm(), now=utc_now(), **context
    )
    response = make_response(text, code)
    response.headers["Cache-Control"] = "no-store"
    return response


def progress_answer(state: str, working: bool, done: int, total: int | None) -> Response:
    """How far some work is, for the script of the page that watches it; `total` None: not known yet."""
    answer = jsonify(state=state, working=working, done=done, total=total)
    answer.headers["Cache-Control"] = "no-store"
    return answer
