"""The archives of a task: asked for, made as a job, listed, and found for a download."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, Scorer, TaskSpec, say
from leaderboard.services import audit, queue
from leaderboard.services.archive_writing import scope_of, write
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known, locked
from leaderboard.store.files import ContentStore, Files, Stored
from leaderboard.store.models import Archive, Job, User
from leaderboard.store.session import hold_still

JOB = "make_archive"
"""The kind of the job that makes one."""


class UnknownArchive(ServiceError):
    """There is no archive of that number, or it is not whole yet."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an archive is to have: the hidden benchmarks; the teams' own names and not what the public
    reads."""

    with_gold: bool = False
    own_names: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """An archive. `file_hash` is None while it is made; then `job_id` and `state` are those of the job, with
    `done` of `total` steps, and `error` says why it failed."""

    number: int
    with_gold: bool
    own_names: bool
    made_at: datetime
    made_by: str | None
    file_hash: str | None
    size: int | None
    job_id: int | None
    state: str
    done: int
    total: int | None
    error: Message | None
    file_name: str


def request(
    session: Session,
    spec: TaskSpec,
    wanted: Wanted,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> int:
    """Leaves the work to the queue and returns the archive's number; one that is being made already, and has
    the same, is not made twice. Raises UnknownTask."""
    task = locked(session, spec.name)
    under_way = (
        select(Archive.number)
        .join(Job, Job.id == Archive.job_id)
        .where(
            Archive.task_id == task.id,
            Archive.file_hash.is_(None),
            Archive.with_gold == wanted.with_gold,
            Archive.own_names == wanted.own_names,
            Job.state.in_(("waiting", "running")),
        )
    )
    number = session.scalar(under_way.limit(1))
    if number is not None:
        return number
    row = begin(session, spec, wanted, actor, now)
    row.job_id = queue.enqueue(session, JOB, spec.name, {"archive": row.number}, now, deliver)
    session.get_one(Job, row.job_id).made_by = actor.user_id
    session.flush()
    return row.number


def begin(session: Session, spec: TaskSpec, wanted: Wanted, actor: Actor, now: datetime) -> Archive:
    """The row of an archive that is about to be made. Raises UnknownTask."""
    task = locked(session, spec.name)
    last = session.scalar(select(func.max(Archive.number)).where(Archive.task_id == task.id))
    row = Archive(
        task_id=task.id,
        number=(last or 0) + 1,
        with_gold=wanted.with_gold,
        own_names=wanted.own_names,
        made_at=now,
        made_by=actor.user_id,
    )
    session.add(row)
    session.flush()
    after = {"with_gold": wanted.with_gold, "own_names": wanted.own_names}
    change = Change("archive.requested", "archive", row.number, str(row.number), after=after)
    audit.record(session, actor, task.id, change, now)
    return row


def make(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    number: int,
    clock: Clock,
    progress: Progress,
    confirm: Callable[[Session], None] = lambda _session: None,
) -> Made:
    """Makes an archive that was asked for: the file is kept first, then its row tells of it.

    Done again, it is made again, of the state of then; one that is whole stays as it is. Raises
    UnknownArchive, FileGone.
    """
    with transactions.reading() as session:
        row = _row(session, spec, number)
        if row.file_hash is not None:
            return _made(session, spec, row)
        wanted = Wanted(row.with_gold, row.own_names)
    stored, as_of = _keep(transactions, files, spec, wanted, clock, progress)
    with transactions.writing() as session:
        confirm(session)
        locked(session, spec.name)
        row = _row(session, spec, number)
        row.file_hash, row.size, row.made_at = stored.file_hash, stored.size, as_of
        session.flush()
        return _made(session, spec, row)


def _keep(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    wanted: Wanted,
    clock: Clock,
    progress: Progress,
) -> tuple[Stored, datetime]:
    store = _store(files, wanted.with_gold)
    draft = store.draft()
    try:
        with transactions.reading() as session:
            hold_still(session)
            now = clock()
            scope = scope_of(session, spec, now, with_gold=wanted.with_gold, own_names=wanted.own_names)
            write(session, files, spec, scope, draft, progress)
        stored = store.measured(draft)
        store.keep(draft, stored)
    finally:
        draft.unlink(missing_ok=True)
    return stored, now


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. Done again after a crash, it makes the file anew."""

    def make_archive(work: Work) -> Mapping[str, Any]:
        spec, _ = task_of(work.task)
        number = int(work.arguments["archive"])
        made = make(transactions, files, spec, number, clock, work.progress, work.confirm)
        return {"number": made.number, "size": made.size}

    return make_archive


def listing(session: Session, spec: TaskSpec) -> tuple[Made, ...]:
    """The archives of a task, the newest first; for organisers. Raises UnknownTask."""
    rows = session.scalars(
        select(Archive).where(Archive.task_id == known(session, spec.name).id).order_by(Archive.number.desc())
    )
    return tuple(_made(session, spec, row) for row in rows.all())


def of_number(session: Session, spec: TaskSpec, number: int) -> Made:
    """One archive, whole or not; for organisers. Raises UnknownArchive."""
    return _made(session, spec, _row(session, spec, number))


def fetched(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> Made:
    """An archive for who downloads it. That gold leaves the server is noted in the log. Raises
    UnknownArchive, also for one that is not whole."""
    made = of_number(session, spec, number)
    if made.file_hash is None:
        raise _unknown(spec, number)
    if made.with_gold:
        change = Change("archive.downloaded", "archive", number, str(number), after={"with_gold": True})
        audit.record(session, actor, known(session, spec.name).id, change, now)
    return made


def path_of(files: Files, made: Made) -> Path:
    """Where an archive that is whole lies on this machine. Raises FileMissing."""
    return _store(files, made.with_gold).path(made.file_hash or "")


def _store(files: Files, with_gold: bool) -> ContentStore:
    return files.gold if with_gold else files.kept


def _row(session: Session, spec: TaskSpec, number: int) -> Archive:
    task = known(session, spec.name)
    statement = select(Archive).where(Archive.task_id == task.id, Archive.number == number)
    row = session.scalars(statement.execution_options(populate_existing=True)).one_or_none()
    if row is None:
        raise _unknown(spec, number)
    return row


def _unknown(spec: TaskSpec, number: int) -> UnknownArchive:
    return UnknownArchive(say("The task {task} has no archive {number}.", task=spec.name, number=number))


def _made(session: Session, spec: TaskSpec, row: Archive) -> Made:
    job_row = session.get(Job, row.job_id) if row.job_id is not None else None
    user = session.get(User, row.made_by) if row.made_by is not None else None
    unfinished = job_row.state if job_row is not None else "broken off"
    what = "-with-gold" if row.with_gold else ""
    return Made(
        number=row.number,
        with_gold=row.with_gold,
        own_names=row.own_names,
        made_at=row.made_at,
        made_by=user.name if user is not None else None,
        file_hash=row.file_hash,
        size=row.size,
        job_id=row.job_id,
        state="done" if row.file_hash is not None else unfinished,
        done=job_row.done if job_row is not None else 0,
        total=job_row.total if job_row is not None else None,
        error=job_row.error if job_row is not None and row.file_hash is None else None,
        file_name=f"{spec.name}-archive-{row.number}{what}.zip",
    )
