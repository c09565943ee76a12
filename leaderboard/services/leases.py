"""The row of a job in the hands of one consumer: taking it, living signs, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, say
from leaderboard.store.models import Job, Task

LEASE = timedelta(seconds=20)
"""A job whose consumer gives no sign of life for so long is taken from it."""

OUTAGE = timedelta(seconds=10)
"""What a database or a storage prevented that did not answer is tried again after so long, and again."""

ATTEMPTS = 3
BACK_OFF = timedelta(seconds=10)
"""The wait before the second attempt; each further one waits six times as long."""


class LeaseLost(Exception):
    """Another consumer has the job now, or it is finished; whoever gets this stops without a word."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A job in the hands of one consumer. `attempt` tells it from those before and after."""

    job_id: int
    attempt: int
    kind: str
    task: str | None
    arguments: Mapping[str, Any]
    created_at: datetime

    @property
    def is_last(self) -> bool:
        """Whether there will be no further attempt."""
        return self.attempt >= ATTEMPTS


def take(session: Session, job_id: int, now: datetime) -> Taken | None:
    """The job, ours until `LEASE` from the last sign of life; None where it is not to be done now."""
    job = _locked(session, job_id)
    if job is None or not _free(job, now):
        return None
    if job.attempts >= ATTEMPTS:
        exhaust(job, now)
        session.flush()
        return None
    job.state = "running"
    job.attempts += 1
    job.started_at = job.heartbeat_at = now
    job.lease_until = now + LEASE
    session.flush()
    task = session.get(Task, job.task_id) if job.task_id is not None else None
    return Taken(job.id, job.attempts, job.kind, task.name if task else None, job.arguments, job.created_at)


def beat(session: Session, taken: Taken, now: datetime, done: int | None = None, total: int = 0) -> None:
    """A sign of life, with progress where that is known. Raises LeaseLost."""
    job = held(session, taken)
    if done is not None:
        job.done, job.total = done, total
    job.heartbeat_at, job.lease_until = now, now + LEASE


def finish(session: Session, taken: Taken, result: Mapping[str, Any], now: datetime) -> str:
    """The job is done. Raises LeaseLost."""
    job = held(session, taken)
    job.state, job.result, job.error = "done", dict(result), None
    job.finished_at, job.lease_until = now, None
    return job.state


def fail(session: Session, taken: Taken, error: Message, now: datetime) -> str:
    """The attempt failed; the job waits for the next one, or has failed with the last. Raises LeaseLost."""
    job = held(session, taken)
    if job.attempts >= ATTEMPTS:
        return give_up(session, taken, error, now)
    job.state, job.error, job.lease_until = "waiting", error, None
    job.not_before = now + BACK_OFF * 6 ** (job.attempts - 1)
    return job.state


def give_up(session: Session, taken: Taken, error: Message, now: datetime) -> str:
    """The job has failed for good. Raises LeaseLost."""
    job = held(session, taken)
    job.state, job.error, job.finished_at, job.lease_until = "failed", error, now, None
    return job.state


def give_back(session: Session, taken: Taken) -> str:
    """The job waits again as if it had not been taken. Raises LeaseLost."""
    job = held(session, taken)
    job.state, job.lease_until, job.delivered_at = "waiting", None, None
    job.attempts -= 1
    return job.state


def put_off(session: Session, taken: Taken, why: Message, now: datetime) -> str:
    """The job waits for what it needs to answer again; the attempt does not count. Raises LeaseLost."""
    job = held(session, taken)
    job.state, job.error, job.lease_until = "waiting", why, None
    job.not_before = now + OUTAGE
    job.attempts -= 1
    return job.state


def exhaust(job: Job, now: datetime) -> None:
    """A job has failed whose consumers all died."""
    job.state, job.finished_at, job.lease_until = "failed", now, None
    job.error = say(
        "The process that worked at it ended {attempts} times without a word.", attempts=job.attempts
    )


def held(session: Session, taken: Taken) -> Job:
    """The row, locked until the end of the transaction. Raises LeaseLost where it is not ours any more."""
    job = _locked(session, taken.job_id)
    if job is None or job.state != "running" or job.attempts != taken.attempt:
        raise LeaseLost
    return job


def _locked(session: Session, job_id: int) -> Job | None:
    statement = select(Job).where(Job.id == job_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one_or_none()


def _free(job: Job, now: datetime) -> bool:
    if job.state == "running":
        return job.lease_until is not None and job.lease_until < now
    if job.state != "waiting":
        return False
    # Before the first attempt it is kept for who asks for it by its number; after one, nobody may yet.
    return job.attempts == 0 or job.not_before is None or job.not_before <= now
