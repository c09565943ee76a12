"""What waits, for those who wait and for those who organise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.services import consumers
from leaderboard.services.consumers import Present
from leaderboard.services.leases import ATTEMPTS
from leaderboard.services.queue_order import SCORE, could_begin
from leaderboard.services.tasks import known
from leaderboard.services.work import SLICE
from leaderboard.store.models import Job, Run, Team

LOOKED_AT = 20
"""How long a job takes is judged by so many of the last ones."""

LISTED = 100
"""So many jobs and failed runs stand on a page."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run stands that waits for its scores.

    It is `running`, or at most the `number`-th to begin. `seconds` is how long that may take, judged by the
    last jobs and by what is being done; None where there was none yet or nobody works (`consumers` is 0).
    `again_at` is when a further attempt begins after one that failed, or that an outage prevented; `attempt`
    which one of how `many` it is.
    """

    number: int
    running: bool
    seconds: int | None
    consumers: int
    attempt: int
    many: int
    again_at: datetime | None


@dataclass(frozen=True, slots=True)
class Line:
    """A job of the task, with the run that it scores, if it is about one."""

    job_id: int
    kind: str
    state: str
    run_id: int | None
    run: str | None
    team: str | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    not_before: datetime | None
    done: int
    total: int | None
    error: Message | None


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that could not be scored, and why."""

    run_id: int
    run: str
    team: str
    failure: Message | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class Queue:
    """All that waits or runs for a task, of `waiting` and `running` jobs; how many of other tasks do; what
    failed lately; and who works. `seconds` is how long one run takes, by the last ones."""

    lines: tuple[Line, ...]
    waiting: int
    running: int
    of_others: int
    failed_runs: tuple[FailedRun, ...]
    failed_jobs: tuple[Line, ...]
    consumers: tuple[Present, ...]
    seconds: float | None


def place_of(session: Session, run_id: int, now: datetime) -> Place | None:
    """Where a run stands in the queue; None where no job aims at it."""
    statement = select(Job).where(Job.run_id == run_id, Job.state.in_(("waiting", "running")))
    job = session.scalars(statement.order_by(Job.id).limit(1)).first()
    if job is None:
        return None
    threads = sum(each.threads for each in consumers.present(session, now))
    running = job.state == "running"
    before = {} if running else _before(session, job, now)
    tried = job.attempts > 0 or job.error is not None
    again = job.not_before if tried and job.not_before and job.not_before > now else None
    return Place(
        number=sum(before.values()) + 1,
        running=running,
        seconds=_seconds(session, job, before, threads, now),
        consumers=threads,
        attempt=job.attempts if running else job.attempts + 1,
        many=ATTEMPTS,
        again_at=again,
    )


def show(session: Session, spec: TaskSpec, now: datetime) -> Queue:
    """The queue of a task, as its organisers see it."""
    task_id = known(session, spec.name).id
    live = Job.state.in_(("waiting", "running"))
    by_state = select(Job.state, func.count()).where(Job.task_id == task_id, live).group_by(Job.state)
    counts = {state: int(count) for state, count in session.execute(by_state)}
    others = select(func.count()).where(live, (Job.task_id != task_id) | Job.task_id.is_(None))
    return Queue(
        lines=_lines(session, Job.task_id == task_id, live, order=(Job.state, Job.id)),
        waiting=counts.get("waiting", 0),
        running=counts.get("running", 0),
        of_others=session.scalar(others) or 0,
        failed_runs=_failed_runs(session, task_id),
        failed_jobs=_lines(session, Job.task_id == task_id, Job.state == "failed", order=(Job.id.desc(),)),
        consumers=consumers.present(session, now),
        seconds=_usual(session, task_id),
    )


def _before(session: Session, job: Job, now: datetime) -> dict[int | None, int]:
    """How many jobs of each task begin before one at most, while tasks take turns."""
    own = select(func.count()).where(
        could_begin(now), Job.task_id == job.task_id, Job.kind == SCORE, Job.id < job.id
    )
    ahead = session.scalar(own) or 0
    rest = select(Job.task_id, func.count()).where(could_begin(now)).group_by(Job.task_id)
    others = {
        task_id: min(count, ahead + 1) for task_id, count in session.execute(rest) if task_id != job.task_id
    }
    return {job.task_id: ahead, **others}


def _seconds(
    session: Session, job: Job, before: Mapping[int | None, int], threads: int, now: datetime
) -> int | None:
    own = _usual(session, job.task_id)
    if own is None or not threads:
        return None
    at_work = [] if job.state == "running" else _at_work(session, now)
    # Of other tasks' work it is not known how long it takes; after a slice it makes way.
    usual = {
        task_id: _usual(session, task_id) or SLICE.total_seconds()
        for task_id in {*before, *(task_id for task_id, _ in at_work)}
    }
    ahead = sum(number * usual[task_id] for task_id, number in before.items())
    ahead += sum(max(usual[task_id] - seconds, 0.0) for task_id, seconds in at_work)
    return math.ceil(ahead / threads + own)


def _at_work(session: Session, now: datetime) -> list[tuple[int | None, float]]:
    """The tasks of the jobs that are being done, each with the seconds since it began."""
    statement = select(Job.task_id, Job.started_at).where(Job.state == "running", Job.lease_until >= now)
    return [
        (task_id, (now - started).total_seconds())
        for task_id, started in session.execute(statement)
        if started is not None
    ]


def _usual(session: Session, task_id: int | None) -> float | None:
    """How many seconds the last scored runs of a task took, on average."""
    statement = (
        select(Job.started_at, Job.finished_at)
        .where(Job.task_id == task_id, Job.kind == SCORE, Job.state == "done")
        .order_by(Job.id.desc())
        .limit(LOOKED_AT)
    )
    taken = [
        (finished - started).total_seconds()
        for started, finished in session.execute(statement)
        if started is not None and finished is not None
    ]
    return sum(taken) / len(taken) if taken else None


def _lines(session: Session, *conditions: object, order: tuple[object, ...]) -> tuple[Line, ...]:
    statement = (
        select(Job, Run.name, Team.name)
        .outerjoin(Run, Run.id == Job.run_id)
        .outerjoin(Team, Team.id == Run.team_id)
        .where(*conditions)  # type: ignore[arg-type]  # what this file writes
        .order_by(*order)  # type: ignore[arg-type]
        .limit(LISTED)
    )
    return tuple(
        Line(
            job.id,
            job.kind,
            job.state,
            job.run_id,
            run,
            team,
            job.attempts,
            job.created_at,
            job.started_at,
            job.heartbeat_at,
            job.not_before,
            job.done,
            job.total,
            job.error,
        )
        for job, run, team in session.execute(statement)
    )


def _failed_runs(session: Session, task_id: int) -> tuple[FailedRun, ...]:
    statement = (
        select(Run, Team.name)
        .join(Team, Team.id == Run.team_id)
        .where(Run.task_id == task_id, Run.state == "failed", Run.deleted_at.is_(None))
        .order_by(Run.id.desc())
        .limit(LISTED)
    )
    return tuple(
        FailedRun(run.id, run.name, team, run.failure, run.failure_detail)
        for run, team in session.execute(statement)
    )
