"""Whether the parts of the site do their work: database, storage, queue."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, say, say_count
from leaderboard.store.files import Files
from leaderboard.store.models import Job

PATIENCE = timedelta(minutes=2)
"""A job that could be done and waits for longer shows that nobody does jobs."""

LITTLE_SPACE = 1_000_000_000
"""Less room than so many bytes is worth a warning."""

State = Literal["good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the site, how it is, and what there is to say of it."""

    name: Literal["database", "storage", "queue"]
    state: State
    words: Message


def parts(session: Session, files: Files, now: datetime) -> tuple[Part, ...]:
    """How the parts are. What reads this has a database; the queue and the storage are tried."""
    return (_database(session), _storage(files), _queue(session, now))


def _database(session: Session) -> Part:
    kind = session.get_bind().dialect.name
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    return Part("database", "good", say("{kind} answers.", kind=names.get(kind, kind)))


def _storage(files: Files) -> Part:
    try:
        draft = files.kept.draft()
        draft.unlink(missing_ok=True)
        free = shutil.disk_usage(files.kept.root).free
    except OSError as error:
        why = error.strerror or type(error).__name__
        return Part("storage", "bad", say("Files cannot be written: {why}.", why=why))
    words = say("Files can be written; {free} GB are free.", free=free // 1_000_000_000)
    return Part("storage", "good" if free > LITTLE_SPACE else "warn", words)


def _queue(session: Session, now: datetime) -> Part:
    could = or_(Job.not_before.is_(None), Job.not_before <= now)
    statement = select(func.count(), func.min(Job.created_at)).where(Job.state == "waiting", could)
    waiting, oldest = session.execute(statement).one()
    if not waiting or oldest is None:
        return Part("queue", "good", say("No job waits."))
    words = say_count("{count} job waits.", "{count} jobs wait.", waiting)
    if now - oldest > PATIENCE:
        return Part(
            "queue",
            "bad",
            say("{waiting} Nobody seems to do them: is a worker running?", waiting=words),
        )
    return Part("queue", "good", words)
