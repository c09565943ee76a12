"""Bringing boards up to date as a job, where whoever wrote the scores did not get to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import queue, rescoring
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Transactions
from leaderboard.store.files import Files
from leaderboard.store.models import Job, Task

JOB = "standings"
"""The kind of the job."""


def request_due(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Leaves to the queue the boards that are behind and at whose task no job works; returns the jobs."""
    live = exists().where(Job.task_id == Task.id, Job.state.in_(("waiting", "running")))
    names = session.scalars(select(Task.name).where(Task.standings_due, ~live).order_by(Task.id)).all()
    return tuple(queue.enqueue(session, JOB, name, {}, now, deliver) for name in names)


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`."""

    def bring_up_to_date(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        done = rescoring.finish_pending(transactions, files, spec, scorer, clock, work.progress)
        return {"scored": done.scored, "failed": list(done.failed)}

    return bring_up_to_date
