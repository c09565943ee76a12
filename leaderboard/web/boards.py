"""Boards: the ranking of a track, or of the whole task, and its downloads."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, abort, request

from leaderboard.contract import TaskSpec
from leaderboard.services import board_pages, boards, exports
from leaderboard.services.board_pages import Columns, Wanted
from leaderboard.services.exports import Format
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page, unchanged
from leaderboard.web.installation import public_task, site
from leaderboard.web.resources import is_published

blueprint = Blueprint("boards", __name__)

OVERALL = "overall"
"""How addresses call the ranking over all tracks."""

DOWNLOADS: dict[str, tuple[Format, str]] = {
    "csv": ("csv", "text/csv"),
    "json": ("json", "application/json"),
    "tex": ("latex", "application/x-tex"),
    "md": ("markdown", "text/markdown"),
}
"""Ending of an address to the format behind it and its type."""


@blueprint.get("/tasks/<task>/board")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """A ranking, sorted and cut as the address says."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        shown = board_pages.show(session, spec, _wanted(spec), utc_now())
        has_resource = is_published(session, spec)
    return unchanged(spec, shown, has_resource) or page(
        "boards/show.html",
        spec,
        shown,
        has_resource,
        spec=spec,
        shown=shown,
        has_resource=has_resource,
        overall=OVERALL,
        downloads=DOWNLOADS,
        value_of=board_pages.value_of,
        published_value=board_pages.published_value,
        mean_rank_digits=exports.MEAN_RANK_DIGITS,
    )


@blueprint.get("/tasks/<task>/board.<ending>")
@allow(EVERYBODY)
def download(task: str, ending: str) -> Response:
    """The whole ranking as a file."""
    if ending not in DOWNLOADS:
        abort(404)
    wanted_format, mimetype = DOWNLOADS[ending]
    with site().database.reading() as session:
        spec = public_task(session, task)
        wanted = _wanted(spec)
        phase = board_pages.phase_shown(session, spec, wanted, utc_now())
        board = boards.board(session, spec, wanted.track, phase.name)
    response = Response(exports.render(spec, board, wanted_format), mimetype=mimetype)
    name = f"{spec.name}-{wanted.track or OVERALL}-{phase.name}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)
    response.make_conditional(request)
    return response


def _wanted(spec: TaskSpec) -> Wanted:
    """What the address asks for; a word it may not hold is not found."""
    asked = request.args
    columns = asked.get("columns", "tracks")
    order = asked.get("order", "desc")
    if columns not in ("tracks", "measures") or order not in ("asc", "desc"):
        abort(404)
    number = asked.get("page", "1")
    if not (number.isascii() and number.isdigit()) or not 0 < len(number) < 7 or int(number) < 1:
        abort(404)
    return Wanted(
        track=_track(spec, asked.get("track")),
        phase=asked.get("phase"),
        columns=cast(Columns, columns),
        sort=asked.get("sort"),
        descending=order == "desc",
        page=int(number),
    )


def _track(spec: TaskSpec, asked: str | None) -> str | None:
    if asked is None:
        return boards.main_track(spec)
    # A task may call a track so, and then the address means that one.
    named_so = any(track.name == OVERALL for track in spec.tracks)
    return None if asked == OVERALL and not named_so else asked
