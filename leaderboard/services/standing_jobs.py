"""Bringing boards up to date as a job, where whoever wrote the scores did not get to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, and_, exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import queue, queue_order, rescoring, standings
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Transactions
from leaderboard.store.files import Files
from leaderboard.store.models import GoldVersion, Job, Task

JOB = queue_order.STANDINGS
"""The kind of the job."""

DOING = (JOB, rescoring.JOB)
"""Kinds of jobs that bring boards up to date with their end."""

OFTEN = timedelta(seconds=10)
"""While runs are being scored one after the other, boards are brought up to date no more often than this, and
for so long runs alone are scored between: boards of many teams take longer themselves."""

FAILED = timedelta(minutes=10)
"""Where it failed it is tried again after so long."""


def request_due(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Leaves to the queue the boards that are behind and that no job is about to bring up to date; returns
    the jobs. (Where runs are scored in a row, boards are behind until the last of them.)"""
    names = session.scalars(_due(now)).all()
    return tuple(queue.enqueue(session, JOB, name, {}, now, deliver) for name in names)


def needs(session: Session, now: datetime) -> bool:
    """Whether `request_due` would find anything."""
    return session.execute(_due(now).limit(1)).first() is not None


def _due(now: datetime) -> Select[str]:
    ended = Job.state.in_(("done", "failed"))
    busy = exists().where(Job.task_id == Task.id, ~ended, Job.kind.in_(DOING))
    lately = exists().where(
        Job.task_id == Task.id,
        Job.kind == JOB,
        or_(
            Job.created_at > now - OFTEN,
            Job.finished_at > now - OFTEN,
            and_(Job.state == "failed", Job.created_at > now - FAILED),
        ),
    )
    scorable = exists().where(GoldVersion.task_id == Task.id, GoldVersion.state == "active")
    return select(Task.name).where(Task.standings_due, scorable, ~busy, ~lately).order_by(Task.id)


def job(
    transactions: Transactions,
    _files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`."""

    def bring_up_to_date(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        with transactions.writing() as session:
            if standings.due(session, spec):
                standings.refresh(session, spec, scorer.VERSION, clock())
        return {}

    return bring_up_to_date
