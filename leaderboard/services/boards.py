"""Reading the stored standings, as pages and exports want them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from leaderboard.contract import TaskSpec, say
from leaderboard.rules import phases_of, window
from leaderboard.services import board_lines, references, sureness
from leaderboard.services.board_lines import Kind, NameOf, Order
from leaderboard.services.board_rows import Board, Row, Stage, row_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_name
from leaderboard.store import models, queries

__all__ = [
    "Board",
    "BoardVersion",
    "Kind",
    "NoBoard",
    "Order",
    "Row",
    "Stage",
    "board",
    "current_phase",
    "find",
    "has_late_runs",
    "listed_tracks",
    "main_track",
    "renamed",
    "versions",
    "with_own_names",
]


class NoBoard(ServiceError):
    """There is no such board: no such phase or track, or no gold yet."""


def current_phase(spec: TaskSpec, now: datetime) -> str:
    """The name of the phase whose board is meant where none is named: the open one, or the last closed."""
    return window(phases_of(spec), now).phase.name


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """A version of a track's gold that a ranking is kept of; `active`: it scores now, and else `computed_at`
    is how long that ranking was the one of the day."""

    number: int
    active: bool
    computed_at: datetime


def main_track(spec: TaskSpec) -> str | None:
    """The track whose board stands for the task; None, for overall, where the task has such a ranking."""
    return None if spec.overall is not None else spec.tracks[0].name


def listed_tracks(spec: TaskSpec) -> tuple[str | None, ...]:
    """What boards there are: one for each track, and None for overall where the task has such a ranking."""
    overall = () if spec.overall is None else (None,)
    return (*(track.name for track in spec.tracks), *overall)


def board(
    session: Session,
    spec: TaskSpec,
    track: str | None,
    phase: str,
    *,
    first: int = 1,
    most: int | None = None,
    gold_version: int | None = None,
    stage: Stage = "in time",
    but: Collection[Kind] = (),
    order: Order | None = None,
    now: datetime | None = None,
    live: bool = False,
) -> Board:
    """The ranking of a track (None: overall) in a phase without the lines of some kinds (`but`), or `most` of
    these lines from the one numbered `first` on, in that `order` (None: that of the ranking).

    `gold_version` asks for the board as it was under an earlier version. While the phase is frozen it is the
    ranking as it was then; `live`, for organisers, the one of now. Teams are called as the public reads it at
    `now`; without that, by their alias where they have one, and `with_own_names` is for organisers. Raises
    NoBoard.
    """
    stored, number = _stored(session, spec, (phase, stage, track), gold_version, live=live)
    name_of = _naming(session, spec, now)
    found = board_lines.lines(session, stored)
    left_out = found.left_out(but)
    at = board_lines.part(session, stored, found, left_out, order, name_of, first, most)
    lines = board_lines.rows(session, stored, at)
    run_ids = None if most is None else [line.run_id for line, *_ in lines]
    known_of = sureness.of_board(session, stored, run_ids)
    return Board(
        task=spec.name,
        phase=phase,
        track=track,
        split=stored.split,
        gold_version=number,
        versions=stored.versions,
        scorer_version=stored.scorer_version,
        computed_at=stored.computed_at,
        revision=stored.revision,
        lines=found.last - len(left_out),
        rows=tuple(row_of(line, name_of(team.name, team.alias), run, known_of) for line, team, run in lines),
        references=references.listing(session, spec, track),
        stage=stage,
        lettered=known_of.lettered,
        kinds={kind: len(positions) for kind, positions in found.kinds.items()},
    )


def find(
    session: Session,
    spec: TaskSpec,
    track: str | None,
    phase: str,
    name: str,
    *,
    gold_version: int | None = None,
    stage: Stage = "in time",
    but: Collection[Kind] = (),
    order: Order | None = None,
    now: datetime | None = None,
    live: bool = False,
) -> tuple[int, int] | None:
    """Where a team stands on what `board` reads: the number of its first line there, in that order, and the
    position of that line; None where no team's name is or has that. Raises NoBoard."""
    stored, _ = _stored(session, spec, (phase, stage, track), gold_version, live=live)
    name_of = _naming(session, spec, now)
    found = board_lines.lines(session, stored)
    left_out = found.left_out(but)
    at = board_lines.of_team(board_lines.names(session, stored, name_of), left_out, name)
    if at is None:
        return None
    ordered = board_lines.positions(session, stored, found, left_out, order, name_of)
    return ordered.index(at) + 1, at


