"""The archives of a task: made by a click, watched while they are written, and downloaded."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import archives
from leaderboard.services.archives import Made, UnknownArchive, Wanted
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.forms.archives import ArchiveForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.kept_files import PRIVATE, kept_file
from leaderboard.web.organise.pages import ORGANISE, organise_page, progress_answer, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("task_archives", __name__, url_prefix=f"{ORGANISE}/archive")

_ONE = "/<int(max=2147483647):number>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The archives, and the form that makes one."""
    return _page(task_named(task), ArchiveForm(formdata=None))


@blueprint.post("")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Has an archive made in the background."""
    spec, form = task_named(task), ArchiveForm()
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    wanted = Wanted(with_gold=bool(form.with_gold.data), own_names=form.names.data == "own")
    with site().database.writing() as session:
        number = archives.request(session, spec, wanted, actor(), utc_now(), site().jobs.deliver)
    flash(gettext("Archive %(number)s is being made.", number=number), "success")
    return redirect(url_for("task_archives.show", task=task), 303)


@blueprint.get(f"{_ONE}/progress")
@allow(ORGANISER)
def progress(task: str, number: int) -> Response:
    """How far an archive is, for the page that watches it."""
    made = _made(task_named(task), number)
    at_it = working(made)
    return progress_answer("working" if at_it else made.state, at_it, made.done, made.total)


@blueprint.get(f"{_ONE}.zip")
@allow(ORGANISER)
def download(task: str, number: int) -> Response:
    """The file, whole or a part of it."""
    spec = task_named(task)
    try:
        if _begins():
            with site().database.writing() as session:
                made = archives.fetched(session, spec, number, actor(), utc_now())
        else:
            made = _made(spec, number)
    except UnknownArchive:
        abort(404)
    if made.file_hash is None:
        abort(404)
    path = archives.path_of(site().files, made)
    return kept_file(path, made.file_name, made.file_hash, PRIVATE, "application/zip")


def _begins() -> bool:
    """Whether a request asks for the beginning of the file: what goes on with one is noted already."""
    wanted = request.range
    return request.method == "GET" and (wanted is None or any(start == 0 for start, _ in wanted.ranges))


def _made(spec: TaskSpec, number: int) -> Made:
    try:
        with site().database.reading() as session:
            return archives.of_number(session, spec, number)
    except UnknownArchive:
        abort(404)


def working(made: Made) -> bool:
    """Whether somebody is, or will be, at it."""
    return made.state in ("waiting", "running")


def _page(spec: TaskSpec, form: ArchiveForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        found = archives.listing(session, spec)
    under_way = next((made for made in found if working(made)), None)
    return organise_page("organise/archive.html", spec, code, form=form, archives=found, under_way=under_way)
