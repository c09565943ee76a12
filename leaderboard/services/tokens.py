"""Personal tokens: what a person's scripts show in place of a password."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, cast

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.services.runs import clean_name
from leaderboard.services.sign_ins import SEEN_AGAIN, hashed
from leaderboard.services.teams import lock_person
from leaderboard.store.models import ApiToken, User

Scope = Literal["read", "submit"]

PREFIX = "leaderboard_"
"""Every token begins so: people and programs that look for secrets recognise it where it should not be."""

LIFETIMES = (7, 30, 90, 365)
"""For so many days a token may be made. None lasts for ever."""

MOST = 20
"""A person has at most so many tokens that work."""

_SHOWN = 4


class TooManyTokens(ServiceError):
    """The person has as many as one may have."""

    def __init__(self) -> None:
        super().__init__(say("You have {most} tokens, which is the limit. Revoke one first.", most=MOST))


class LifetimeRefused(ServiceError):
    """No token is made for so long."""

    def __init__(self) -> None:
        super().__init__(say("Choose how long the token is to work from the list."))


class UnknownToken(ServiceError):
    """The person has no such token, or it is revoked."""

    def __init__(self) -> None:
        super().__init__(say("This token does not work any more."))


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it; the secret itself is shown but once."""

    token_id: int
    name: str
    scope: Scope
    ends_with: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    expired: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token that was shown allows, and to whom. `stale`: it should be noted that it was used."""

    token_id: int
    user_id: int
    name: str
    scope: Scope
    expires_at: datetime
    stale: bool

    def permits(self, scope: Scope) -> bool:
        """Whether this may be done; whoever may submit may read."""
        return self.scope == scope or self.scope == "submit"


def make(session: Session, user_id: int, name: str, scope: Scope, days: int, now: datetime) -> str:
    """Makes a token and returns its secret, which nobody can read again.

    Raises NameRefused, LifetimeRefused and TooManyTokens.
    """
    if days not in LIFETIMES:
        raise LifetimeRefused
    clean = clean_name(name)
    lock_person(session, user_id)
    living = select(func.count()).where(
        ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None), ApiToken.expires_at > now
    )
    if (session.scalar(living) or 0) >= MOST:
        raise TooManyTokens
    secret = PREFIX + secrets.token_urlsafe(32)
    session.add(
        ApiToken(
            user_id=user_id,
            name=clean,
            scope=scope,
            token_hash=hashed(secret),
            ends_with=secret[-_SHOWN:],
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
    )
    session.flush()
    return secret


def listing(session: Session, user_id: int, now: datetime) -> tuple[Token, ...]:
    """The tokens of a person that are not revoked, the newest first."""
    statement = select(ApiToken).where(ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None))
    return tuple(
        Token(
            row.id,
            row.name,
            cast(Scope, row.scope),
            row.ends_with,
            row.created_at,
            row.expires_at,
            row.last_used_at,
            row.expires_at <= now,
        )
        for row in session.scalars(statement.order_by(ApiToken.created_at.desc(), ApiToken.id.desc()))
    )


def revoke_all(session: Session, user_id: int, now: datetime) -> None:
    """Makes all tokens of a person useless from now on."""
    living = update(ApiToken).where(ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None))
    session.execute(living.values(revoked_at=now))


def revoke(session: Session, user_id: int, token_id: int, now: datetime) -> None:
    """Makes a token useless from now on. Raises UnknownToken, in the same way where it is another's."""
    row = session.get(ApiToken, token_id)
    if row is None or row.user_id != user_id or row.revoked_at is not None:
        raise UnknownToken
    row.revoked_at = now


def recognise(session: Session, secret: str, now: datetime) -> Grant | None:
    """What the token allows; None where it is unknown, expired or revoked, or its owner's account closed or
    frozen."""
    if not secret.startswith(PREFIX):
        return None
    statement = (
        select(ApiToken)
        .join(User, User.id == ApiToken.user_id)
        .where(
            ApiToken.token_hash == hashed(secret),
            ApiToken.revoked_at.is_(None),
            ApiToken.expires_at > now,
            User.active,
            User.frozen_at.is_(None),
        )
    )
    row = session.scalars(statement).one_or_none()
    if row is None:
        return None
    stale = row.last_used_at is None or row.last_used_at < now - SEEN_AGAIN
    return Grant(row.id, row.user_id, row.name, cast(Scope, row.scope), row.expires_at, stale)


def note_used(session: Session, token_id: int, now: datetime) -> None:
    """Notes that a token was used."""
    session.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=now))
