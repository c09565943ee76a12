"""When a board becomes another by time alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services.tasks import known
from leaderboard.store import models, queries


def next_change(session: Session, spec: TaskSpec, now: datetime) -> datetime | None:
    """The first moment after `now` at which a page of the task's boards could be another though nothing was
    written: a phase opens or closes, for everybody or for one team; a final standing or the names of teams
    are revealed. None where no such moment is known. Raises UnknownTask."""
    task = known(session, spec.name)
    return min((moment for moment in _moments(session, task, now) if moment > now), default=None)


def _moments(session: Session, task: models.Task, now: datetime) -> Iterator[datetime]:
    phases = queries.phases_of(session, task.id)
    allowed = session.scalar(
        select(func.min(models.Allowance.closes_at)).where(
            models.Allowance.phase_id.in_([phase.id for phase in phases]), models.Allowance.closes_at > now
        )
    )
    moments = [task.names_revealed_at, allowed]
    for phase in phases:
        moments += [phase.opens_at, phase.closes_at, phase.revealed_at]
    yield from (moment for moment in moments if moment is not None)
