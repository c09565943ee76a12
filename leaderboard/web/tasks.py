"""The list of tasks, and the page of each."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response

from leaderboard.services import announcements, editions, inputs, news, task_pages, task_texts
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.installation import hidden_tasks, public_task, public_tasks, site
from leaderboard.web.preferences import language
from leaderboard.web.readme import text_of
from leaderboard.web.resources import is_published

blueprint = Blueprint("tasks", __name__)

ANNOUNCED = 3
"""So many announcements stand on a task's own page; all have a page for themselves."""


@blueprint.get("/")
@allow(EVERYBODY)
def index() -> Response:
    """All tasks, with who leads in each."""
    with site().database.reading() as session:
        tasks = task_pages.overview(session, public_tasks(session), utc_now())
        hidden = hidden_tasks(session)
    return page("tasks/index.html", tasks=tasks, hidden=hidden)


@blueprint.get("/tasks/<task>")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """A task's text, files, phases and measures."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        (shown,) = task_pages.overview(session, (spec,), utc_now())
        files = inputs.listing(session, site().files, spec)
        has_resource = is_published(session, spec)
        written = task_texts.written(session, spec)
        changes = news.of_settings(session, spec)
        told = announcements.public(session, spec, ANNOUNCED)
        around = editions.listing(session, spec)
        others = {name: site().spec(session, name) for name in (*around.earlier, *around.later)}
    titles = {declared.name: declared.title for declared in spec.inputs}
    return page(
        "tasks/show.html",
        task=shown,
        spec=spec,
        files=files,
        announcements=told,
        titles=titles,
        readme=text_of(spec, written, language()),
        changes=changes,
        earlier=[others[name] for name in around.earlier],
        later=[others[name] for name in around.later],
        has_resource=has_resource,
    )


@blueprint.get("/tasks/<task>/cite.bib")
@allow(EVERYBODY)
def cite(task: str) -> Response:
    """What to cite, for BibTeX."""
    with site().database.reading() as session:
        spec = public_task(session, task)
    if not spec.bibtex:
        abort(404)
    response = make_response(spec.bibtex + "\n")
    response.mimetype = "text/x-bibtex"
    response.headers["Content-Disposition"] = f'attachment; filename="{spec.name}.bib"'
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)
    return response
