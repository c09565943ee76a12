"""A person's account: who it is, and having it deleted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from email_validator import EmailNotValidError, validate_email
from sqlalchemy import delete as delete_rows
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.services.memberships import leave_everything
from leaderboard.services.runs import clean_name
from leaderboard.services.teams import lock_person
from leaderboard.store.models import (
    ApiToken,
    Letter,
    Membership,
    Notice,
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


class AddressRefused(ServiceError):
    """What was given is no e-mail address."""


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
    """An account that can be used, None where there is none, or it is frozen."""
    user = session.get(User, user_id)
    if user is None or not user.active or user.email is None or user.frozen_at is not None:
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


@dataclass(frozen=True, slots=True)
class NewPerson:
    """Whoever is to have an account that somebody else makes."""

    email: str
    name: str


def has_account(session: Session, email: str) -> bool:
    """Whether somebody with that address can sign in here."""
    statement = select(User.id).where(User.email == normal_address(email), User.active)
    return session.scalar(statement) is not None


def open_account(session: Session, wanted: NewPerson, password_hash: str, now: datetime) -> int:
    """Makes an account that needs no confirmation by mail; returns its number. Raises NameRefused,
    AddressRefused."""
    address = normal_address(wanted.email)
    try:
        validate_email(address, check_deliverability=False, test_environment=True)
    except EmailNotValidError as error:
        raise AddressRefused(
            say('"{email}" is not an e-mail address: {why}', email=wanted.email, why=str(error))
        ) from error
    user = User(
        email=address,
        name=clean_name(wanted.name or address.partition("@")[0]),
        password=password_hash,
        fs_uniquifier=secrets.token_hex(16),
        confirmed_at=now,
        created_at=now,
        consent_version=TERMS,
        consented_at=now,
    )
    session.add(user)
    session.flush()
    return user.id


def change(session: Session, user_id: int, name: str, locale: str | None) -> None:
    """Gives a person another name, and the language of letters. Raises NameRefused and UnknownAccount."""
    user = active(session, user_id)
    user.name, user.locale = clean_name(name), locale


def renew_hash(session: Session, user_id: int, kept: str | None, renewed: str) -> None:
    """Replaces the hash of a password by a newer one of the same password; not where it has changed since."""
    session.execute(update(User).where(User.id == user_id, User.password == kept).values(password=renewed))


def agree(session: Session, user_id: int, version: str, now: datetime) -> None:
    """Notes that the person agrees to the terms of this version. Raises UnknownAccount."""
    user = active(session, user_id)
    user.consent_version, user.consented_at = version, now


def delete(session: Session, user_id: int, now: datetime) -> tuple[Heir, ...]:
    """Removes the person: address, name, password, second factor, sign-ins, tokens, rights, letters.

    The teams and their runs stay. A team whose captain this was is led by the one who has been in it longest;
    those people are returned. Raises UnknownAccount.
    """
    active(session, user_id)
    inherited = leave_everything(session, user_id, now)
    for table in (UserSession, Letter, Notice, Role, ApiToken, RequestKey):
        session.execute(delete_rows(table).where(table.user_id == user_id))
    user = session.get_one(User, user_id, populate_existing=True)
    user.email = user.password = user.locale = user.consent_version = user.consented_at = None
    user.tf_primary_method = user.tf_totp_secret = user.tf_last_counter = user.mf_recovery_codes = None
    user.confirmed_at = None
    user.name, user.active, user.deleted_at = "", False, now
    user.fs_uniquifier = secrets.token_hex(16)
    session.flush()
    return tuple(_heir(session, team) for team in inherited)


def _heir(session: Session, team: Team) -> Heir:
    captain = session.execute(
        select(User, Task.name)
        .join(Membership, Membership.user_id == User.id)
        .join(Task, Task.id == Membership.task_id)
        .where(Membership.team_id == team.id, Membership.left_at.is_(None), Membership.role == "captain")
    ).one()
    user, task = captain
    return Heir(user.id, user.email or "", user.locale, team.name, task)


def active(session: Session, user_id: int) -> User:
    """An account that can be used, for this transaction alone to change. Raises UnknownAccount."""
    if session.get(User, user_id) is None:
        raise UnknownAccount
    user = lock_person(session, user_id)
    if not user.active:
        raise UnknownAccount
    return user
