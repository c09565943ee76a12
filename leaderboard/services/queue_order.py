"""Which job is next: tasks take turns, so that a busy one holds up no other.

The next job is of the task at which the fewest consumers work; of such tasks, the one whose last job began
the longest ago. Within a task, its rankings are brought up to date first, which is asked for every few
seconds at most, and runs of participants come before the organisers' long work, the oldest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, and_, case, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.store.models import Job

SCORE = "score"
"""The kind of the job that scores one run."""

STANDINGS = "standings"
"""The kind of the job that brings rankings up to date."""

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def could_begin(now: datetime) -> ColumnElement[bool]:
    """The jobs that wait and need not wait any longer."""
    return and_(Job.state == "waiting", or_(Job.not_before.is_(None), Job.not_before <= now))


def next_job(session: Session, now: datetime) -> int | None:
    """The number of the job to be done next, locked for the transaction; None where there is none."""
    for task_id in _in_turn(session, now):
        statement = (
            select(Job.id)
            .where(could_begin(now), _of(task_id))
            .order_by(case((Job.kind == STANDINGS, 0), (Job.kind == SCORE, 1), else_=2), Job.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        found = session.scalar(statement)
        if found is not None:
            return found
    return None


def others_wait(session: Session, task_id: int | None, now: datetime) -> bool:
    """Whether long work of a task should make way: a job of another task could begin, or a run or a
    ranking of its own."""
    others = or_(~_of(task_id), Job.kind.in_((SCORE, STANDINGS)))
    return session.scalar(select(Job.id).where(could_begin(now), others).limit(1)) is not None


def _in_turn(session: Session, now: datetime) -> Sequence[int | None]:
    waiting = session.scalars(select(Job.task_id).where(could_begin(now)).distinct()).all()
    if len(waiting) < 2:
        return waiting
    counts = select(Job.task_id, func.count()).where(Job.state == "running").group_by(Job.task_id)
    running = {task_id: count for task_id, count in session.execute(counts)}  # noqa: C416 - a result has keys(), so dict() would take it for a mapping
    served = {task_id: _last_began(session, task_id) for task_id in waiting}
    return sorted(waiting, key=lambda task_id: (running.get(task_id, 0), served[task_id], task_id or 0))


def _last_began(session: Session, task_id: int | None) -> datetime:
    statement = (
        select(Job.started_at)
        .where(_of(task_id), Job.started_at.is_not(None))
        .order_by(Job.started_at.desc())
        .limit(1)
    )
    return session.scalar(statement) or _NEVER


def _of(task_id: int | None) -> ColumnElement[bool]:
    # With IS DISTINCT FROM no index would be used.
    return (
        Job.task_id.is_(None) if task_id is None else and_(Job.task_id.is_not(None), Job.task_id == task_id)
    )
