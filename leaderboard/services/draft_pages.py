"""Reading drafts of gold, as pages and the command line want them. For organisers only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.services import draft_scoring, drafts
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.columns import message_from_json
from leaderboard.store.models import Draft, GoldVersion, Job, Run, Team, User


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the job of a draft is: `done` of `total` runs (None: not known). `error` says why it stopped
    before its end; `working`: it goes on, now or when a consumer has time."""

    state: str
    done: int
    total: int | None
    working: bool
    error: Message | None


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft as lists show it. `versions` maps tracks to the numbers of their new versions, `replaces` to
    those of the versions before (None where there was none). People are None for the command line."""

    number: int
    source: str
    state: str
    versions: Mapping[str, int]
    replaces: Mapping[str, int | None]
    scorer_version: str
    note: str
    made_at: datetime
    made_by: str | None
    ended_at: datetime | None
    ended_by: str | None
    progress: Progress

    @property
    def open(self) -> bool:
        """Whether it can still be applied or discarded."""
        return self.state in draft_scoring.OPEN


@dataclass(frozen=True, slots=True)
class Moved:
    """A team whose place changes. Places and values are None where there is none."""

    team: str
    run_id: int | None
    place_before: int | None
    place_after: int | None
    value_before: float | None
    value_after: float | None


@dataclass(frozen=True, slots=True)
class Changed:
    """A run whose value changes; None where there is none, and `why` may say why there is none now."""

    run_id: int
    run: str
    team: str
    before: float | None
    after: float | None
    why: Message | None = None


@dataclass(frozen=True, slots=True)
class BoardDifference:
    """What changes on one board (`track` None: overall). `teams` have a place before or after; of `runs`
    values `changed` are others than before, `largest` the farthest. `lost` and `gained` are runs without a
    value now and before, of which some may not be listed (`lost_in_all`, `gained_in_all`)."""

    phase: str
    stage: str
    track: str | None
    teams: int
    moves: tuple[Moved, ...]
    runs: int | None = None
    changed: int = 0
    largest: Changed | None = None
    lost: tuple[Changed, ...] = ()
    lost_in_all: int = 0
    gained: tuple[Changed, ...] = ()
    gained_in_all: int = 0

    @property
    def changes(self) -> bool:
        """Whether anything does."""
        return bool(self.moves or self.changed or self.lost_in_all or self.gained_in_all)


@dataclass(frozen=True, slots=True)
class DraftPage:
    """A draft with what applying it changes (None while that is not known), worked out at `compared_at`;
    `behind` runs have come since and lack scores. `outdated` says why it cannot be applied any more."""

    draft: Drafted
    boards: tuple[BoardDifference, ...] | None
    compared_at: datetime | None
    behind: int
    outdated: bool


def listing(session: Session, spec: TaskSpec) -> tuple[Drafted, ...]:
    """All drafts of a task, the newest first. Raises UnknownTask."""
    statement = select(Draft).where(Draft.task_id == known(session, spec.name).id)
    rows = session.scalars(statement.order_by(Draft.number.desc())).all()
    names = _people(session, rows)
    return tuple(_drafted(session, row, names) for row in rows)


def show(session: Session, spec: TaskSpec, number: int) -> DraftPage:
    """A draft with its difference. Raises UnknownDraft, UnknownTask."""
    row = drafts.numbered(session, spec, number)
    drafted = _drafted(session, row, _people(session, (row,)))
    boards = None if row.difference is None else _boards(session, spec, row.difference["boards"])
    behind = len(draft_scoring.left(session, row)) if row.state == "ready" else 0
    active = {track: version.id for track, version in queries.active_gold(session, row.task_id).items()}
    outdated = drafted.open and any(active.get(track) != was for track, was in row.replaces.items())
    return DraftPage(drafted, boards, row.compared_at, behind, outdated)


def progress(session: Session, spec: TaskSpec, number: int) -> Progress:
    """How far a draft is. Raises UnknownDraft, UnknownTask."""
    return _progress(session, drafts.numbered(session, spec, number))


def _progress(session: Session, row: Draft) -> Progress:
    job = session.get(Job, row.job_id, populate_existing=True) if row.job_id is not None else None
    if job is None or row.state not in ("scoring", "applying"):
        return Progress(row.state, 0, None, False, None)
    working = job.state in ("waiting", "running")
    return Progress(row.state, job.done, job.total, working, job.error if job.state == "failed" else None)


def _people(session: Session, rows: Iterable[Draft]) -> Mapping[int, str]:
    ids = {person for row in rows for person in (row.made_by, row.ended_by) if person is not None}
    return {
        user.id: user.name for user in session.execute(select(User.id, User.name).where(User.id.in_(ids)))
    }


def _drafted(session: Session, row: Draft, names: Mapping[int, str]) -> Drafted:
    def number(version_id: int | None) -> int | None:
        return None if version_id is None else session.get_one(GoldVersion, version_id).number

    return Drafted(
        number=row.number,
        source=row.source,
        state=row.state,
        versions={track: number(version) or 0 for track, version in row.versions.items()},
        replaces={track: number(version) for track, version in row.replaces.items()},
        scorer_version=row.scorer_version,
        note=row.note,
        made_at=row.made_at,
        made_by=names.get(row.made_by or 0),
        ended_at=row.ended_at,
        ended_by=names.get(row.ended_by or 0),
        progress=_progress(session, row),
    )


def _boards(session: Session, spec: TaskSpec, stored: list[dict[str, Any]]) -> tuple[BoardDifference, ...]:
    """What was kept, with the names of teams and runs as they are now, in the order of phases and tracks."""
    teams = {move["team"] for board in stored for move in board["moves"]}
    runs = {each["run"] for board in stored for each in _runs_in(board)}
    called = _Names(_team_names(session, teams), _run_names(session, runs))
    known_tracks = [track.name for track in spec.tracks]
    order = {phase: number for number, phase in enumerate(dict.fromkeys(board["phase"] for board in stored))}
    # A phase that nobody has sent a run to has nothing to tell.
    boards = [found for board in stored if (found := _board(board, called)).teams or found.runs]
    return tuple(
        sorted(
            boards,
            key=lambda board: (
                order[board.phase],
                board.stage,
                known_tracks.index(board.track) if board.track in known_tracks else len(known_tracks),
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What teams are called, and runs with their teams."""

    teams: Mapping[int, str]
    runs: Mapping[int, tuple[str, str]]


