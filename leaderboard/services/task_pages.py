"""What the list of tasks and a task's page say: phases, numbers of teams and runs, who leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, distinct, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import standstill
from leaderboard.services.phases import PhaseView, seen
from leaderboard.services.team_names import public_name
from leaderboard.store import queries
from leaderboard.store.models import FROZEN, IN_TIME, Board, GoldVersion, Phase, Run, Standing, Task, Team


@dataclass(frozen=True, slots=True)
class Leader:
    """Who has the first place of a board; `track` None means overall. `others` share it."""

    track: str | None
    team: str
    value: float | None
    others: int


@dataclass(frozen=True, slots=True)
class TaskPage:
    """A task as everybody may see it.

    `teams` have at least one scored run, of which there are `runs`; baselines count as neither, and of a
    frozen phase those count that were scored by then. `leaders` are those of the current phase, none while
    it hides its board.
    """

    spec: TaskSpec
    phases: tuple[PhaseView, ...]
    teams: int
    runs: int
    leaders: tuple[Leader, ...]

    @property
    def current(self) -> PhaseView | None:
        """The phase that is open, or was last, or will be first."""
        return next((phase for phase in self.phases if phase.current), None)


def public_names(session: Session) -> tuple[str, ...]:
    """The names of the installed tasks that everybody may see, in the order of installation."""
    return tuple(session.scalars(select(Task.name).where(Task.visibility == "public").order_by(Task.id)))


def overview(session: Session, specs: Sequence[TaskSpec], now: datetime) -> tuple[TaskPage, ...]:
    """The pages of the given tasks, in a fixed number of queries; one that is not installed is left out."""
    by_name = {spec.name: spec for spec in specs}
    rows = session.execute(select(Task.id, Task.name).where(Task.name.in_(by_name)).order_by(Task.id))
    tasks = {task_id: by_name[name] for task_id, name in rows}
    phases = _phases(session, tasks, now)
    numbers = _numbers(session, tasks)
    current = {p.id: view for found in phases.values() for p, view in found if view.current}
    shown = [phase_id for phase_id, view in current.items() if view.shows_board]
    leaders = _leaders(session, shown, now)
    pages = []
    for task_id, spec in tasks.items():
        teams, runs = numbers.get(task_id, (0, 0))
        views = tuple(view for _, view in phases[task_id])
        pages.append(TaskPage(spec, views, teams, runs, _in_order(spec, leaders.get(task_id, {}))))
    return tuple(pages)


def _phases(
    session: Session, tasks: Mapping[int, TaskSpec], now: datetime
) -> dict[int, list[tuple[Phase, PhaseView]]]:
    statement = select(Phase).where(Phase.task_id.in_(tasks))
    found: dict[int, list[Phase]] = {task_id: [] for task_id in tasks}
    for row in session.scalars(statement.order_by(Phase.declared.desc(), Phase.position, Phase.id)):
        found[row.task_id].append(row)
    return {
        task_id: list(zip(rows, seen(tasks[task_id], rows, now), strict=True))
        for task_id, rows in found.items()
    }


def _numbers(session: Session, tasks: Mapping[int, TaskSpec]) -> dict[int, tuple[int, int]]:
    statement = (
        select(Run.task_id, func.count(distinct(Run.team_id)), func.count())
        .join(Phase, Phase.id == Run.phase_id)
        .where(
            Run.task_id.in_(tasks),
            standstill.shown_scored(),
            Run.kind != "baseline",
            *queries.SHOWN,
        )
        .group_by(Run.task_id)
    )
    return {task_id: (teams, runs) for task_id, teams, runs in session.execute(statement)}


def _leaders(
    session: Session, phase_ids: Sequence[int], now: datetime
) -> dict[int, dict[str | None, Leader]]:
    statement = (
        select(Task, Board.id, Board.track, Team.name, Team.alias, Standing.value)
        .join(Board, Board.task_id == Task.id)
        .join(Standing, Standing.board_id == Board.id)
        .join(Team, Team.id == Standing.team_id)
        .join(Phase, Phase.id == Board.phase_id)
        .outerjoin(GoldVersion, GoldVersion.id == Board.gold_version_id)
        .where(
            Board.phase_id.in_(phase_ids),
            Board.stage == case((Phase.frozen_at.is_(None), IN_TIME), else_=FROZEN[IN_TIME]),
            Standing.place == 1,
            or_(Board.track.is_(None), GoldVersion.state == "active", Phase.frozen_at.is_not(None)),
        )
        # Of the copies of a frozen phase, those under the newest gold, which was active then.
        .order_by(GoldVersion.number.desc(), Board.id, Standing.position)
    )
    found: dict[int, dict[str | None, Leader]] = {}
    read: dict[tuple[int, str | None], int] = {}
    for task, board_id, track, name, alias, value in session.execute(statement):
        if read.setdefault((task.id, track), board_id) != board_id:
            continue
        leaders = found.setdefault(task.id, {})
        team = public_name(task, name, alias, now)
        first = leaders.get(track)
        if first is None:
            leaders[track] = Leader(track, team, value, 0)
        else:
            leaders[track] = Leader(track, first.team, first.value, first.others + 1)
    return found


def _in_order(spec: TaskSpec, leaders: Mapping[str | None, Leader]) -> tuple[Leader, ...]:
    order = (None, *(track.name for track in spec.tracks))
    return tuple(leaders[track] for track in order if track in leaders)
