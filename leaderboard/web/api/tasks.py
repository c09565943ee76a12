"""Tasks, their public files and their rankings: what everybody may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response
from flask_babel import gettext

from leaderboard.contract import TaskSpec
from leaderboard.services import boards, inputs, phases
from leaderboard.services.boards import Stage
from leaderboard.services.phases import PhaseView
from leaderboard.site import utc_now
from leaderboard.web.api import documents
from leaderboard.web.api.blueprint import EVERYBODY, blueprint, operation
from leaderboard.web.api.documents import OVERALL
from leaderboard.web.api.paging import paged, part
from leaderboard.web.api.problems import Problem
from leaderboard.web.api.schemas import Board, Inputs, Page, Standings, Tasks, WholeTask
from leaderboard.web.api.words import later as _
from leaderboard.web.installation import public_task, public_tasks, site
from leaderboard.web.kept_files import PUBLIC, kept_file

_TASKS = ["Tasks"]

_STAGES: Mapping[str, Stage] = {"in-time": "in time", "post-evaluation": "post-evaluation"}


@blueprint.route("/tasks", tags=_TASKS)
@blueprint.arguments(Page, location="query")
@blueprint.response(200, Tasks)
@operation(EVERYBODY, _("The tasks."))
def list_tasks(asked: dict[str, Any]) -> Any:
    with site().database.reading() as session:
        specs = public_tasks(session)
    document, headers = paged([documents.task(each) for each in part(specs, asked)], len(specs), asked)
    return document, headers


@blueprint.route("/tasks/<task>", tags=_TASKS)
@blueprint.response(200, WholeTask)
@operation(EVERYBODY, _("A task: its tracks, phases, public files and rankings."))
def show_task(task: str) -> Any:
    with site().database.reading() as session:
        spec = public_task(session, task)
        views = phases.listing(session, spec, utc_now())
        files = inputs.listing(session, site().files, spec)
    return documents.whole_task(spec, views, files)


@blueprint.route("/tasks/<task>/inputs", tags=_TASKS)
@blueprint.arguments(Page, location="query")
@blueprint.response(200, Inputs)
@operation(EVERYBODY, _("The public files of a task."))
def list_inputs(asked: dict[str, Any], task: str) -> Any:
    with site().database.reading() as session:
        spec = public_task(session, task)
        files = inputs.listing(session, site().files, spec)
    shown = [documents.input_file(spec, each) for each in part(files, asked)]
    return paged(shown, len(files), asked)


@blueprint.route("/tasks/<task>/inputs/<name>", tags=_TASKS)
@blueprint.response(
    200,
    {"type": "string", "format": "binary"},
    content_type="application/octet-stream",
    description=_("The file."),
)
@blueprint.alt_response(
    206, schema={"type": "string", "format": "binary"}, content_type="application/octet-stream"
)
@operation(
    EVERYBODY,
    _("One of those files."),
    _("In parts, where a download that broke off goes on (Range, If-Range); ETag is its SHA-256."),
)
def download_input(task: str, name: str) -> Response:
    with site().database.reading() as session:
        public = inputs.named(session, site().files, public_task(session, task), name)
    return kept_file(public.path, public.file_name, public.file_hash, PUBLIC, since=public.installed_at)


@blueprint.route("/tasks/<task>/standings", tags=_TASKS)
@blueprint.arguments(Board, location="query")
@blueprint.response(200, Standings)
@operation(
    EVERYBODY,
    _("A ranking, by track or overall."),
    _("Values are at full precision; places are 1, 1, 3 where runs are tied."),
)
def show_standings(asked: dict[str, Any], task: str) -> Any:
    first, now = (asked["page"] - 1) * asked["per_page"] + 1, utc_now()
    with site().database.reading() as session:
        spec = public_task(session, task)
        view = _phase(phases.listing(session, spec, now), asked.get("phase"))
        track = _track(spec, asked.get("track"))
        board = boards.board(
            session,
            spec,
            track,
            view.name,
            first=first,
            most=asked["per_page"],
            stage=_STAGES[asked["stage"]],
            now=now,
        )
    shown, headers = paged([documents.row(line) for line in board.rows], board.lines, asked)
    return documents.board(spec, board) | shown, headers


def _phase(views: tuple[PhaseView, ...], name: str | None) -> PhaseView:
    view = next((each for each in views if each.name == name or (name is None and each.current)), None)
    if view is None:
        raise Problem("not-found", gettext("The task has no such phase."))
    if not view.shows_board:
        raise Problem("not-shown", gettext("The ranking of this phase is shown once the phase has closed."))
    return view


def _track(spec: TaskSpec, asked: str | None) -> str | None:
    if asked is None:
        return boards.main_track(spec)
    # A task may call a track so, and then that one is meant.
    if asked == OVERALL and all(track.name != OVERALL for track in spec.tracks):
        if spec.overall is None:
            raise Problem("not-found", gettext("The task has no overall ranking."))
        return None
    if all(track.name != asked for track in spec.tracks):
        raise Problem("not-found", gettext("The task has no such track."))
    return asked
