"""The report of probing: what is stored of it, what organisers note, and the job that brings it up to date.

Read off the runs, what teams were told, and accounts; no gold has any part in it. A page reads what is
stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import audit, probing_people, probing_sketches, probing_store, probing_words, queue
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.moderation import clean_reason
from leaderboard.services.probing_found import Found
from leaderboard.services.probing_pairs import between_teams, same_files
from leaderboard.services.probing_series import within_teams
from leaderboard.services.probing_sketches import LOOKED_AT
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known, locked
from leaderboard.store.files import Files
from leaderboard.store.models import Job, Membership, ProbingFinding, ProbingReport, Run, Task, Team

JOB = "probing"
"""The kind of the job."""

REST = timedelta(minutes=5)
"""A report that is behind is brought up to date by itself so long after it was computed last."""


AFTER_FAILURE = timedelta(hours=1)
"""After one that failed the next one waits so long."""


class UnknownFinding(ServiceError):
    """The task has no such finding."""

    def __init__(self) -> None:
        super().__init__(say("There is no such finding, or not any more."))


def look(
    session: Session,
    spec: TaskSpec,
    number: int,
    note: str,
    actor: Actor,
    now: datetime,
    *,
    done: bool = True,
) -> None:
    """Notes that a finding was looked at, and what came of it; with `done` False, that it is to be looked at
    again.

    Raises UnknownFinding, ReasonRefused, UnknownTask.
    """
    clean = clean_reason(note)
    task = locked(session, spec.name)
    row = session.get(ProbingFinding, number)
    if row is None or row.task_id != task.id:
        raise UnknownFinding
    before = {"looked_at": row.looked_at, "note": row.note}
    row.looked_at, row.looked_by = (now, actor.user_id) if done else (None, None)
    row.note = clean if done else row.note
    session.flush()
    names = names_of_teams(session, row.about["teams"])
    name = f"{probing_words.HEADS[row.kind]}: {', '.join(names.values())}"
    after = {"looked_at": row.looked_at, "note": row.note}
    action = "probing.looked_at" if done else "probing.opened_again"
    audit.record(session, actor, task.id, Change(action, "finding", row.id, name, before, after, clean), now)


def request(session: Session, spec: TaskSpec, now: datetime, deliver: Deliver | None = None) -> int | None:
    """Leaves it to the queue to bring the report up to date; None where a job is at it, or waits, already."""
    task = locked(session, spec.name)
    job = last_job(session, task.id)
    if job is not None and job.state in ("waiting", "running"):
        return None
    return queue.enqueue(session, JOB, spec.name, {}, now, deliver)


def request_due(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Leaves to the queue the reports that are behind, a job for each task; returns the numbers of new
    jobs."""
    tasks = session.scalars(select(Task).order_by(Task.id)).all()
    due = [task.name for task in tasks if _is_due(session, task.id, now)]
    return tuple(queue.enqueue(session, JOB, name, {}, now, deliver) for name in due)


def is_any_due(session: Session, now: datetime) -> bool:
    """Whether `request_due` would find anything."""
    return any(_is_due(session, task_id, now) for task_id in session.scalars(select(Task.id)).all())


def _is_due(session: Session, task_id: int, now: datetime) -> bool:
    row, job = session.get(ProbingReport, task_id), last_job(session, task_id)
    if row is not None and now < row.computed_at + REST:
        return False
    if job is not None and job.state in ("waiting", "running"):
        return False
    if job is not None and job.state == "failed" and now < job.created_at + AFTER_FAILURE:
        return False
    print_of_now = fingerprint(session, task_id)
    return print_of_now != (NOTHING if row is None else row.fingerprint)


def fingerprint(session: Session, task_id: int) -> str:
    """What changes with the runs and members of a task."""
    runs = session.execute(
        select(func.count(), func.max(Run.id), func.sum(Run.team_id), func.max(Run.scored_at)).where(
            Run.task_id == task_id, *LOOKED_AT
        )
    ).one()
    members = session.execute(
        select(func.count(), func.count(Membership.left_at)).where(Membership.task_id == task_id)
    ).one()
    return NOTHING if not runs[0] else "/".join(str(part) for part in (*runs, *members))


NOTHING = ""
"""The fingerprint of a task without runs."""


def bring_up_to_date(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, clock: Clock, progress: Progress
) -> tuple[Found, ...]:
    """Makes the sketches that are missing, looks, and stores what was found. May be broken off at any point.

    Raises UnknownTask.
    """
    reader = probing_sketches.version_of(scorer)
    probing_sketches.complete(transactions, files, spec, scorer, progress)
    with transactions.reading() as session:
        task_id = known(session, spec.name).id
        print_of_now = fingerprint(session, task_id)
        found = [*probing_people.of_people(session, task_id, clock()), *same_files(session, task_id, reader)]
        if reader is not None:
            found += within_teams(session, spec, task_id, reader)
            found += between_teams(session, task_id, reader, progress)
    with transactions.writing() as session:
        probing_store.keep(session, spec, found, print_of_now, reader, clock())
    return tuple(found)


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`."""

    def report(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        return {"found": len(bring_up_to_date(transactions, files, spec, scorer, clock, work.progress))}

    return report


def last_job(session: Session, task_id: int) -> Job | None:
    """The task's last job of this kind."""
    statement = select(Job).where(Job.task_id == task_id, Job.kind == JOB).order_by(Job.id.desc()).limit(1)
    return session.scalars(statement.execution_options(populate_existing=True)).one_or_none()


def names_of_teams(session: Session, teams: Collection[int]) -> Mapping[int, str]:
    """What teams call themselves, by number."""
    rows = session.scalars(select(Team).where(Team.id.in_(teams)).order_by(Team.id))
    return {row.id: row.name for row in rows}
