"""A person's account: what is known of the person, taking it along, and having it deleted."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.services.memberships import leave_everything
from leaderboard.services.runs import clean_name
from leaderboard.services.teams import lock_person
from leaderboard.store.models import (
    ApiToken,
    Invitation,
    Letter,
    Membership,
    RequestKey,
    Role,
    Task,
    Team,
    User,
    UserSession,
)

TERMS = "2026-12"
"""The version of the terms and of the privacy page that people agree to; a new one for a new meaning."""


class UnknownAccount(ServiceError):
    """There is no such account, or no more."""

    def __init__(self) -> None:
        super().__init__(say("There is no such account."))


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in. `rights` are pairs of a role and the name of its task (None: the whole site)."""

    user_id: int
    email: str
    name: str
    locale: str | None
    created_at: datetime
    second_factor: bool
    recovery_codes: int
    consent_version: str | None
    rights: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Heir:
    """Who leads a team now whose captain has gone."""

    user_id: int
    email: str
    locale: str | None
    team: str
    task: str


def normal_address(email: str) -> str:
    """The one form in which an address is kept and looked up."""
    return email.strip().lower()


def person(session: Session, user_id: int) -> Person | None:
    """An account that can be used, None where there is none."""
    user = session.get(User, user_id)
    if user is None or not user.active or user.email is None:
        return None
    rights = session.execute(
        select(Role.name, Task.name)
        .outerjoin(Task, Task.id == Role.task_id)
        .where(Role.user_id == user_id)
        .order_by(Role.id)
    )
    return Person(
        user_id=user.id,
        email=user.email,
        name=user.name,
        locale=user.locale,
        created_at=user.created_at,
        second_factor=bool(user.tf_primary_method and user.tf_totp_secret),
        recovery_codes=len(user.mf_recovery_codes or ()),
        consent_version=user.consent_version,
        rights=tuple((role, task) for role, task in rights),
    )


def change(session: Session, user_id: int, name: str, locale: str | None) -> None:
    """Gives a person another name, and the language of letters. Raises NameRefused and UnknownAccount."""
    user = _active(session, user_id)
    user.name, user.locale = clean_name(name), locale


def agree(session: Session, user_id: int, version: str, now: datetime) -> None:
    """Notes that the person agrees to the terms of this version. Raises UnknownAccount."""
    user = _active(session, user_id)
    user.consent_version, user.consented_at = version, now


def delete(session: Session, user_id: int, now: datetime) -> tuple[Heir, ...]:
    """Removes the person: address, name, password, second factor, sign-ins, tokens, rights, letters.

    The teams and their runs stay. A team whose captain this was is led by the one who has been in it longest;
    those people are returned. Raises UnknownAccount.
    """
    _active(session, user_id)
    inherited = leave_everything(session, user_id, now)
    for table in (UserSession, Letter, Role, ApiToken, RequestKey):
        session.execute(delete_rows(table).where(table.user_id == user_id))
    user = session.get_one(User, user_id, populate_existing=True)
    user.email = user.password = user.locale = user.consent_version = user.consented_at = None
    user.tf_primary_method = user.tf_totp_secret = user.tf_last_counter = user.mf_recovery_codes = None
    user.confirmed_at = None
    user.name, user.active, user.deleted_at = "", False, now
    user.fs_uniquifier = secrets.token_hex(16)
    session.flush()
    return tuple(_heir(session, team) for team in inherited)


def personal_data(session: Session, user_id: int) -> Mapping[str, Any]:
    """Everything that is stored about a person, as JSON knows it. Of secrets it says only that they exist.

    Raises UnknownAccount.
    """
    user = _active(session, user_id)
    return {
        "account": {
            "email": user.email,
            "name": user.name,
            "language": user.locale,
            "created": _time(user.created_at),
            "confirmed": _time(user.confirmed_at),
            "password": user.password is not None,
            "second factor": user.tf_primary_method,
            "recovery codes left": len(user.mf_recovery_codes or ()),
            "terms agreed to": user.consent_version,
            "agreed": _time(user.consented_at),
        },
        "rights": [
            {"role": role.name, "task": task, "given": _time(role.given_at)}
            for role, task in session.execute(
                select(Role, Task.name)
                .outerjoin(Task, Task.id == Role.task_id)
                .where(Role.user_id == user_id)
                .order_by(Role.id)
            )
        ],
        "sign-ins": [
            {
                "browser": row.user_agent,
                "address": row.address,
                "began": _time(row.created_at),
                "last seen": _time(row.last_seen_at),
                "ended": _time(row.ended_at),
            }
            for row in session.scalars(
                select(UserSession).where(UserSession.user_id == user_id).order_by(UserSession.id)
            )
        ],
        "tokens": _tokens(session, user_id),
        "repeatable requests": _request_keys(session, user_id),
        "teams": _teams(session, user_id),
        "invitations made": _invitations(session, user_id),
        "letters": [
            {"to": row.recipient, "subject": row.subject, "written": _time(row.created_at)}
            for row in session.scalars(select(Letter).where(Letter.user_id == user_id).order_by(Letter.id))
        ],
    }


def _tokens(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = select(ApiToken).where(ApiToken.user_id == user_id).order_by(ApiToken.id)
    return [
        {
            "name": row.name,
            "scope": row.scope,
            "made": _time(row.created_at),
            "expires": _time(row.expires_at),
            "last used": _time(row.last_used_at),
            "revoked": _time(row.revoked_at),
        }
        for row in session.scalars(statement)
    ]


def _request_keys(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = select(RequestKey).where(RequestKey.user_id == user_id).order_by(RequestKey.id)
    return [{"key": row.key, "sent": _time(row.begun_at)} for row in session.scalars(statement)]


def _teams(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Membership, Team.name, Task.name)
        .join(Team, Team.id == Membership.team_id)
        .join(Task, Task.id == Membership.task_id)
        .where(Membership.user_id == user_id)
        .order_by(Membership.id)
    )
    return [
        {
            "task": task,
            "team": team,
            "role": row.role,
            "joined": _time(row.joined_at),
            "left": _time(row.left_at),
        }
        for row, team, task in session.execute(statement)
    ]


def _invitations(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Invitation, Team.name)
        .join(Team, Team.id == Invitation.team_id)
        .where(Invitation.made_by == user_id)
        .order_by(Invitation.id)
    )
    return [
        {
            "team": team,
            "made": _time(row.created_at),
            "expires": _time(row.expires_at),
            "withdrawn": _time(row.withdrawn_at),
            "people joined": row.uses,
        }
        for row, team in session.execute(statement)
    ]


def _heir(session: Session, team: Team) -> Heir:
    captain = session.execute(
        select(User, Task.name)
        .join(Membership, Membership.user_id == User.id)
        .join(Task, Task.id == Membership.task_id)
        .where(Membership.team_id == team.id, Membership.left_at.is_(None), Membership.role == "captain")
    ).one()
    user, task = captain
    return Heir(user.id, user.email or "", user.locale, team.name, task)


def _active(session: Session, user_id: int) -> User:
    if session.get(User, user_id) is None:
        raise UnknownAccount
    user = lock_person(session, user_id)
    if not user.active:
        raise UnknownAccount
    return user


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
