"""The final standing of a phase that parts its gold: on the private part, once that is revealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, SplitSpec, TaskSpec, say
from leaderboard.services import boards, phases
from leaderboard.services.boards import NoBoard
from leaderboard.services.phases import PhaseView
from leaderboard.services.splits import revealed
from leaderboard.services.tables import Values
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_name
from leaderboard.store import models, queries


@dataclass(frozen=True, slots=True)
class FinalRow:
    """A line of a final standing. `place` and `value` are those on the private part, None with the `reason`;
    `public_place` and `public_value` those of the same team on the public part, None where it had none.
    `run_id` is None in an overall standing, which is about teams."""

    place: int | None
    team_id: int
    team: str
    run_id: int | None
    run_name: str | None
    kind: str
    value: float | None
    values: Values
    reason: Message | None
    public_place: int | None
    public_value: float | None

    @property
    def moved(self) -> int | None:
        """By how many places the team stands higher than on the public part; below 0: lower."""
        if self.place is None or self.public_place is None:
            return None
        return self.public_place - self.place


@dataclass(frozen=True, slots=True)
class FinalStanding:
    """The final standing of a phase on a track (None: overall), or why it is not shown (`why_none`)."""

    phase: PhaseView
    phases: tuple[PhaseView, ...]
    track: str | None
    split: SplitSpec
    rows: tuple[FinalRow, ...] = ()
    computed_at: datetime | None = None
    why_none: Message | None = None


def show(
    session: Session, spec: TaskSpec, track: str | None, phase: str | None, now: datetime
) -> FinalStanding:
    """The final standing of a phase, the one meant at `now` where none is named.

    Raises NoBoard where there is no such phase or track, or the phase does not part its gold.
    """
    views = phases.listing(session, spec, now)
    parting = tuple(view for view in views if view.split is not None)
    view = _view(spec, views, parting, phase)
    if view.split is None:
        raise NoBoard(say("This phase has no final standing of its own; its ranking is the final one."))
    if track not in boards.listed_tracks(spec):
        raise NoBoard(say("The task {task} has no track {track}.", task=spec.name, track=track or ""))
    found = FinalStanding(view, parting, track, view.split)
    task = known(session, spec.name)
    row = queries.phase_named(session, task.id, view.name)
    if row is None or not revealed(session, row, now):
        return replace(found, why_none=_not_yet(view, frozen=row is not None and row.frozen_at is not None))
    board = session.scalars(_board(row, track, models.FINAL)).one_or_none()
    if board is None:
        return replace(found, why_none=say("There is no final standing yet."))
    shown = session.scalars(_board(row, track, models.IN_TIME)).one_or_none()
    before = {} if shown is None else _lines(session, shown.id)
    return replace(found, rows=_rows(session, task, board, before, now), computed_at=board.computed_at)


def renamed(found: FinalStanding, names: Mapping[int, str]) -> FinalStanding:
    """The standing with its teams called by these names, by the team's number."""
    return replace(found, rows=tuple(replace(row, team=names[row.team_id]) for row in found.rows))


def is_shown(session: Session, spec: TaskSpec, phase: str, now: datetime) -> bool:
    """Whether everybody may read the final standing of a phase. Raises UnknownTask."""
    row = queries.phase_named(session, known(session, spec.name).id, phase)
    return row is not None and revealed(session, row, now)


def _view(
    spec: TaskSpec, views: tuple[PhaseView, ...], parting: tuple[PhaseView, ...], name: str | None
) -> PhaseView:
    for view in views:
        if view.name == name:
            return view
    if name is not None or not parting:
        raise NoBoard(say("The task {task} has no phase {phase}.", task=spec.name, phase=name or ""))
    return next((view for view in parting if view.current), parting[-1])


def _not_yet(view: PhaseView, *, frozen: bool) -> Message:
    if frozen:
        return say("The ranking of this phase is frozen; the final standing is shown once it is not.")
    if view.split is not None and view.split.reveal == "closing":
        return say("The final standing is shown once the phase has closed for all teams.")
    return say("The final standing is shown once the organisers reveal it.")


def _board(phase: models.Phase, track: str | None, stage: str) -> Select[models.Board]:
    statement = select(models.Board).where(models.Board.phase_id == phase.id, models.Board.stage == stage)
    if track is None:
        return statement.where(models.Board.track.is_(None))
    return statement.join(models.GoldVersion, models.GoldVersion.id == models.Board.gold_version_id).where(
        models.Board.track == track, models.GoldVersion.state == "active"
    )


def _lines(session: Session, board_id: int) -> Mapping[int, models.Standing]:
    """The line with a place of each team."""
    statement = select(models.Standing).where(
        models.Standing.board_id == board_id, models.Standing.place.is_not(None)
    )
    return {line.team_id: line for line in session.scalars(statement)}


def _rows(
    session: Session,
    task: models.Task,
    board: models.Board,
    before: Mapping[int, models.Standing],
    now: datetime,
) -> tuple[FinalRow, ...]:
    statement = (
        select(models.Standing, models.Team, models.Run)
        .join(models.Team, models.Team.id == models.Standing.team_id)
        .outerjoin(models.Run, models.Run.id == models.Standing.run_id)
        .where(
            models.Standing.board_id == board.id,
            models.Run.hidden_at.is_(None),
            models.Run.deleted_at.is_(None),
        )
        .order_by(models.Standing.position)
    )
    return tuple(
        _row(line, team.id, public_name(task, team.name, team.alias, now), run, before.get(team.id))
        for line, team, run in session.execute(statement)
    )


def _row(
    line: models.Standing, team_id: int, team: str, run: models.Run | None, before: models.Standing | None
) -> FinalRow:
    ranked = before if line.kind == "ordinary" else None
    return FinalRow(
        place=line.place,
        team_id=team_id,
        team=team,
        run_id=line.run_id,
        run_name=run.name if run else None,
        kind=line.kind,
        value=line.value,
        values=line.values,
        reason=line.reason,
        public_place=ranked.place if ranked else None,
        public_value=ranked.value if ranked else None,
    )
