"""A board as its page shows it: the phase, the columns, sorted by any of them, a part at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Literal

from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, TrackSpec, say
from leaderboard.services import boards, final_standings, phases, public_values
from leaderboard.services.boards import Board, BoardVersion, Kind, NoBoard, Order, Row, Stage
from leaderboard.services.phases import PhaseView
from leaderboard.services.references import Published

PER_PAGE = 100
"""So many lines stand on one page where nobody asks for another number."""

PAGES_OF = (50, 100, 250, 500)
"""So many may be asked for."""

_NOT_YET = say("The ranking of this phase is shown once the phase has closed.")

Columns = Literal["tracks", "measures"]

Toggle = Literal["baseline", "contrastive", "late", "reference"]

TOGGLES: tuple[Toggle, ...] = ("baseline", "contrastive", "late", "reference")
"""What readers may show or leave out: lines without a place, and published results of others."""

SHOWN: frozenset[Toggle] = frozenset({"baseline", "contrastive", "reference"})
"""What is shown to who asks for nothing else. Late runs have a ranking of their own."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of values: `measure` on `track`. `key` names it in addresses, `primary` marks what ranks."""

    key: str
    track: TrackSpec
    measure: str
    primary: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader asks for: `track` None means overall, `phase` None the current one, `stage` whether late
    runs are ranked too. `shown` are the kinds of lines that are not left out. `sort` is the key of a column,
    "team" or "submitted", None for the order of the ranking; `page` counts from 1, of `per_page`
    lines each. `version` asks for the ranking under an earlier version of the track's gold, None for the one
    of now. `live`, for organisers:
    the ranking as it is, whatever the phase hides or freezes."""

    track: str | None
    phase: str | None = None
    columns: Columns = "tracks"
    sort: str | None = None
    descending: bool = True
    page: int = 1
    stage: Stage = "in time"
    shown: frozenset[Toggle] = SHOWN
    version: int | None = None
    live: bool = False
    per_page: int | None = None

    @property
    def left_out(self) -> tuple[Kind, ...]:
        """The kinds of lines that are not shown. Where late runs are ranked they are nothing apart."""
        kinds: tuple[Kind, ...] = ("baseline", "contrastive")
        if self.stage == "in time":
            kinds += ("late",)
        return tuple(kind for kind in kinds if kind not in self.shown)


@dataclass(frozen=True, slots=True)
class BoardPage:
    """`board` is None where there is nothing to show, and `why_none` then says why. `published` are the
    results of others that have a value in one of the `published_columns`, best first. `toggles` counts what
    there is of each kind that may be shown or left out; `has_late_board`: the phase has a ranking with late
    runs. `versions` are those of the track's gold that a ranking is kept of, the newest first. `has_final`:
    the final standing of the phase, on the private part of its gold, is shown. `told` says of tracks what
    their values are, where they are not the exact ones."""

    wanted: Wanted
    phase: PhaseView
    phases: tuple[PhaseView, ...]
    columns: tuple[Column, ...]
    board: Board | None = None
    why_none: Message | None = None
    published: tuple[Published, ...] = ()
    published_columns: tuple[Column, ...] = ()
    pages: int = 1
    toggles: Mapping[Toggle, int] = field(default_factory=dict)
    has_late_board: bool = False
    versions: tuple[BoardVersion, ...] = ()
    has_final: bool = False
    told: tuple[tuple[TrackSpec, Message], ...] = ()

    @property
    def earlier(self) -> BoardVersion | None:
        """The version that this ranking stands on, where that scores no more."""
        number = self.board.gold_version if self.board else None
        return next((each for each in self.versions if each.number == number and not each.active), None)


def show(session: Session, spec: TaskSpec, wanted: Wanted, now: datetime) -> BoardPage:
    """The page asked for. Raises NoBoard where the task has no such phase, track, column or page."""
    return _shown(session, spec, wanted, now, wanted.per_page or PER_PAGE)


def find(
    session: Session, spec: TaskSpec, wanted: Wanted, name: str, now: datetime
) -> tuple[int, int] | None:
    """The page on which a team first stands, and the position of that line; None where no such team does.
    A part of a name does where no team is called so. Raises NoBoard."""
    phase = _phase(spec, phases.listing(session, spec, now), wanted.phase)
    if not phase.shows_board and not wanted.live:
        return None
    found = boards.find(
        session,
        spec,
        wanted.track,
        phase.name,
        name,
        gold_version=wanted.version,
        live=wanted.live,
        stage=wanted.stage,
        but=wanted.left_out,
        order=_order(wanted, _columns(spec, wanted)),
        now=now,
    )
    if found is None:
        return None
    number, position = found
    return (number - 1) // (wanted.per_page or PER_PAGE) + 1, position


def whole(session: Session, spec: TaskSpec, wanted: Wanted, now: datetime) -> BoardPage:
    """The same on one page, for files. Raises NoBoard, also where the board is not shown to everybody."""
    found = _shown(session, spec, replace(wanted, page=1), now, None)
    if found.board is None:
        raise NoBoard(found.why_none or _NOT_YET)
    return found


def _shown(
    session: Session, spec: TaskSpec, wanted: Wanted, now: datetime, per_page: int | None
) -> BoardPage:
    views = phases.listing(session, spec, now)
    phase = _phase(spec, views, wanted.phase)
    if wanted.version is not None and wanted.track is None:
        raise NoBoard(say("An overall ranking stands on many versions at once; ask for a track's."))
    columns = _columns(spec, wanted)
    if wanted.sort not in {None, "team", "submitted", *(column.key for column in columns)}:
        raise NoBoard(say("There is no column {column}.", column=wanted.sort))
    has_final = phase.split is not None and final_standings.is_shown(session, spec, phase.name, now)
    told = public_values.told_on(session, spec)
    shown = BoardPage(wanted, phase, _with_runs(views, phase), columns, has_final=has_final, told=told)
    if not phase.shows_board and not wanted.live:
        return replace(shown, why_none=_NOT_YET)
    shown = replace(shown, has_late_board=boards.has_late_runs(session, spec, phase.name, live=wanted.live))
    if wanted.stage != "in time" and not shown.has_late_board:
        raise NoBoard(say("No run of this phase came late."))
    try:
        board, pages = _part(session, spec, wanted, phase, columns, now, per_page)
        toggles = _toggles(spec, wanted, board)
        versions = boards.versions(session, spec, wanted.track, phase.name, wanted.stage, live=wanted.live)
    except NoBoard as error:
        if wanted.version is not None:
            raise
        return replace(shown, why_none=error.message)
    if "reference" not in wanted.shown:
        board = replace(board, references=())
    published_columns = _published_columns(spec, board, columns)
    return replace(
        shown,
        wanted=replace(wanted, page=min(wanted.page, pages)),
        board=board,
        pages=pages,
        published=_published(board.references, published_columns),
        published_columns=published_columns,
        toggles=toggles,
        versions=versions,
    )


def _toggles(spec: TaskSpec, wanted: Wanted, board: Board) -> dict[Toggle, int]:
    found: dict[Toggle, int] = {
        # Where late runs are ranked like others there is nothing to leave out.
        kind: lines
        for kind, lines in board.kinds.items()
        if kind != "late" or wanted.stage == "in time"
    }
    columns = _published_columns(spec, board, _columns(spec, wanted))
    published = len(_published(board.references, columns))
    if published:
        found["reference"] = published
    return {toggle: found[toggle] for toggle in TOGGLES if toggle in found}


def _phase(spec: TaskSpec, views: tuple[PhaseView, ...], name: str | None) -> PhaseView:
    for view in views:
        if view.name == name or (name is None and view.current):
            return view
    raise NoBoard(say("The task {task} has no phase {phase}.", task=spec.name, phase=name))


def _with_runs(views: tuple[PhaseView, ...], asked: PhaseView) -> tuple[PhaseView, ...]:
    """The phases that can have runs by now."""
    return tuple(view for view in views if view.state != "upcoming" or view is asked)


def _columns(spec: TaskSpec, wanted: Wanted) -> tuple[Column, ...]:
    if wanted.track is None:
        if spec.overall is None:
            raise NoBoard(say("The task {task} has no overall ranking.", task=spec.name))
        return tuple(Column(track.name, track, track.primary, False) for track in spec.tracks)
    try:
        own = spec.track(wanted.track)
    except KeyError:
        raise NoBoard(
            say("The task {task} has no track {track}.", task=spec.name, track=wanted.track)
        ) from None
    ranking = Column(own.name, own, own.primary, True)
    if wanted.columns == "measures":
        others = [measure for measure in own.measures if measure != own.primary]
        return (ranking, *(Column(measure, own, measure, False) for measure in others))
    others_of = (track for track in spec.tracks if track is not own)
    return (ranking, *(Column(track.name, track, track.primary, False) for track in others_of))


def _part(
    session: Session,
    spec: TaskSpec,
    wanted: Wanted,
    phase: PhaseView,
    columns: tuple[Column, ...],
    now: datetime,
    per_page: int | None,
) -> tuple[Board, int]:
    """The lines of the page asked for, or of the last one: beyond it there is nothing, but no reason to send
    somebody away either."""
    read = partial(
        boards.board,
        session,
        spec,
        wanted.track,
        phase.name,
        gold_version=wanted.version,
        live=wanted.live,
        stage=wanted.stage,
        but=wanted.left_out,
        order=_order(wanted, columns),
        now=now,
    )
    if per_page is None:
        return read(), 1
    found = read(first=(wanted.page - 1) * per_page + 1, most=per_page)
    pages = _pages(found, per_page)
    if wanted.page > pages:
        found = read(first=(pages - 1) * per_page + 1, most=per_page)
    return found, pages


def _pages(board: Board, per_page: int) -> int:
    return max(1, -(-board.lines // per_page))


def _order(wanted: Wanted, columns: tuple[Column, ...]) -> Order | None:
    """How lines are sorted; None: as they are ranked."""
    if wanted.sort is None:
        return None
    if wanted.sort in ("team", "submitted"):
        return Order("team" if wanted.sort == "team" else "submitted", wanted.descending)
    column = next(column for column in columns if column.key == wanted.sort)
    return Order((column.track.name, column.measure), wanted.descending)


def value_of(row: Row, column: Column) -> float | None:
    """What a line has in a column, None where nothing."""
    return row.values.get(column.track.name, {}).get(column.measure)


def _published(references: tuple[Published, ...], columns: tuple[Column, ...]) -> tuple[Published, ...]:
    """Those with a value in one of the columns, by the first column, best first."""
    if not columns:
        return ()
    first = columns[0]
    having = [
        row for row in references if any(published_value(row, column) is not None for column in columns)
    ]
    sign = -1.0 if first.track.higher_is_better else 1.0

    def order(row: Published) -> tuple[bool, float]:
        value = published_value(row, first)
        return value is None, sign * (value or 0.0)

    return tuple(sorted(having, key=order))


def _published_columns(spec: TaskSpec, board: Board, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """What others have published of the board's measures: of its track all, what ranks first; overall
    those that rank on the tracks."""
    candidates = columns
    if board.track is not None:
        track = spec.track(board.track)
        measures = (track.primary, *(measure for measure in track.measures if measure != track.primary))
        candidates = tuple(Column(m, track, m, m == track.primary) for m in measures)
    return tuple(
        column
        for column in candidates
        if any(published_value(row, column) is not None for row in board.references)
    )


def published_value(row: Published, column: Column) -> float | None:
    """What a published result has in a column, None where nothing. A result for the whole task stands for
    no particular track, so it counts on every one whose measure it names."""
    if row.track is not None and row.track != column.track.name:
        return None
    return row.values.get(column.measure)