def versions(
    session: Session, spec: TaskSpec, track: str | None, phase: str, stage: Stage, *, live: bool = False
) -> tuple[BoardVersion, ...]:
    """The versions of a track's gold that rankings are kept of, the newest first; none of an overall ranking,
    which is kept as it is now. Raises UnknownTask."""
    if track is None:
        return ()
    shown = _stage_of(session, spec, phase, stage, live=live)
    statement = (
        select(models.GoldVersion.number, models.GoldVersion.state, models.Board.computed_at)
        .join(models.Board, models.Board.gold_version_id == models.GoldVersion.id)
        .join(models.Phase, models.Phase.id == models.Board.phase_id)
        .where(
            models.Board.task_id == known(session, spec.name).id,
            models.Board.track == track,
            models.Board.stage == shown,
            models.Board.split.in_(models.SHOWN_SPLITS),
            models.Phase.name == phase,
        )
        .order_by(models.GoldVersion.number.desc())
    )
    return tuple(
        BoardVersion(number, state == "active", at) for number, state, at in session.execute(statement)
    )


def with_own_names(session: Session, board: Board) -> Board:
    """The board with what teams call themselves, aliases or not; for organisers."""
    teams = (
        select(models.Team.id, models.Team.name)
        .join(models.Task, models.Task.id == models.Team.task_id)
        .where(models.Task.name == board.task)
    )
    return renamed(board, {row.id: row.name for row in session.execute(teams)})


def renamed(board: Board, names: Mapping[int, str]) -> Board:
    """The board with its teams called by these names, by the team's number."""
    return replace(board, rows=tuple(replace(row, team=names[row.team_id]) for row in board.rows))


def has_late_runs(session: Session, spec: TaskSpec, phase: str, *, live: bool = False) -> bool:
    """Whether there is a ranking of the phase with late runs. Raises UnknownTask."""
    statement = (
        select(models.Board.id)
        .join(models.Phase, models.Phase.id == models.Board.phase_id)
        .where(
            models.Board.task_id == known(session, spec.name).id,
            models.Phase.name == phase,
            models.Board.stage == _stage_of(session, spec, phase, "post-evaluation", live=live),
        )
    )
    return session.scalar(statement.limit(1)) is not None


def _stage_of(session: Session, spec: TaskSpec, phase: str, stage: Stage, *, live: bool) -> str:
    """The stage whose stored boards are read: that of the copies where the phase is frozen."""
    row = queries.phase_named(session, known(session, spec.name).id, phase)
    return stage if live or row is None else queries.stage_shown(row, stage)


def _naming(session: Session, spec: TaskSpec, now: datetime | None) -> NameOf:
    """What teams are called, as the public reads it at that time."""
    task = known(session, spec.name)

    def name_of(name: str, alias: str | None) -> str:
        return public_name(task, name, alias, now)

    return name_of


def _stored(
    session: Session,
    spec: TaskSpec,
    where: tuple[str, Stage, str | None],
    gold_version: int | None,
    *,
    live: bool,
) -> tuple[models.Board, int | None]:
    phase, stage, track = where
    _require_declared(spec, track)
    task = known(session, spec.name)
    phase_row = queries.phase_named(session, task.id, phase)
    if phase_row is None:
        raise NoBoard(say("The task {task} has no phase {phase}.", task=spec.name, phase=phase))
    statement = (
        select(models.Board, models.GoldVersion.number)
        .outerjoin(models.GoldVersion, models.GoldVersion.id == models.Board.gold_version_id)
        .where(
            models.Board.phase_id == phase_row.id,
            models.Board.stage == (stage if live else queries.stage_shown(phase_row, stage)),
            models.Board.split.in_(models.SHOWN_SPLITS),
        )
        # What news were last told is as long as the board.
        .options(defer(models.Board.settled))
    )
    if track is None:
        statement = statement.where(models.Board.track.is_(None))
    elif gold_version is None and phase_row.frozen_at is not None and not live:
        # The gold that was active on freezing may be another than that of now.
        newest = models.GoldVersion.number.desc()
        statement = statement.where(models.Board.track == track).order_by(newest).limit(1)
    elif gold_version is None:
        statement = statement.where(models.Board.track == track, models.GoldVersion.state == "active")
    else:
        statement = statement.where(models.Board.track == track, models.GoldVersion.number == gold_version)
    found = session.execute(statement).one_or_none()
    if found is None and stage == models.POST_EVALUATION:
        raise NoBoard(say("No run of this phase came late."))
    if found is None:
        raise NoBoard(
            say("There is no ranking yet: the benchmark of {task} is not installed.", task=spec.name)
        )
    return found[0], found[1]


def _require_declared(spec: TaskSpec, track: str | None) -> None:
    """A board may still be stored that task.toml no longer declares."""
    if track is None and spec.overall is None:
        raise NoBoard(say("The task {task} has no overall ranking.", task=spec.name))
    if track not in listed_tracks(spec):
        raise NoBoard(
            say(
                "The task {task} has no track {track}; it has {tracks}.",
                task=spec.name,
                track=track,
                tracks=", ".join(each.name for each in spec.tracks),
            )
        )
