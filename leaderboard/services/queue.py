"""Background work: what is to be done, who is doing it, and what became of it.

The job's row is the truth. A queue (see `leaderboard.jobs`) only carries job numbers, and may lose them or
deliver them twice: `run` does a job only for who gets its lease, and `sweep` finds what was lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, event, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, say
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known
from leaderboard.store.models import Job, Task
from leaderboard.store.session import Transaction

LEASE = timedelta(seconds=60)
"""A job whose work reports nothing for so long is taken to be dead."""

BEAT = timedelta(seconds=2)
"""Progress is written no more often than this."""

ATTEMPTS = 3
BACK_OFF = timedelta(seconds=10)
"""The wait before the second attempt; each further one waits six times as long."""

REDELIVER = timedelta(seconds=60)
"""A job that waits for so long since the queue was told of it is told again."""

Clock = Callable[[], datetime]
Deliver = Callable[[int], None]

_log = logging.getLogger(__name__)


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


class Work:
    """What a job's function gets: its task and arguments, and a way to say how far it is.

    The function must call `progress` more often than `LEASE`, and `confirm` in the transaction that writes
    its result, so that a consumer which was thought dead cannot write after its successor.
    """

    def __init__(self, taken: Taken, transaction: Transaction, clock: Clock) -> None:
        self.taken = taken
        self.task = taken.task or ""
        self.arguments = taken.arguments
        self.transaction = transaction
        self._clock = clock
        self._written: datetime | None = None

    def progress(self, done: int, total: int) -> None:
        """Reports that `done` of `total` steps are behind us. Raises LeaseLost."""
        now = self._clock()
        if self._written is not None and now - self._written < BEAT and done < total:
            return
        with self.transaction() as session:
            beat(session, self.taken, done, total, now)
        self._written = now

    def confirm(self, session: Session) -> None:
        """Makes sure that the job is still ours until the end of the transaction. Raises LeaseLost."""
        _held(session, self.taken)


JobFunction = Callable[[Work], Mapping[str, Any]]
"""Does a job and returns its result, plain enough for JSON. It may be run again after a crash at any point,
and must then finish what is missing. A ServiceError means that trying again would not help."""


def enqueue(
    session: Session,
    kind: str,
    task_name: str | None,
    arguments: Mapping[str, Any],
    now: datetime,
    deliver: Deliver | None = None,
) -> int:
    """Writes down a job and returns its number; `deliver` is given the number once the caller commits."""
    task_id = known(session, task_name).id if task_name is not None else None
    job = Job(
        kind=kind,
        task_id=task_id,
        arguments=dict(arguments),
        state="waiting",
        created_at=now,
        delivered_at=now if deliver else None,
    )
    session.add(job)
    session.flush()
    if deliver is not None:
        _after_commit(session, deliver, job.id)
    return job.id


def run(
    transaction: Transaction, registry: Mapping[str, JobFunction], job_id: int, clock: Clock
) -> str | None:
    """Does a job, if it is there to be done now; returns the state it left it in, None where it was not.

    Never raises for what the job's function does.
    """
    with transaction() as session:
        taken = take(session, job_id, clock())
    if taken is None:
        return None
    try:
        end = _outcome(registry, Work(taken, transaction, clock))
        with transaction() as session:
            return end(session, clock())
    except LeaseLost:
        _log.warning("job %s was taken by another consumer", job_id)
        return None


def _outcome(registry: Mapping[str, JobFunction], work: Work) -> Callable[[Session, datetime], str]:
    """Does the job, and returns how it is to be written down."""
    taken = work.taken
    function = registry.get(taken.kind)
    if function is None:
        unknown = say("Nothing here knows how to do a job of the kind {kind}.", kind=taken.kind)
        return lambda session, now: give_up(session, taken, unknown, now)
    try:
        result = function(work)
    except LeaseLost:
        raise
    except ServiceError as refused:
        message = refused.message
        return lambda session, now: give_up(session, taken, message, now)
    except Exception as error:
        _log.exception("job %s broke off", taken.job_id)
        why = say("It broke off: {error}", error=f"{type(error).__name__}: {error}")
        return lambda session, now: fail(session, taken, why, now)
    except BaseException:
        # The consumer itself is being stopped: the job goes back, and the attempt does not count.
        with work.transaction() as session:
            give_back(session, taken)
        raise
    return lambda session, now: finish(session, taken, result, now)


def take(session: Session, job_id: int, now: datetime) -> Taken | None:
    """The job, ours until `LEASE` from the last sign of life; None where it is not to be done now."""
    job = _locked(session, job_id)
    if job is None or not _free(job, now):
        return None
    if job.attempts >= ATTEMPTS:
        _exhaust(job, now)
        session.flush()
        return None
    job.state = "running"
    job.attempts += 1
    job.started_at = job.heartbeat_at = now
    job.lease_until = now + LEASE
    session.flush()
    task = session.get(Task, job.task_id) if job.task_id is not None else None
    return Taken(job.id, job.attempts, job.kind, task.name if task else None, job.arguments, job.created_at)


def beat(session: Session, taken: Taken, done: int, total: int, now: datetime) -> None:
    """A sign of life, with progress. Raises LeaseLost."""
    job = _held(session, taken)
    job.done, job.total = done, total
    job.heartbeat_at, job.lease_until = now, now + LEASE


def finish(session: Session, taken: Taken, result: Mapping[str, Any], now: datetime) -> str:
    """The job is done. Raises LeaseLost."""
    job = _held(session, taken)
    job.state, job.result, job.error = "done", dict(result), None
    job.finished_at, job.lease_until = now, None
    return job.state


def fail(session: Session, taken: Taken, error: Message, now: datetime) -> str:
    """The attempt failed; the job waits for the next one, or has failed with the last. Raises LeaseLost."""
    job = _held(session, taken)
    if job.attempts >= ATTEMPTS:
        return give_up(session, taken, error, now)
    job.state, job.error, job.lease_until = "waiting", error, None
    job.not_before = now + BACK_OFF * 6 ** (job.attempts - 1)
    return job.state


def give_up(session: Session, taken: Taken, error: Message, now: datetime) -> str:
    """The job has failed for good. Raises LeaseLost."""
    job = _held(session, taken)
    job.state, job.error, job.finished_at, job.lease_until = "failed", error, now, None
    return job.state


def give_back(session: Session, taken: Taken) -> None:
    """The job waits again as if it had not been taken. Raises LeaseLost."""
    job = _held(session, taken)
    job.state, job.lease_until, job.delivered_at = "waiting", None, None
    job.attempts -= 1


def sweep(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Finds the jobs that nobody works at though somebody should, frees those of dead consumers, and
    returns their numbers; `deliver` is given each once the caller commits."""
    lost = and_(Job.state == "running", Job.lease_until < now)
    due = and_(
        Job.state == "waiting",
        or_(Job.not_before.is_(None), Job.not_before <= now),
        or_(
            Job.delivered_at.is_(None), Job.delivered_at < now - REDELIVER, Job.not_before > Job.delivered_at
        ),
    )
    statement = select(Job).where(or_(lost, due)).order_by(Job.id).with_for_update(skip_locked=True)
    found = []
    for job in session.scalars(statement.execution_options(populate_existing=True)):
        if job.state == "running" and job.attempts >= ATTEMPTS:
            _exhaust(job, now)
            continue
        job.state, job.lease_until, job.delivered_at = "waiting", None, now
        found.append(job.id)
        if deliver is not None:
            _after_commit(session, deliver, job.id)
    session.flush()
    return tuple(found)


def _locked(session: Session, job_id: int) -> Job | None:
    statement = select(Job).where(Job.id == job_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one_or_none()


def _held(session: Session, taken: Taken) -> Job:
    job = _locked(session, taken.job_id)
    if job is None or job.state != "running" or job.attempts != taken.attempt:
        raise LeaseLost
    return job


def _free(job: Job, now: datetime) -> bool:
    if job.state == "running":
        return job.lease_until is not None and job.lease_until < now
    return job.state == "waiting" and (job.not_before is None or job.not_before <= now)


def _exhaust(job: Job, now: datetime) -> None:
    job.state, job.finished_at, job.lease_until = "failed", now, None
    job.error = say(
        "The process that worked at it ended {attempts} times without a word.", attempts=job.attempts
    )


def _after_commit(session: Session, deliver: Deliver, job_id: int) -> None:
    def told(_session: Session) -> None:
        try:
            deliver(job_id)
        except Exception:
            # The job is written down; the next sweep delivers it.
            _log.exception("job %s could not be delivered", job_id)

    event.listen(session, "after_commit", told, once=True)
