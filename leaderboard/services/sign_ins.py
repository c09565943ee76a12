"""The browsers in which a person is signed in, which the person can see and end."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.store.models import User, UserSession

LIFETIME = timedelta(days=30)
"""A browser that was not seen for so long is signed out."""

SEEN_AGAIN = timedelta(minutes=5)
"""More exactly than this nobody needs to know when a browser was seen last."""

_LONGEST = 300


class UnknownSignIn(ServiceError):
    """There is no such sign-in of this person."""

    def __init__(self) -> None:
        super().__init__(say("This browser is signed out already."))


@dataclass(frozen=True, slots=True)
class SignIn:
    """A browser that is signed in. `this` is the one that asks."""

    sign_in_id: int
    created_at: datetime
    last_seen_at: datetime
    browser: str
    address: str
    this: bool


@dataclass(frozen=True, slots=True)
class Recognised:
    """Whose browser it is, and whether it should be noted that it was seen."""

    sign_in_id: int
    user_id: int
    stale: bool


def begin(session: Session, user_id: int, user_agent: str, address: str, now: datetime) -> str:
    """Notes that a browser signed in. The random word returned is for its cookie; only its hash is kept."""
    token = secrets.token_urlsafe(32)
    session.add(
        UserSession(
            user_id=user_id,
            token_hash=hashed(token),
            created_at=now,
            last_seen_at=now,
            user_agent=user_agent[:_LONGEST],
            address=address[:_LONGEST],
        )
    )
    session.flush()
    return token


def recognise(session: Session, token: str, now: datetime) -> Recognised | None:
    """Whose cookie it is; None where the sign-in was ended or unused for too long, or the account frozen."""
    statement = (
        select(UserSession)
        .join(User, User.id == UserSession.user_id)
        .where(
            UserSession.token_hash == hashed(token),
            UserSession.ended_at.is_(None),
            User.active,
            User.frozen_at.is_(None),
        )
    )
    found = session.scalars(statement).one_or_none()
    if found is None or found.last_seen_at < now - LIFETIME:
        return None
    return Recognised(found.id, found.user_id, found.last_seen_at < now - SEEN_AGAIN)


def note_seen(session: Session, sign_in_id: int, now: datetime) -> None:
    """Keeps a sign-in alive."""
    session.execute(update(UserSession).where(UserSession.id == sign_in_id).values(last_seen_at=now))


def listing(session: Session, user_id: int, token: str, now: datetime) -> tuple[SignIn, ...]:
    """The browsers in which a person is signed in, the one with this `token` first, then the latest seen."""
    statement = select(UserSession).where(
        UserSession.user_id == user_id,
        UserSession.ended_at.is_(None),
        UserSession.last_seen_at >= now - LIFETIME,
    )
    own = hashed(token)
    rows = session.scalars(statement.order_by(UserSession.last_seen_at.desc(), UserSession.id.desc())).all()
    found = [
        SignIn(row.id, row.created_at, row.last_seen_at, row.user_agent, row.address, row.token_hash == own)
        for row in rows
    ]
    return tuple(sorted(found, key=lambda sign_in: not sign_in.this))


def end(session: Session, user_id: int, sign_in_id: int, now: datetime) -> None:
    """Signs one browser of a person out; its next request is refused. Raises UnknownSignIn."""
    row = session.get(UserSession, sign_in_id)
    if row is None or row.user_id != user_id or row.ended_at is not None:
        raise UnknownSignIn
    row.ended_at = now


def end_token(session: Session, token: str, now: datetime) -> None:
    """Signs out the browser with this cookie; nothing where that had happened before."""
    session.execute(
        update(UserSession)
        .where(UserSession.token_hash == hashed(token), UserSession.ended_at.is_(None))
        .values(ended_at=now)
    )


def end_all(session: Session, user_id: int, now: datetime, but: str = "") -> int:
    """Signs a person out everywhere, except in the browser whose cookie is `but`; says in how many."""
    ended = session.execute(
        update(UserSession)
        .where(
            UserSession.user_id == user_id,
            UserSession.ended_at.is_(None),
            UserSession.token_hash != hashed(but),
        )
        .values(ended_at=now)
        .returning(UserSession.id)
    )
    return len(ended.all())


def hashed(token: str) -> str:
    """What is kept of a secret word. It is long and random, so that a plain hash hides it."""
    return hashlib.sha256(token.encode()).hexdigest()
