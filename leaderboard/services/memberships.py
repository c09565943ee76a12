"""Leaving a team, being removed from it, and handing it over."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services.errors import ServiceError
from leaderboard.services.invitations import close_all
from leaderboard.services.tasks import known
from leaderboard.services.teams import NotInTheTeam, led_by, lock_person, lock_team, membership_of
from leaderboard.store.models import Membership, Team


class CaptainStays(ServiceError):
    """A captain of others cannot simply leave."""

    def __init__(self) -> None:
        super().__init__(
            say("You are the captain. Hand the team over to another member first, then you can leave.")
        )


class NotAMember(ServiceError):
    """The other person is not in the team."""

    def __init__(self) -> None:
        super().__init__(say("This person is not in your team any more."))


def leave(session: Session, spec: TaskSpec, user_id: int, now: datetime) -> None:
    """Ends a person's membership; the runs stay with the team. The last member may leave too: the team and
    its runs stay, its invitations do not.

    Raises NotInTheTeam, CaptainStays and UnknownTask.
    """
    task = known(session, spec.name)
    membership = membership_of(session, task.id, user_id)
    if membership is None:
        raise NotInTheTeam
    team = lock_team(session, membership.team_id)
    current = _member(session, team.id, user_id)
    if current is None:
        raise NotInTheTeam
    others = _others(session, team.id, user_id)
    if current.role == "captain" and others:
        raise CaptainStays
    current.left_at = now
    if not others:
        close_all(session, team.id, now)


def remove(session: Session, spec: TaskSpec, captain_id: int, user_id: int, now: datetime) -> None:
    """Takes another person out of the captain's team.

    Raises NotInTheTeam, OnlyTheCaptain, NotAMember, CaptainStays and UnknownTask.
    """
    team = led_by(session, spec, captain_id)
    if user_id == captain_id:
        raise CaptainStays
    membership = _member(session, team.id, user_id)
    if membership is None:
        raise NotAMember
    membership.left_at = now


def hand_over(session: Session, spec: TaskSpec, captain_id: int, user_id: int) -> None:
    """Makes another member the captain, and the captain a member.

    Raises NotInTheTeam, OnlyTheCaptain, NotAMember and UnknownTask.
    """
    team = led_by(session, spec, captain_id)
    if user_id == captain_id:
        return
    successor = _member(session, team.id, user_id)
    if successor is None:
        raise NotAMember
    _make_captain(session, team, successor)


def leave_everything(session: Session, user_id: int, now: datetime) -> tuple[Team, ...]:
    """Ends all memberships of a person who goes for good. Where the person was captain, the one who has been
    in the team longest becomes it; the teams where that happened are returned."""
    lock_person(session, user_id)
    inherited = []
    mine = select(Membership).where(Membership.user_id == user_id, Membership.left_at.is_(None))
    for team_id in [membership.team_id for membership in session.scalars(mine.order_by(Membership.team_id))]:
        team = lock_team(session, team_id)
        membership = _member(session, team_id, user_id)
        if membership is None:
            continue
        others = _others(session, team_id, user_id)
        if membership.role == "captain" and others:
            _make_captain(session, team, others[0])
            inherited.append(team)
        if not others:
            close_all(session, team_id, now)
        membership.left_at = now
        session.flush()
    return tuple(inherited)


def _make_captain(session: Session, team: Team, successor: Membership) -> None:
    for membership in _active(session, team.id):
        membership.role = "member"
    # A team has one captain at every moment: first none, then the new one.
    session.flush()
    successor.role = "captain"
    session.flush()


def _member(session: Session, team_id: int, user_id: int) -> Membership | None:
    return next((member for member in _active(session, team_id) if member.user_id == user_id), None)


def _others(session: Session, team_id: int, user_id: int) -> list[Membership]:
    return [member for member in _active(session, team_id) if member.user_id != user_id]


def _active(session: Session, team_id: int) -> list[Membership]:
    statement = select(Membership).where(Membership.team_id == team_id, Membership.left_at.is_(None))
    in_order = statement.order_by(Membership.joined_at, Membership.id)
    return list(session.scalars(in_order.execution_options(populate_existing=True)))