def _board(stored: Mapping[str, Any], called: _Names) -> BoardDifference:
    largest = stored.get("largest")
    return BoardDifference(
        phase=stored["phase"],
        stage=stored["stage"],
        track=stored["track"],
        teams=stored["teams"],
        moves=tuple(_moved(move, called) for move in stored["moves"]),
        runs=stored.get("runs"),
        changed=stored.get("changed", 0),
        largest=None if largest is None else _changed(largest, called),
        lost=tuple(_changed(each, called) for each in stored.get("lost", ())),
        lost_in_all=stored.get("lost_in_all", 0),
        gained=tuple(_changed(each, called) for each in stored.get("gained", ())),
        gained_in_all=stored.get("gained_in_all", 0),
    )


def _moved(move: Mapping[str, Any], called: _Names) -> Moved:
    place_before, value_before = move["before"] or (None, None)
    place_after, value_after = move["after"] or (None, None)
    team = called.teams.get(move["team"], "")
    return Moved(team, move["run"], place_before, place_after, value_before, value_after)


def _changed(each: Mapping[str, Any], called: _Names) -> Changed:
    run, team = called.runs.get(each["run"], ("", ""))
    why = each.get("why")
    reason = message_from_json(why) if why else None
    return Changed(each["run"], run, team, each.get("before"), each.get("after"), reason)


def _runs_in(board: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    yield from board.get("lost", ())
    yield from board.get("gained", ())
    if board.get("largest"):
        yield board["largest"]


def _team_names(session: Session, ids: set[int]) -> dict[int, str]:
    return {row.id: row.name for row in session.execute(select(Team.id, Team.name).where(Team.id.in_(ids)))}


def _run_names(session: Session, ids: set[int]) -> dict[int, tuple[str, str]]:
    statement = select(Run.id, Run.name, Team.name.label("team")).join(Team, Team.id == Run.team_id)
    return {row.id: (row.name, row.team) for row in session.execute(statement.where(Run.id.in_(ids)))}
