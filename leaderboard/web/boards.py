"""Boards: the ranking of a track, or of the whole task, and its downloads."""

from __future__ import annotations

from typing import Any, cast

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import board_pages, board_times, boards, exports, teams
from leaderboard.services.board_pages import SHOWN, TOGGLES, BoardPage, Columns, Toggle, Wanted
from leaderboard.services.boards import NoBoard, Stage
from leaderboard.services.exports import Format
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page, unchanged
from leaderboard.web.identity import viewer
from leaderboard.web.installation import public_task, site
from leaderboard.web.kept_pages import keep_until
from leaderboard.web.preferences import address_with
from leaderboard.web.resources import is_published

blueprint = Blueprint("boards", __name__)

OVERALL = "overall"
"""How addresses call the ranking over all tracks."""

NOTHING = "none"
"""How addresses say that no kind of lines is shown beside those with a place."""

LONGEST_NAME = 200
"""So many letters of a team's name are looked for."""

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
        spec, now = public_task(session, task), utc_now()
        wanted = wanted_of_address(spec)
        if (elsewhere := found_at(session, spec, wanted)) is not None:
            return elsewhere
        shown = board_pages.show(session, spec, wanted, now)
        has_resource = is_published(session, spec)
        own_team = _own_team(session, spec, shown)
        keep_until(board_times.next_change(session, spec, now))
    values = (spec, shown, has_resource, own_team)
    made = context(spec, shown, has_resource=has_resource) | {"own_team": own_team}
    return unchanged(*values) or page("boards/show.html", *values, **made)


def found_at(session: Session, spec: TaskSpec, wanted: Wanted) -> Response | None:
    """The way to the line of a team that the address asks for; None where there is none."""
    name = request.args.get("find", "").strip()
    if not name or len(name) > LONGEST_NAME:
        return None
    try:
        found = board_pages.find(session, spec, wanted, name, utc_now())
    except NoBoard:
        return None
    if found is None:
        return None
    number, position = found
    address = address_with(find=None, page=None if number == 1 else number)
    response = make_response(redirect(f"{address}#line-{position}"))
    response.headers["Cache-Control"] = "no-store"
    return response


def _own_team(session: Session, spec: TaskSpec, shown: BoardPage) -> str | None:
    """What the public calls the team of who is signed in, where a page is to be found for it."""
    person = viewer()
    if person is None or shown.pages < 2:
        return None
    team = teams.of_person(session, spec, person.user_id, utc_now())
    return None if team is None else team.shown_as


def context(spec: TaskSpec, shown: BoardPage, *, has_resource: bool) -> dict[str, Any]:
    """What the template of a board needs."""
    return {
        "pages_of": board_pages.PAGES_OF,
        "per_page": shown.wanted.per_page or board_pages.PER_PAGE,
        "looked_for": request.args.get("find", "").strip()[:LONGEST_NAME],
        "spec": spec,
        "shown": shown,
        "has_resource": has_resource,
        "overall": OVERALL,
        "downloads": DOWNLOADS,
        "toggled": _toggled,
        "permanent": url_for("boards.show", **_state(spec, shown)),
        "state": _state(spec, shown),
        "value_of": board_pages.value_of,
        "published_value": board_pages.published_value,
        "mean_rank_digits": exports.MEAN_RANK_DIGITS,
    }


@blueprint.get("/tasks/<task>/board.<ending>")
@allow(EVERYBODY)
def download(task: str, ending: str) -> Response:
    """The whole ranking as a file: its lines and their order are those that the address says."""
    if ending not in DOWNLOADS:
        abort(404)
    wanted_format, mimetype = DOWNLOADS[ending]
    with site().database.reading() as session:
        spec, now = public_task(session, task), utc_now()
        wanted = wanted_of_address(spec)
        shown = board_pages.whole(session, spec, wanted, now)
        keep_until(board_times.next_change(session, spec, now))
    if shown.board is None:
        abort(404)
    beside = [(column.track, column.measure) for column in shown.columns if not column.primary]
    response = Response(exports.render(spec, shown.board, wanted_format, beside), mimetype=mimetype)
    late = "" if wanted.stage == "in time" else f"-{wanted.stage}"
    version = "" if wanted.version is None else f"-version-{wanted.version}"
    name = f"{spec.name}-{wanted.track or OVERALL}-{shown.phase.name}{late}{version}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)
    response.make_conditional(request)
    return response


def wanted_of_address(spec: TaskSpec) -> Wanted:
    """What the address asks for; a word it may not hold is not found."""
    asked = request.args
    columns = asked.get("columns", "tracks")
    order = asked.get("order", "desc")
    if columns not in ("tracks", "measures") or order not in ("asc", "desc"):
        abort(404)
    return Wanted(
        track=track_asked(spec, asked.get("track")),
        phase=asked.get("phase"),
        columns=cast(Columns, columns),
        sort=asked.get("sort"),
        descending=order == "desc",
        page=_number("page") or 1,
        stage=_stage(asked.get("stage")),
        shown=_shown(asked.getlist("show")),
        version=_number("version"),
        per_page=_per_page(),
    )


def _per_page() -> int | None:
    number = _number("per")
    if number is not None and number not in board_pages.PAGES_OF:
        abort(404)
    return None if number == board_pages.PER_PAGE else number


def _number(name: str) -> int | None:
    """A number from 1 on that the address holds, None where it does not."""
    given = request.args.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit()) or not 0 < len(given) < 7 or int(given) < 1:
        abort(404)
    return int(given)


def _stage(asked: str | None) -> Stage:
    if asked not in (None, "in time", "post-evaluation"):
        abort(404)
    return "post-evaluation" if asked == "post-evaluation" else "in time"


def _shown(asked: list[str]) -> frozenset[Toggle]:
    """The kinds of lines to show: words with commas between them, or given one by one; NOTHING for none."""
    if not asked:
        return SHOWN
    words = {word for part in asked for word in part.split(",") if word} - {NOTHING}
    if not words <= set(TOGGLES):
        abort(404)
    return frozenset(toggle for toggle in TOGGLES if toggle in words)


def _said(shown: frozenset[Toggle]) -> str:
    return ",".join(toggle for toggle in TOGGLES if toggle in shown) or NOTHING


def _toggled(wanted: Wanted, toggle: Toggle) -> str | None:
    """What the address says for the same board with one kind of lines shown or left out."""
    shown = wanted.shown ^ {toggle}
    return None if shown == SHOWN else _said(shown)


def _state(spec: TaskSpec, shown: BoardPage) -> dict[str, Any]:
    """Everything that decides what is on the page, whatever a later reader would get without saying so."""
    wanted = shown.wanted
    return {
        "task": spec.name,
        "track": wanted.track or OVERALL,
        "phase": shown.phase.name,
        "stage": None if wanted.stage == "in time" else wanted.stage,
        "show": _said(wanted.shown),
        "columns": None if wanted.columns == "tracks" else wanted.columns,
        "sort": wanted.sort,
        "order": None if wanted.sort is None else "desc" if wanted.descending else "asc",
        "version": wanted.version,
        "per": wanted.per_page,
    }


def track_asked(spec: TaskSpec, asked: str | None) -> str | None:
    """The track that an address names; None for overall."""
    if asked is None:
        return boards.main_track(spec)
    # A task may call a track so, and then the address means that one.
    named_so = any(track.name == OVERALL for track in spec.tracks)
    return None if asked == OVERALL and not named_so else asked
