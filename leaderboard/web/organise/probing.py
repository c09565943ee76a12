"""What looks as if somebody read the benchmark off the board, for a task's organisers."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, jsonify, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import probing, probing_files, probing_pages
from leaderboard.services.moderation import ReasonRefused
from leaderboard.services.probing import UnknownFinding
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import NoteForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("task_probing", __name__, url_prefix=f"{ORGANISE}/probing")

_ONE = "/<int(max=2147483647):number>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The findings as they are stored."""
    spec = task_named(task)
    with site().database.reading() as session:
        report = probing_pages.show(session, spec)
    return organise_page("organise/probing.html", spec, report=report, form=NoteForm(formdata=None))


@blueprint.get("/findings.json")
@allow(ORGANISER)
def export(task: str) -> Response:
    """The same for programs."""
    spec = task_named(task)
    with site().database.reading() as session:
        report = probing_pages.show(session, spec)
    answer = jsonify(probing_files.document(spec, report))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@blueprint.post("/again")
@allow(ORGANISER)
def again(task: str) -> AnyResponse:
    """Has the report brought up to date in the background."""
    spec = task_named(task)
    with site().database.writing() as session:
        job_id = probing.request(session, spec, utc_now(), site().jobs.deliver)
    if job_id is None:
        flash(gettext("The report is being brought up to date already."), "info")
    else:
        flash(gettext("The report is being brought up to date; look again in a minute."), "success")
    return redirect(url_for("task_probing.show", task=task), 303)


@blueprint.post(f"{_ONE}/look")
@allow(ORGANISER)
def look(task: str, number: int) -> AnyResponse:
    """Notes that a finding was looked at."""
    form = NoteForm()
    if not form.validate_on_submit():
        abort(422)
    return _noted(task, number, form.note.data or "", done=True)


@blueprint.post(f"{_ONE}/open")
@allow(ORGANISER)
def open_again(task: str, number: int) -> AnyResponse:
    """Puts a finding back among those to be looked at."""
    return _noted(task, number, "", done=False)


def _noted(task: str, number: int, note: str, *, done: bool) -> AnyResponse:
    spec = task_named(task)
    try:
        with site().database.writing() as session:
            probing.look(session, spec, number, note, actor(), utc_now(), done=done)
    except UnknownFinding:
        abort(404)
    except ReasonRefused as refused:
        flash(told(refused.message), "danger")
        return redirect(url_for("task_probing.show", task=task), 303)
    flash(
        gettext("Noted. It stands in the log.") if done else gettext("It is to be looked at again."),
        "success",
    )
    return redirect(url_for("task_probing.show", task=task), 303)
