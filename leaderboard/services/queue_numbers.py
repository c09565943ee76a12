"""The queue in numbers, for those who watch over an installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.services import consumers
from leaderboard.store.models import Job, Letter, Task

NO_TASK = ""
"""What stands for the task of a job that is about the whole site."""


@dataclass(frozen=True, slots=True)
class Line:
    """The jobs of a task: how many wait (those included that wait for another attempt) and are being done,
    and how many seconds ago the oldest that waits was made."""

    waiting: int = 0
    running: int = 0
    oldest: float = 0.0


@dataclass(frozen=True, slots=True)
class Numbers:
    """The lines by task, consumers that live and their threads, and letters that wait."""

    lines: Mapping[str, Line]
    consumers: int
    threads: int
    letters: int


def numbers(session: Session, now: datetime) -> Numbers:
    """How it is at the moment; every installed task has a line."""
    names = {task_id: name for task_id, name in session.execute(select(Task.id, Task.name))}  # noqa: C416 - a result has keys(), so dict() would take it for a mapping
    counts = (
        select(Job.task_id, Job.state, func.count(), func.min(Job.created_at))
        .where(Job.state.in_(("waiting", "running")))
        .group_by(Job.task_id, Job.state)
    )
    found = {(task_id, state): (n, oldest) for task_id, state, n, oldest in session.execute(counts)}
    lines = {name: _line(found, task_id, now) for task_id, name in names.items()}
    lines[NO_TASK] = _line(found, None, now)
    there = consumers.present(session, now)
    waiting = select(func.count()).where(Letter.sent_at.is_(None))
    return Numbers(lines, len(there), sum(each.threads for each in there), session.scalar(waiting) or 0)


def _line(
    found: Mapping[tuple[int | None, str], tuple[int, datetime]], task_id: int | None, now: datetime
) -> Line:
    waiting, oldest = found.get((task_id, "waiting"), (0, now))
    running, _ = found.get((task_id, "running"), (0, now))
    return Line(waiting, running, max(0.0, (now - oldest).total_seconds()))
