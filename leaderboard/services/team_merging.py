"""Organisers join two teams into one, while the deadline has not passed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import announced_values, audit, deadlines, runs, standings, teams
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import locked
from leaderboard.services.team_moderation import present
from leaderboard.store.models import Allowance, Invitation, Membership, Phase, Question, Run, Team


class NotJoined(ServiceError):
    """These two teams cannot be joined, or not any more."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What joining two teams moved, and the runs that were left because the other team had the same file."""

    runs: tuple[int, ...]
    people: tuple[int, ...]
    invitations: tuple[int, ...]
    left: tuple[int, ...]


def merge(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    source_id: int,
    target_id: int,
    actor: Actor,
    now: datetime,
) -> Moved:
    """Joins a team to another one: runs, members, open invitations, questions and what it was allowed become
    the target's, whose captain stays. A run whose very file the target had sent too stays behind, deleted.

    Everything that moved is in the log, by number. Raises UnknownTeam, NotJoined (the deadline has passed, or
    it is one and the same team).
    """
    task = locked(session, spec.name)
    if source_id == target_id:
        raise NotJoined(say("A team cannot be joined to itself."))
    source, target = (present(session, task.id, each) for each in (source_id, target_id))
    if runs.entrance_at(session, spec, task, now).late:
        raise NotJoined(say("The deadline has passed, and teams stay as they are."))
    left = _same_files(session, source_id, target_id)
    moved = _move(session, source, target, left, now)
    for phase in _join_allowances(session, source_id, target_id):
        deadlines.settle(session, phase)
    session.expire_all()
    announced_values.tell_team(session, spec, target_id)
    standings.refresh(session, spec, scorer_version, now)
    before = {"team": source.name, "team_id": source_id, "alias": source.alias}
    after: dict[str, Any] = {
        "team": target.name,
        "team_id": target_id,
        "runs": list(moved.runs),
        "people": list(moved.people),
        "invitations": list(moved.invitations),
        "runs left behind": list(moved.left),
    }
    audit.record(
        session, actor, task.id, Change("team.merged", "team", source_id, source.name, before, after), now
    )
    return moved


def _same_files(session: Session, source_id: int, target_id: int) -> tuple[int, ...]:
    """The source's runs whose file the target has in the same phase. Rejected ones may be there twice."""
    target = {
        (run.phase_id, run.file_hash)
        for run in session.scalars(select(Run).where(Run.team_id == target_id, Run.state != "rejected"))
    }
    source = session.scalars(
        select(Run).where(Run.team_id == source_id, Run.state != "rejected").order_by(Run.id)
    )
    return tuple(run.id for run in source if (run.phase_id, run.file_hash) in target)


def _move(session: Session, source: Team, target: Team, left: tuple[int, ...], now: datetime) -> Moved:
    moving = [
        run
        for run in session.scalars(select(Run).where(Run.team_id == source.id).order_by(Run.id))
        if run.id not in left
    ]
    chosen = set(session.scalars(select(Run.phase_id).where(Run.team_id == target.id, Run.selected)))
    put_forward = set(session.scalars(select(Run.phase_id).where(Run.team_id == target.id, Run.final)))
    for run in moving:
        run.team_id = target.id
        # One run of a team is chosen, and the target has chosen.
        run.selected = run.selected and run.phase_id not in chosen
        run.final = run.final and run.phase_id not in put_forward
    session.execute(
        update(Run)
        .where(Run.id.in_(left), Run.deleted_at.is_(None))
        .values(deleted_at=now, selected=False, final=False)
    )
    people = _move_people(session, source, target, now)
    open_ones = select(Invitation).where(
        Invitation.team_id == source.id, Invitation.withdrawn_at.is_(None), Invitation.expires_at > now
    )
    invitations = session.scalars(open_ones.order_by(Invitation.id)).all()
    for invitation in invitations:
        invitation.team_id = target.id
    session.execute(update(Question).where(Question.team_id == source.id).values(team_id=target.id))
    source.merged_into = target.id
    session.flush()
    return Moved(tuple(run.id for run in moving), people, tuple(each.id for each in invitations), left)


def _join_allowances(session: Session, source_id: int, target_id: int) -> tuple[Phase, ...]:
    """Lets the target do what either team was allowed to; returns the phases that this is about."""
    mine = select(Allowance).where(Allowance.team_id == source_id).order_by(Allowance.phase_id)
    phases = []
    for allowance in session.scalars(mine).all():
        phases.append(session.get_one(Phase, allowance.phase_id))
        there = session.scalars(
            select(Allowance).where(Allowance.team_id == target_id, Allowance.phase_id == allowance.phase_id)
        ).one_or_none()
        if there is None:
            allowance.team_id = target_id
            continue
        for name in ("closes_at", "runs_per_day", "runs_in_all", "rejected_per_day"):
            given = [value for value in (getattr(there, name), getattr(allowance, name)) if value is not None]
            setattr(there, name, max(given, default=None))
        session.delete(allowance)
    session.flush()
    return tuple(phases)


def _move_people(session: Session, source: Team, target: Team, now: datetime) -> tuple[int, ...]:
    statement = select(Membership).where(Membership.team_id == source.id, Membership.left_at.is_(None))
    memberships = session.scalars(
        statement.order_by(Membership.role, Membership.joined_at, Membership.id)
    ).all()
    led = bool(teams.members(session, target.id))
    for membership in memberships:
        membership.left_at = now
    session.flush()
    for number, membership in enumerate(memberships):
        # A team without people is led by the first who comes.
        role: teams.MemberRole = "member" if led or number else "captain"
        teams.join(session, target, membership.user_id, role, now)
        if membership.told_when_overtaken:
            joined = teams.membership_of(session, target.task_id, membership.user_id)
            if joined is not None:
                joined.told_when_overtaken = True
    session.flush()
    return tuple(membership.user_id for membership in memberships)
