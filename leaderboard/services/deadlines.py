"""Deadlines and quotas as they are for one team, and which runs came in time by those that hold now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import ColumnElement, select, true, update
from sqlalchemy.orm import Session

from leaderboard.rules import Grant
from leaderboard.store.models import Allowance, Phase, Run


def grants_of(session: Session, team_id: int) -> Mapping[str, Grant]:
    """What a team was granted, by the name of the phase."""
    statement = (
        select(Allowance, Phase.name)
        .join(Phase, Phase.id == Allowance.phase_id)
        .where(Allowance.team_id == team_id)
        .execution_options(populate_existing=True)
    )
    return {phase: grant_of(row) for row, phase in session.execute(statement)}


def grants_by_team(session: Session, task_id: int) -> Mapping[int, Mapping[str, Grant]]:
    """`grants_of` for the teams of a task that were granted anything, by the team's number."""
    statement = (
        select(Allowance, Phase.name)
        .join(Phase, Phase.id == Allowance.phase_id)
        .where(Phase.task_id == task_id)
        .execution_options(populate_existing=True)
    )
    found: dict[int, dict[str, Grant]] = {}
    for row, phase in session.execute(statement):
        found.setdefault(row.team_id, {})[phase] = grant_of(row)
    return found


def grant_of(row: Allowance) -> Grant:
    """What a stored allowance grants."""
    return Grant(row.closes_at, row.runs_per_day, row.runs_in_all, row.rejected_per_day)


def closing(session: Session, phase: Phase, team_id: int) -> datetime | None:
    """When a phase closes for a team; None where it never does."""
    statement = select(Allowance.closes_at).where(
        Allowance.phase_id == phase.id, Allowance.team_id == team_id
    )
    return _later(phase.closes_at, session.scalar(statement))


def settle(session: Session, phase: Phase) -> bool:
    """Marks the runs of a phase as late or in time; returns whether that changed any of them.

    The phase that a run belongs to stays: it was decided when the run came.
    """
    session.flush()
    own = select(Allowance.team_id, Allowance.closes_at).where(
        Allowance.phase_id == phase.id, Allowance.closes_at.is_not(None)
    )
    extended = {team_id: _later(phase.closes_at, closes_at) for team_id, closes_at in session.execute(own)}
    changed = _mark(session, phase, phase.closes_at, Run.team_id.not_in(extended) if extended else true())
    for team_id, closes_at in extended.items():
        changed += _mark(session, phase, closes_at, Run.team_id == team_id)
    return changed > 0


def _later(closes_at: datetime | None, own: datetime | None) -> datetime | None:
    return closes_at if closes_at is None or own is None else max(closes_at, own)


def _mark(session: Session, phase: Phase, closes_at: datetime | None, whose: ColumnElement[bool]) -> int:
    of_phase = (Run.phase_id == phase.id, whose)
    if closes_at is None:
        return _set(session, False, *of_phase, Run.late.is_(True))
    late = _set(session, True, *of_phase, Run.late.is_(False), Run.submitted_at >= closes_at)
    return late + _set(session, False, *of_phase, Run.late.is_(True), Run.submitted_at < closes_at)


def _set(session: Session, late: bool, *where: ColumnElement[bool]) -> int:
    statement = select(Run.id).where(*where)
    found = session.scalars(statement).all()
    if found:
        change = update(Run).where(*where).values(late=late)
        session.execute(change.execution_options(synchronize_session="fetch"))
    return len(found)
