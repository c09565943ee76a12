"""Links by which people join a team."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services.errors import ServiceError
from leaderboard.services.sign_ins import hashed
from leaderboard.services.teams import (
    InAnotherTeam,
    join,
    led_by,
    lock_person,
    lock_team,
    members,
    membership_of,
    require_no_team,
)
from leaderboard.store.models import Invitation, Membership, Task, Team, User

LIFETIME = timedelta(days=7)
LONGEST_LIFETIME = timedelta(days=60)
MOST_USES = 20
MOST_OPEN = 20

State = Literal["open", "withdrawn", "expired", "used up"]


class InvitationRefused(ServiceError):
    """The number of people or of days is out of bounds."""


class InvitationClosed(ServiceError):
    """The invitation works no more, or never did."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An invitation as the team sees it. `uses` of `most_uses` people have joined by it."""

    invitation_id: int
    made_by: str
    created_at: datetime
    expires_at: datetime
    uses: int
    most_uses: int
    state: State


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation as the person sees who holds its link."""

    task: str
    team: str
    affiliation: str
    made_by: str
    expires_at: datetime
    joined: bool
    """The person is in that team already."""


def make(
    session: Session,
    spec: TaskSpec,
    captain_id: int,
    now: datetime,
    *,
    most_uses: int = 1,
    lifetime: timedelta = LIFETIME,
) -> str:
    """A new invitation to the captain's team; returns the secret part of its link, which is kept nowhere.

    Raises NotInTheTeam, OnlyTheCaptain and InvitationRefused.
    """
    if not 1 <= most_uses <= MOST_USES:
        raise InvitationRefused(say("An invitation is for 1 to {most} people.", most=MOST_USES))
    if not timedelta(0) < lifetime <= LONGEST_LIFETIME:
        raise InvitationRefused(say("An invitation works for 1 to {most} days.", most=LONGEST_LIFETIME.days))
    team = led_by(session, spec, captain_id)
    if sum(offer.state == "open" for offer in listing(session, team.id, now)) >= MOST_OPEN:
        raise InvitationRefused(
            say(
                "Your team has {most} open invitations; withdraw one before you make another.", most=MOST_OPEN
            )
        )
    token = secrets.token_urlsafe(24)
    session.add(
        Invitation(
            team_id=team.id,
            token_hash=hashed(token),
            made_by=captain_id,
            created_at=now,
            expires_at=now + lifetime,
            most_uses=most_uses,
            uses=0,
        )
    )
    session.flush()
    return token


def withdraw(session: Session, spec: TaskSpec, captain_id: int, invitation_id: int, now: datetime) -> None:
    """Makes a link of the captain's team useless; who has joined by it stays. Safe to repeat.

    Raises NotInTheTeam, OnlyTheCaptain and InvitationClosed (there is none such).
    """
    team = led_by(session, spec, captain_id)
    invitation = session.get(Invitation, invitation_id)
    if invitation is None or invitation.team_id != team.id:
        raise InvitationClosed(say("Your team has no such invitation."))
    if invitation.withdrawn_at is None:
        invitation.withdrawn_at = now


def listing(session: Session, team_id: int, now: datetime) -> tuple[Offer, ...]:
    """The invitations of a team, the newest first."""
    statement = (
        select(Invitation, User.name)
        .join(User, User.id == Invitation.made_by)
        .where(Invitation.team_id == team_id)
        .order_by(Invitation.created_at.desc(), Invitation.id.desc())
    )
    return tuple(
        Offer(
            invitation.id,
            name,
            invitation.created_at,
            invitation.expires_at,
            invitation.uses,
            invitation.most_uses,
            _state(invitation, now),
        )
        for invitation, name in session.execute(statement)
    )


def look(session: Session, token: str, user_id: int | None, now: datetime) -> Invited:
    """What the holder of a link is invited to. Raises InvitationClosed, saying why it works no more (to a
    person who joined by it, it goes on to answer)."""
    invitation = _named(session, token)
    team = session.get_one(Team, invitation.team_id)
    membership = membership_of(session, team.task_id, user_id) if user_id is not None else None
    joined = membership is not None and membership.team_id == team.id
    if not joined:
        _require_open(invitation, now)
    return Invited(
        task=session.get_one(Task, team.task_id).name,
        team=team.name,
        affiliation=team.affiliation,
        made_by=session.get_one(User, invitation.made_by).name,
        expires_at=invitation.expires_at,
        joined=joined,
    )


def accept(session: Session, token: str, user_id: int, now: datetime) -> str:
    """Puts the person into the team; returns the name of the task. Safe to repeat.

    Raises InvitationClosed and InAnotherTeam.
    """
    invitation = _named(session, token)
    lock_person(session, user_id)
    # Who joins, who withdraws and who removes take turns at the team.
    team = lock_team(session, invitation.team_id)
    session.refresh(invitation)
    try:
        require_no_team(session, team.task_id, user_id)
    except InAnotherTeam:
        membership = membership_of(session, team.task_id, user_id)
        if membership is None or membership.team_id != team.id:
            raise
        return session.get_one(Task, team.task_id).name
    _require_open(invitation, now)
    _require_newer(session, invitation, user_id)
    # A team without people is led by the first who comes.
    join(session, team, user_id, "member" if members(session, team.id) else "captain", now)
    invitation.uses += 1
    session.flush()
    return session.get_one(Task, team.task_id).name


def _named(session: Session, token: str) -> Invitation:
    statement = select(Invitation).where(Invitation.token_hash == hashed(token))
    invitation = session.scalars(statement).one_or_none()
    if invitation is None:
        raise InvitationClosed(
            say("There is no such invitation. Check that you copied the whole link, or ask for a new one.")
        )
    return invitation


def _require_open(invitation: Invitation, now: datetime) -> None:
    state = _state(invitation, now)
    if state == "withdrawn":
        raise InvitationClosed(say("This invitation was withdrawn. Ask the team for a new one."))
    if state == "expired":
        raise InvitationClosed(say("This invitation has expired. Ask the team for a new one."))
    if state == "used up":
        raise InvitationClosed(say("This invitation has been used. Ask the team for a new one."))


def _require_newer(session: Session, invitation: Invitation, user_id: int) -> None:
    """A link that somebody knows from an earlier time in the team does not lead back into it."""
    left_at = session.scalar(
        select(func.max(Membership.left_at)).where(
            Membership.team_id == invitation.team_id, Membership.user_id == user_id
        )
    )
    if left_at is not None and invitation.created_at <= left_at:
        raise InvitationClosed(
            say("You were in this team before, and this invitation is older. Ask the team for a new one.")
        )


def close_all(session: Session, team_id: int, now: datetime) -> None:
    """Withdraws all invitations of a team."""
    session.execute(
        update(Invitation)
        .where(Invitation.team_id == team_id, Invitation.withdrawn_at.is_(None))
        .values(withdrawn_at=now)
    )


def _state(invitation: Invitation, now: datetime) -> State:
    if invitation.withdrawn_at is not None:
        return "withdrawn"
    if invitation.uses >= invitation.most_uses:
        return "used up"
    return "expired" if invitation.expires_at <= now else "open"
