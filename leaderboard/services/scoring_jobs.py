"""Scoring one run as a job: done while its sender waits, or by a consumer of the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import consumers, gold, queue, queue_order, rescoring, standings
from leaderboard.services.queue import Clock, Deliver, JobFunction, TryLater, Work
from leaderboard.services.rescoring import Transactions
from leaderboard.services.scoring_order import Prepared
from leaderboard.services.tasks import known, locked
from leaderboard.store.files import Files
from leaderboard.store.models import GoldVersion, Job, Run, Task

JOB = queue_order.SCORE
"""The kind of the job that scores one run."""

KEPT = timedelta(seconds=10)
"""A job that the process of its sender means to do at once is kept for it so long."""

AT_ONCE = 200
"""So many runs that were left are looked after by one sweep."""


def request(session: Session, task: str, run_id: int, now: datetime, deliver: Deliver | None = None) -> int:
    """Leaves a run that waits for its scores to the queue, and returns the job's number."""
    return queue.enqueue(session, JOB, task, {"run": run_id}, now, deliver, run_id)


def request_again(
    session: Session, task: str, run_id: int, now: datetime, deliver: Deliver | None = None
) -> int:
    """Has the queue score a run which may have its scores already; returns the job's number."""
    return queue.enqueue(session, JOB, task, {"run": run_id, "again": True}, now, deliver, run_id)


def reserve(session: Session, task: str, run_id: int, now: datetime) -> int:
    """`request` for who does the job at once, by its number; where that fails, the queue does."""
    job_id = request(session, task, run_id, now)
    session.get_one(Job, job_id).not_before = now + KEPT
    session.flush()
    return job_id


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. Done again, it finds the run scored and does nothing,
    unless it was asked to score `again`.

    Without gold the run goes on waiting; installing some scores it. Scoring that breaks its limits is tried
    again; with the last attempt the run has failed.
    """

    def score_run(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        run_id = int(work.arguments["run"])
        with transactions.reading() as session:
            waits = bool(work.arguments.get("again")) or _is_pending(session, run_id)
            can_score = gold.scores_now(session, spec)
        if not can_score:
            return {"state": "received"}
        if not waits:
            return {"state": "done before"}

        def broke(prepared: Prepared) -> None:
            if not work.taken.is_last and prepared.failure is not None:
                raise TryLater(prepared.failure)

        def recorded(session: Session, state: str) -> None:
            # Of many runs in a row the last one brings the boards up to date, and `sweep` what takes longer.
            if not others_in_hand(session, spec, run_id, clock(), work.goes_on):
                standings.refresh(session, spec, scorer.VERSION, clock())
            work.finish(session, {"state": state})

        state = rescoring.score_one(
            transactions, files, spec, scorer, run_id, clock, broke=broke, recorded=recorded
        )
        return {"state": state}

    return score_run


def _is_pending(session: Session, run_id: int) -> bool:
    return session.scalar(select(Run.id).where(Run.id == run_id, Run.state == "received")) is not None


def others_in_hand(session: Session, spec: TaskSpec, run_id: int, now: datetime, goes_on: bool) -> bool:
    """Whether other runs of the task are about to be scored, in the transaction that has locked the task: of
    two that end at once, one sees that it is the last. What waits is, where who asks `goes_on` with it or a
    consumer lives; else only what its sender means to do at once."""
    task = known(session, spec.name)
    soon = and_(Job.state == "waiting", or_(Job.attempts == 0, queue_order.could_begin(now)))
    if not goes_on and not consumers.present(session, now):
        soon = and_(Job.state == "waiting", Job.attempts == 0, Job.not_before > now)
    at_work = and_(Job.state == "running", Job.lease_until >= now, Run.state == "received")
    statement = (
        select(Job.id)
        .join(Run, Run.id == Job.run_id)
        .where(Job.task_id == task.id, Job.kind == JOB, Job.run_id != run_id, or_(soon, at_work))
        .limit(1)
    )
    return session.scalar(statement) is not None


def sweep(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Looks after runs that wait for scores and at which no job aims: what a process left that ended, or a
    job that failed.

    A run whose last job failed has failed, with its reason; for any other a job is made. Returns the numbers
    of the new jobs.
    """
    made = []
    for run, task in session.execute(_left(now)):
        job = session.scalars(
            select(Job).where(Job.run_id == run.id).order_by(Job.id.desc()).limit(1)
        ).first()
        # A job is held against a run once: after that, somebody has asked for it to be scored again.
        if job is not None and job.state == "failed" and job.result is None:
            _failed(session, task, run, job)
            continue
        made.append(request(session, task, run.id, now, deliver))
    session.flush()
    return tuple(made)


def needs_sweep(session: Session, now: datetime) -> bool:
    """Whether `sweep` would find anything."""
    return session.execute(_left(now).limit(1)).first() is not None


def _left(now: datetime) -> Any:
    aimed_at = exists().where(Job.run_id == Run.id, Job.state.in_(("waiting", "running")))
    lacking = exists().where(
        GoldVersion.task_id == Run.task_id, GoldVersion.state == "active", GoldVersion.has_file.is_(False)
    )
    scorable = exists().where(GoldVersion.task_id == Run.task_id, GoldVersion.state == "active")
    return (
        select(Run, Task.name)
        .join(Task, Task.id == Run.task_id)
        .where(
            Run.state == "received",
            or_(Run.lease_until.is_(None), Run.lease_until < now),
            and_(~aimed_at, scorable, ~lacking),
        )
        .order_by(Run.id)
        .limit(AT_ONCE)
    )


def _failed(session: Session, task: str, run: Run, job: Job) -> None:
    locked(session, task)
    session.refresh(run)
    if run.state != "received":
        return
    run.state, run.lease_until = "failed", None
    run.failure = say(
        "It could not be scored, tried {attempts} times. The fault is ours.", attempts=job.attempts
    )
    job.result = {"state": "failed"}
    run.failure_detail = str(job.error) if job.error is not None else None
