"""A phase whose ranking stands still for everybody but its organisers.

On freezing the boards of the phase are copied to stages of their own, in one transaction. While it lasts,
whatever is shown to others is read from the copies, or was scored by then (`standstill`), and news of places
are kept back. On unfreezing the copies go, and what has changed meanwhile is told at once.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, literal, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text, say
from leaderboard.services import audit, news, public_values, standings, task_specs
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.news import SettingChange
from leaderboard.services.tasks import locked
from leaderboard.store import queries
from leaderboard.store.models import FROZEN, Board, BoardAnalysis, Phase, Standing, Task


class NotPossible(ServiceError):
    """There is no such phase, or it is frozen, or not frozen, already."""


def freeze(
    session: Session, spec: TaskSpec, scorer_version: str, phase: str, actor: Actor, now: datetime
) -> None:
    """Lets the ranking of a phase stand still as it is now. Raises NotPossible, UnknownTask."""
    task, row = _phase(session, spec, phase)
    if row.frozen_at is not None:
        raise NotPossible(say("The ranking of this phase is frozen already."))
    standings.refresh(session, task_specs.as_set(session, spec), scorer_version, now, [row.id])
    row.frozen_at = now
    boards = session.scalars(select(Board).where(Board.phase_id == row.id, Board.stage.in_(FROZEN)))
    for board in boards.all():
        _copy(session, board)
    _tell(session, task, row, actor, "phase.frozen", (None, now), now)


def unfreeze(
    session: Session, spec: TaskSpec, scorer_version: str, phase: str, actor: Actor, now: datetime
) -> None:
    """Shows the ranking of a phase as it is, and tells what has changed. Raises NotPossible, UnknownTask."""
    task, row = _phase(session, spec, phase)
    if row.frozen_at is None:
        raise NotPossible(say("The ranking of this phase is not frozen."))
    since, row.frozen_at = row.frozen_at, None
    copies = select(Board.id).where(Board.phase_id == row.id, Board.stage.in_(FROZEN.values()))
    session.execute(delete(Standing).where(Standing.board_id.in_(copies)))
    session.execute(
        delete(Board)
        .where(Board.phase_id == row.id, Board.stage.in_(FROZEN.values()))
        .execution_options(synchronize_session="fetch")
    )
    session.flush()
    _tell(session, task, row, actor, "phase.unfrozen", (since, None), now)
    effective = task_specs.as_set(session, spec)
    adopted = public_values.adopt(session, effective)
    if adopted:
        public_values.ask_for_units(session, spec, now)
    standings.refresh(session, effective, scorer_version, now, None if adopted else [row.id])
    standings.tell_kept_back(session, effective, scorer_version, row.id, now)


def _phase(session: Session, spec: TaskSpec, name: str) -> tuple[Task, Phase]:
    task = locked(session, spec.name)
    row = queries.phase_named(session, task.id, name)
    if row is None:
        raise NotPossible(say("The task {task} has no phase {phase}.", task=spec.name, phase=name))
    return task, row


def _copy(session: Session, board: Board) -> None:
    """The board, its lines and how sure they are once more, at the stage of the copies."""
    kept = ("id", "stage")
    values = {
        column.key: getattr(board, column.key)
        for column in Board.__mapper__.columns
        if column.key not in kept
    }
    copy = Board(stage=FROZEN[board.stage], **values)
    session.add(copy)
    session.flush()
    _copy_rows(session, Standing, board.id, copy.id)
    _copy_rows(session, BoardAnalysis, board.id, copy.id)


def _copy_rows(session: Session, model: type[Standing | BoardAnalysis], board_id: int, copy_id: int) -> None:
    columns = [column for column in model.__table__.columns if column.key not in ("id", "board_id")]
    rows = select(literal(copy_id), *columns).where(model.board_id == board_id)
    session.execute(insert(model).from_select(["board_id", *(column.key for column in columns)], rows))


def _tell(
    session: Session,
    task: Task,
    row: Phase,
    actor: Actor,
    action: str,
    frozen: tuple[datetime | None, datetime | None],
    now: datetime,
) -> None:
    session.flush()
    logged = Change(action, "phase", row.id, row.name, {"frozen_at": frozen[0]}, {"frozen_at": frozen[1]})
    audit.record(session, actor, task.id, logged, now)
    news.settings_changed(session, task, [SettingChange("frozen", Text(row.title), *frozen)], now)
