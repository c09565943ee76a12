"""Tasks as they are installed here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, TaskSpec, Text
from leaderboard.rules import phases_of
from leaderboard.services.errors import UnknownTask
from leaderboard.store import queries
from leaderboard.store.models import Phase, Task


@dataclass(frozen=True, slots=True)
class Installed:
    """What installing a task changed; nothing where all three are empty and `new` is False."""

    new: bool
    phases_added: tuple[str, ...] = ()
    phases_changed: tuple[str, ...] = ()
    phases_gone: tuple[str, ...] = ()


def install(session: Session, spec: TaskSpec, now: datetime) -> Installed:
    """Makes the task and its phases known, or brings them to what its folder declares now."""
    task = queries.lock_task(session, spec.name)
    new = task is None
    if task is None:
        task = Task(name=spec.name, title=dict(spec.title.by_language), installed_at=now)
        session.add(task)
        session.flush()
    task.title = dict(spec.title.by_language)
    before = {phase.name: phase for phase in queries.phases_of(session, task.id)}
    added, changed = [], []
    for position, phase in enumerate(phases_of(spec)):
        row = before.pop(phase.name, None)
        if row is None:
            row = Phase(task_id=task.id, name=phase.name)
            session.add(row)
            added.append(phase.name)
        elif _declared(row) != (phase, position):
            changed.append(phase.name)
        _declare(row, phase, position)
    gone = [row.name for row in before.values() if row.declared]
    for row in before.values():
        row.declared = False
    if added and not new:
        # A phase that is new to a task with gold has no boards yet.
        task.standings_due = True
    session.flush()
    return Installed(new, tuple(added), tuple(changed), tuple(gone))


def installed(session: Session) -> tuple[str, ...]:
    """The names of the tasks that are installed, in the order of installation."""
    return tuple(session.scalars(select(Task.name).order_by(Task.id)))


def known(session: Session, name: str) -> Task:
    """The row of a task. Raises UnknownTask."""
    task = queries.task_named(session, name)
    if task is None:
        raise UnknownTask(name)
    return task


def locked(session: Session, name: str) -> Task:
    """The row of a task, for this transaction alone to change. Raises UnknownTask."""
    task = queries.lock_task(session, name)
    if task is None:
        raise UnknownTask(name)
    return task


def _declare(row: Phase, phase: PhaseSpec, position: int) -> None:
    row.title = dict(phase.title.by_language)
    row.position = position
    row.opens_at = phase.opens_at
    row.closes_at = phase.closes_at
    row.runs_per_day = phase.runs_per_day
    row.runs_in_all = phase.runs_in_all
    row.rejected_per_day = phase.rejected_per_day
    row.reveals = list(phase.reveals)
    row.declared = True


def _declared(row: Phase) -> tuple[PhaseSpec, int] | None:
    if not row.declared:
        return None
    phase = PhaseSpec(
        row.name,
        Text(row.title),
        row.opens_at,
        row.closes_at,
        row.runs_per_day,
        row.runs_in_all,
        row.rejected_per_day,
        tuple(row.reveals),
    )
    return phase, row.position
