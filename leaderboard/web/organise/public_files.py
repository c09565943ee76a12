"""The files that participants download, replaced by their organisers."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import FormatError
from leaderboard.services import inputs
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("public_files", __name__, url_prefix=f"{ORGANISE}/files")

FILE = "file"
"""What the form calls the file."""


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The files that are handed out now, each with a form that replaces it."""
    return _page(task)


@blueprint.post("/<name>")
@allow(ORGANISER)
def replace(task: str, name: str) -> AnyResponse:
    """Replaces a file, where the task's scorer can read the new one."""
    spec = task_named(task)
    if name not in {declared.name for declared in spec.inputs}:
        abort(404)
    draft = uploads.draft_of(request.files.get(FILE))
    if not Confirm().validate_on_submit() or draft is None or draft.stat().st_size == 0:
        flash(gettext("Choose a file; none was sent, or it was empty."), "error")
        return _page(task, 422)
    files = site().files
    stored = files.kept.put_file(draft)
    with site().database.reading() as session:
        others = inputs.listing(session, files, spec)
    faulty = inputs.refused(files, spec, site().scorer(spec), name, stored, others)
    if faulty is not None:
        return _page(task, 422, faulty)
    with site().database.writing() as session:
        another = inputs.replace(session, spec, name, stored, actor(), utc_now())
    flash(
        gettext("The file is handed out from now on.") if another else gettext("It was this file already."),
        "success",
    )
    return redirect(url_for("public_files.show", task=task), 303)


def _page(task: str, code: int = 200, faulty: FormatError | None = None) -> Response:
    spec = task_named(task)
    with site().database.reading() as session:
        there = {public.name: public for public in inputs.listing(session, site().files, spec)}
    return organise_page(
        "organise/public_files.html",
        spec,
        code,
        there=there,
        faulty=faulty,
        file_field=FILE,
        most=uploads.most(),
    )
