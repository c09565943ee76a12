"""What organisers allow one team beyond what a phase allows: more runs, or a deadline of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, TaskSpec, Text, say
from leaderboard.rules import Grant
from leaderboard.services import audit, deadlines, standings, task_specs
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.phase_rows import MOST
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.models import Allowance, Phase, Task, Team

LONGEST_REASON = 500

_LIMITS = ("runs_per_day", "runs_in_all", "rejected_per_day")


class BadAllowance(ServiceError):
    """An allowance that would allow nothing, or is none; `field` names the value where it is a single one."""

    def __init__(self, message: Any, field: str | None = None) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a team may do in a phase beyond it, and why."""

    allowance_id: int
    team_id: int
    team: str
    phase: str
    phase_title: Text
    grant: Grant
    reason: str
    given_at: datetime


def listing(session: Session, spec: TaskSpec, team_id: int | None = None) -> tuple[Allowed, ...]:
    """What the teams of a task (or one of them) were granted, the newest first. Raises UnknownTask."""
    statement = (
        select(Allowance, Team.name, Phase)
        .join(Team, Team.id == Allowance.team_id)
        .join(Phase, Phase.id == Allowance.phase_id)
        .where(Phase.task_id == known(session, spec.name).id)
        .order_by(Allowance.given_at.desc(), Allowance.id.desc())
    )
    if team_id is not None:
        statement = statement.where(Allowance.team_id == team_id)
    return tuple(
        Allowed(
            row.id,
            row.team_id,
            team,
            phase.name,
            Text(phase.title),
            deadlines.grant_of(row),
            row.reason,
            row.given_at,
        )
        for row, team, phase in session.execute(statement)
    )


def teams(session: Session, spec: TaskSpec) -> tuple[tuple[int, str], ...]:
    """Number and name of the teams that can be allowed something, by name. Raises UnknownTask."""
    statement = select(Team.id, Team.name).where(
        Team.task_id == known(session, spec.name).id, Team.deleted_at.is_(None), Team.merged_into.is_(None)
    )
    return tuple((row.id, row.name) for row in session.execute(statement.order_by(Team.name)))


def give(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    team_id: int,
    phase: str,
    grant: Grant,
    reason: str,
    actor: Actor,
    now: datetime,
) -> None:
    """Grants a team something in a phase, in place of what it was granted there before.

    Runs that came before its new deadline count as in time. Raises BadAllowance, UnknownTask.
    """
    task = locked(session, spec.name)
    team, row = _team(session, task, team_id), queries.phase_named(session, task.id, phase)
    if row is None:
        raise BadAllowance(say("The task {task} has no phase {phase}.", task=spec.name, phase=phase), "phase")
    _require_more(task_specs.phase_of(row), grant)
    if len(reason) > LONGEST_REASON:
        raise BadAllowance(
            say("This is longer than {most} characters; shorten it.", most=LONGEST_REASON), "reason"
        )
    found = session.scalars(
        select(Allowance).where(Allowance.team_id == team_id, Allowance.phase_id == row.id)
    ).one_or_none()
    before = {} if found is None else _plain(found)
    if found is None:
        found = Allowance(team_id=team_id, phase_id=row.id)
        session.add(found)
    found.closes_at, found.runs_per_day = grant.closes_at, grant.runs_per_day
    found.runs_in_all, found.rejected_per_day = grant.runs_in_all, grant.rejected_per_day
    found.reason, found.given_at, found.given_by = reason.strip(), now, actor.user_id
    session.flush()
    logged = Change(
        "allowance.given", "team", team.id, team.name, before, {"phase": phase, **_plain(found)}, reason
    )
    audit.record(session, actor, task.id, logged, now)
    _settle(session, spec, scorer_version, row, now)


def take(
    session: Session, spec: TaskSpec, scorer_version: str, allowance_id: int, actor: Actor, now: datetime
) -> None:
    """Takes an allowance back; nothing where it is not there. Raises UnknownTask."""
    task = locked(session, spec.name)
    found = session.get(Allowance, allowance_id)
    phase = None if found is None else session.get_one(Phase, found.phase_id)
    if found is None or phase is None or phase.task_id != task.id:
        return
    team = session.get_one(Team, found.team_id)
    before = {"phase": phase.name, **_plain(found)}
    session.delete(found)
    session.flush()
    audit.record(
        session, actor, task.id, Change("allowance.taken", "team", team.id, team.name, before, {}), now
    )
    _settle(session, spec, scorer_version, phase, now)


def _settle(session: Session, spec: TaskSpec, scorer_version: str, phase: Phase, now: datetime) -> None:
    if deadlines.settle(session, phase):
        standings.refresh(session, task_specs.as_set(session, spec), scorer_version, now, [phase.id])


def _team(session: Session, task: Task, team_id: int) -> Team:
    team = session.get(Team, team_id)
    if team is None or team.task_id != task.id:
        raise BadAllowance(say("The task has no such team."), "team")
    return team


def _require_more(phase: PhaseSpec, grant: Grant) -> None:
    if grant == Grant():
        raise BadAllowance(say("Enter what the team may do beyond the phase."))
    if grant.closes_at is not None and (phase.closes_at is None or grant.closes_at <= phase.closes_at):
        raise BadAllowance(say("The phase is open longer than that for every team."), "closes_at")
    for name in _LIMITS:
        limit, own = getattr(phase, name), getattr(grant, name)
        if own is None:
            continue
        if not 0 <= own <= MOST:
            raise BadAllowance(say("A quota is a number from 0 to {most}.", most=MOST), name)
        if limit is None or own <= limit:
            raise BadAllowance(say("The phase allows every team that much already."), name)


def _plain(row: Allowance) -> dict[str, Any]:
    values = {"closes_at": row.closes_at, **{name: getattr(row, name) for name in _LIMITS}}
    return {name: value for name, value in values.items() if value is not None}
