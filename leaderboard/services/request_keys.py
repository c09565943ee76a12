"""Requests that may be sent again: the same key with the same request gets the first answer once more.

A sender whose connection broke cannot know whether its request was answered. It sends it again under the
same key, and what was done is not done twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.services.teams import lock_person
from leaderboard.store.models import RequestKey

KEPT = timedelta(hours=48)
"""So long the first answer is given again; later the key counts as a new one."""

LEASE = timedelta(minutes=1)
"""A request that was begun so long ago and has no answer is taken to have broken off; whoever repeats it does
it anew. Were it still at work, the same file would be found to be the same run."""

LONGEST = 200


class KeyRefused(ServiceError):
    """This cannot be a key."""

    def __init__(self) -> None:
        super().__init__(
            say("A key for repeating has 1 to {most} visible ASCII characters, as a UUID.", most=LONGEST)
        )


class KeyOfAnother(ServiceError):
    """The key was used with another request."""

    def __init__(self) -> None:
        super().__init__(say("This key was used with another request. Choose a new key for a new request."))


class StillBusy(ServiceError):
    """The first request with this key is being answered."""

    def __init__(self) -> None:
        super().__init__(say("The first request with this key is still being answered. Ask again shortly."))


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: the status of HTTP and the body."""

    status: int
    body: str


def begin(session: Session, user_id: int, key: str, fingerprint: str, now: datetime) -> Answer | None:
    """The first answer to this request; None where there is none yet, and the caller shall make it and call
    `finish`, or `forget`. Raises KeyRefused, KeyOfAnother and StillBusy."""
    if not (1 <= len(key) <= LONGEST and key.isascii() and key.isprintable() and " " not in key):
        raise KeyRefused
    # The lock lets one of two at once be the first.
    lock_person(session, user_id)
    session.execute(delete(RequestKey).where(RequestKey.begun_at < now - KEPT))
    row = _row(session, user_id, key)
    if row is None:
        session.add(RequestKey(user_id=user_id, key=key, fingerprint=fingerprint, begun_at=now))
        session.flush()
        return None
    if row.fingerprint != fingerprint:
        raise KeyOfAnother
    if row.status is not None and row.body is not None:
        return Answer(row.status, row.body)
    if row.begun_at > now - LEASE:
        raise StillBusy
    row.begun_at = now
    return None


def finish(session: Session, user_id: int, key: str, answer: Answer) -> None:
    """Keeps the answer for whoever repeats the request."""
    row = _row(session, user_id, key)
    if row is not None:
        row.status, row.body = answer.status, answer.body


def forget(session: Session, user_id: int, key: str) -> None:
    """For a request that did nothing: sent again, it is a new one."""
    session.execute(
        delete(RequestKey).where(
            RequestKey.user_id == user_id, RequestKey.key == key, RequestKey.status.is_(None)
        )
    )


def _row(session: Session, user_id: int, key: str) -> RequestKey | None:
    statement = select(RequestKey).where(RequestKey.user_id == user_id, RequestKey.key == key)
    return session.scalars(statement).one_or_none()
