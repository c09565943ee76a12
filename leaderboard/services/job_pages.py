"""Reading jobs, as pages and the command line want them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, say
from leaderboard.services.errors import ServiceError
from leaderboard.store.models import Job, Task


class UnknownJob(ServiceError):
    """There is no job of that number."""


@dataclass(frozen=True, slots=True)
class JobPage:
    """What there is to say about a job; `done` of `total` steps (None: not known)."""

    job_id: int
    kind: str
    task: str | None
    arguments: Mapping[str, Any]
    state: str
    done: int
    total: int | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    finished_at: datetime | None
    result: Mapping[str, Any] | None
    error: Message | None


def show(session: Session, job_id: int) -> JobPage:
    """A job. Raises UnknownJob."""
    job = session.get(Job, job_id, populate_existing=True)
    if job is None:
        raise UnknownJob(say("There is no job {job}.", job=job_id))
    task = session.get(Task, job.task_id) if job.task_id is not None else None
    return _page(job, task.name if task else None)


def listing(
    session: Session, task_name: str | None = None, most: int = 50, kinds: Collection[str] = ()
) -> tuple[JobPage, ...]:
    """The latest jobs, of one task or of all, of some `kinds` or (none named) of every, the newest first."""
    statement = select(Job, Task.name).outerjoin(Task, Task.id == Job.task_id)
    if task_name is not None:
        statement = statement.where(Task.name == task_name)
    if kinds:
        statement = statement.where(Job.kind.in_(kinds))
    rows = session.execute(statement.order_by(Job.id.desc()).limit(most))
    return tuple(_page(job, name) for job, name in rows)


def _page(job: Job, task: str | None) -> JobPage:
    return JobPage(
        job.id,
        job.kind,
        task,
        job.arguments,
        job.state,
        job.done,
        job.total,
        job.attempts,
        job.created_at,
        job.started_at,
        job.heartbeat_at,
        job.finished_at,
        job.result,
        job.error,
    )
