"""Background work: what is to be done, who is doing it, and what became of it.

The job's row is the truth. A queue (see `leaderboard.jobs`) only wakes consumers up, and may lose messages or
deliver them twice: a job is done only by who gets its lease, and `sweep` finds what was lost.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, event, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services import leases, queue_order
from leaderboard.services.errors import ServiceError
from leaderboard.services.leases import ATTEMPTS, LEASE, LeaseLost, Taken, take
from leaderboard.services.outages import is_outage
from leaderboard.services.tasks import known
from leaderboard.services.work import HEART, Asked, Clock, NotNow, TryLater, Work, never
from leaderboard.store.models import Job
from leaderboard.store.session import Transaction
from leaderboard.telemetry import context, meters

__all__ = ["ATTEMPTS", "LEASE", "Clock", "LeaseLost", "NotNow", "Taken", "TryLater", "Work", "take"]

REDELIVER = timedelta(seconds=60)
"""A job that waits for so long since the queue was told of it is told again."""

WAITS = (0.5, 1.0, 2.0, 4.0)
"""How a job ended is written down even where the database is away for so many seconds; less than a lease."""

AT_ONCE = 100
"""So many jobs are delivered again by one sweep: a message only wakes a consumer, which looks for itself."""

Deliver = Callable[[int], None]

_log = logging.getLogger(__name__)


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
    run_id: int | None = None,
) -> int:
    """Writes down a job and returns its number; `deliver` is given the number once the caller commits.
    `run_id` is the one run that it scores."""
    task_id = known(session, task_name).id if task_name is not None else None
    job = Job(
        kind=kind,
        task_id=task_id,
        run_id=run_id,
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
    transaction: Transaction,
    registry: Mapping[str, JobFunction],
    job_id: int,
    clock: Clock,
    asked_to_stop: Asked = never,
) -> str | None:
    """Does a job, if it is there to be done now; returns the state it left it in, None where it was not.

    Never raises for what the job's function does.
    """
    with transaction() as session:
        taken = take(session, job_id, clock())
    return None if taken is None else _do(registry, Work(taken, transaction, clock, asked_to_stop))


def run_next(
    transactions: tuple[Transaction, Transaction],
    registry: Mapping[str, JobFunction],
    clock: Clock,
    asked_to_stop: Asked = never,
) -> str | None:
    """Does the job whose turn it is; returns the state it left it in, None where none could begin. The two
    transactions are a reading and a writing one."""
    reading, writing = transactions
    with reading() as session:
        # Most often there is nothing, and a writer would keep others from writing.
        if session.scalar(select(Job.id).where(queue_order.could_begin(clock())).limit(1)) is None:
            return None
    with writing() as session:
        job_id = queue_order.next_job(session, clock())
        taken = None if job_id is None else take(session, job_id, clock())
    if taken is None:
        return None if job_id is None else "failed"
    return _do(registry, Work(taken, writing, clock, asked_to_stop, goes_on=True)) or "lost"


def _do(registry: Mapping[str, JobFunction], work: Work) -> str | None:
    taken, began = work.taken, work.now()
    known: dict[str, str | int] = {"job": taken.job_id, "kind": taken.kind, "attempt": taken.attempt}
    if taken.task:
        known["task"] = taken.task
    if isinstance(run := taken.arguments.get("run"), int):
        known["run"] = run
    with context.bound(known):
        state = _ended(registry, work)
        outcome = "given-back" if work.given_back else {None: "lost", "waiting": "retried"}.get(state, state)
        seconds = (work.now() - began).total_seconds()
        meters.JOBS.add(taken.task or "", taken.kind, str(outcome))
        meters.JOB_SECONDS.took(seconds, taken.kind)
        _log.info("job %s", outcome, extra={"outcome": outcome, "seconds": round(seconds, 3)})
    return state


def _ended(registry: Mapping[str, JobFunction], work: Work) -> str | None:
    try:
        with _living(work):
            end = _outcome(registry, work)
        if end is None:
            return "done"
        return _write_down(work, end)
    except LeaseLost:
        _log.warning("job %s was taken by another consumer", work.taken.job_id)
        return None


def _write_down(work: Work, end: Callable[[Session], str]) -> str:
    """Once done, it is not to be done again only because the database has just restarted. Where the answer to
    a commit was lost, LeaseLost says that it is written down."""
    for seconds in WAITS:
        try:
            with work.transaction() as session:
                return end(session)
        except Exception as error:
            if not is_outage(error):
                raise
            _log.warning("the end of job %s could not be written down yet: %s", work.taken.job_id, error)
        threading.Event().wait(seconds)
    with work.transaction() as session:
        return end(session)


@contextmanager
def _living(work: Work) -> Iterator[None]:
    """Gives signs of life for a job until the end of the block."""
    ended = threading.Event()

    def live() -> None:
        while not ended.wait(HEART.total_seconds()):
            try:
                if not work.live():
                    return
            except LeaseLost:
                return
            except Exception:
                # The database may be back for the next one; else the lease runs out, as it should.
                _log.exception("no sign of life could be given for job %s", work.taken.job_id)

    heart = threading.Thread(
        target=context.carried(live), name=f"heart of job {work.taken.job_id}", daemon=True
    )
    heart.start()
    try:
        yield
    finally:
        ended.set()
        heart.join()


def _outcome(registry: Mapping[str, JobFunction], work: Work) -> Callable[[Session], str] | None:
    """Does the job, and returns how it is to be written down; None where its function has done so."""
    taken, clock = work.taken, work.now
    function = registry.get(taken.kind)
    if function is None:
        unknown = say("Nothing here knows how to do a job of the kind {kind}.", kind=taken.kind)
        return lambda session: leases.give_up(session, taken, unknown, clock())
    try:
        result = function(work)
    except LeaseLost:
        raise
    except NotNow:
        work.given_back = True
        return lambda session: leases.give_back(session, taken)
    except ServiceError as refused:
        message = refused.message
        return lambda session: leases.give_up(session, taken, message, clock())
    except TryLater as failed:
        why = failed.message
        return lambda session: leases.fail(session, taken, why, clock())
    except Exception as error:
        _log.exception("job %s broke off", taken.job_id)
        what = say("It broke off: {error}", error=f"{type(error).__name__}: {error}")
        # What fails for want of a server is no fault of the run or of the job.
        ends = leases.put_off if is_outage(error) else leases.fail
        return lambda session: ends(session, taken, what, clock())
    except BaseException:
        # The consumer itself is being stopped: the job goes back, and the attempt does not count.
        with work.transaction() as session:
            leases.give_back(session, taken)
        raise
    return None if work.finished else lambda session: leases.finish(session, taken, result, clock())


def sweep(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Finds the jobs that nobody works at though somebody should, frees those of dead consumers, and
    returns their numbers; `deliver` is given each once the caller commits."""
    statement = select(Job).where(_lost(now)).order_by(Job.id).with_for_update(skip_locked=True)
    found = []
    for job in session.scalars(statement.limit(AT_ONCE).execution_options(populate_existing=True)):
        if job.state == "running" and job.attempts >= ATTEMPTS:
            leases.exhaust(job, now)
            continue
        job.state, job.lease_until, job.delivered_at = "waiting", None, now
        found.append(job.id)
        if deliver is not None:
            _after_commit(session, deliver, job.id)
    session.flush()
    return tuple(found)


def needs_sweep(session: Session, now: datetime) -> bool:
    """Whether `sweep` would find anything."""
    return session.scalar(select(Job.id).where(_lost(now)).limit(1)) is not None


def _lost(now: datetime) -> Any:
    lost = and_(Job.state == "running", Job.lease_until < now)
    due = and_(
        queue_order.could_begin(now),
        or_(
            Job.delivered_at.is_(None), Job.delivered_at < now - REDELIVER, Job.not_before > Job.delivered_at
        ),
    )
    return or_(lost, due)


def _after_commit(session: Session, deliver: Deliver, job_id: int) -> None:
    def told(_session: Session) -> None:
        try:
            deliver(job_id)
        except Exception:
            # The job is written down; the next sweep delivers it.
            _log.exception("job %s could not be delivered", job_id)

    event.listen(session, "after_commit", told, once=True)
