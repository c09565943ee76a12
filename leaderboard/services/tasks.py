"""Tasks as they are installed here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, TaskSpec
from leaderboard.rules import phases_of
from leaderboard.services import phase_rows, splits
from leaderboard.services.errors import UnknownTask
from leaderboard.store import queries
from leaderboard.store.models import Phase, Run, Task


@dataclass(frozen=True, slots=True)
class Installed:
    """What installing a task changed; nothing where all three are empty and `new` is False."""

    new: bool
    phases_added: tuple[str, ...] = ()
    phases_changed: tuple[str, ...] = ()
    phases_gone: tuple[str, ...] = ()


def install(session: Session, spec: TaskSpec, now: datetime) -> Installed:
    """Makes the task and its phases known, or brings them to what its folder declares now.

    `spec` is what the folder declares. Where organisers set another value theirs stays, and a phase that they
    made is left alone.
    """
    task = queries.lock_task(session, spec.name)
    new = task is None
    if task is None:
        task = Task(name=spec.name, title=dict(spec.title.by_language), installed_at=now)
        session.add(task)
        session.flush()
    task.title = dict(spec.title.by_language)
    declared = {phase.name for phase in phases_of(spec)}
    before = {
        phase.name: phase
        for phase in queries.phases_of(session, task.id)
        if phase.name in declared or not _made_here(phase)
    }
    with_runs = set(
        session.scalars(
            select(Phase.name).where(Phase.task_id == task.id, exists().where(Run.phase_id == Phase.id))
        )
    )
    added, changed = [], []
    for position, phase in enumerate(phases_of(spec)):
        row = before.pop(phase.name, None)
        if row is None:
            row = Phase(task_id=task.id, name=phase.name)
            session.add(row)
            added.append(phase.name)
        elif _declared(row) != (as_declared(phase), _place(row, position)):
            changed.append(phase.name)
        _declare(row, phase, position, has_runs=phase.name in with_runs)
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


def _made_here(row: Phase) -> bool:
    """Whether organisers made the phase, which no folder declares."""
    return row.declared and row.declared_as is None and bool(row.changed)


def _declare(row: Phase, phase: PhaseSpec, position: int, *, has_runs: bool) -> None:
    kept = set(row.changed or ())
    if row.id is not None and not splits.same_parts(splits.split_of(row), phase.split) and has_runs:
        # What was shown of a part cannot be taken back.
        kept.add("split")
        row.changed = sorted(kept)
    for name, value in phase_rows.values_of(phase).items():
        if name not in kept:
            setattr(row, name, value)
    row.position = _place(row, position)
    row.declared = "declared" not in kept
    row.declared_as = as_declared(phase)


def _place(row: Phase, position: int) -> int:
    """Where a phase stands among the others: organisers may have put them in another order."""
    return row.position if "position" in (row.changed or ()) else position


def as_declared(phase: PhaseSpec) -> dict[str, Any]:
    """A phase of a task.toml as `Phase.declared_as` keeps it: times are ISO 8601."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in phase_rows.values_of(phase).items()
    }


def _declared(row: Phase) -> tuple[dict[str, Any] | None, int] | None:
    return (row.declared_as, row.position) if row.declared or "declared" in row.changed else None
