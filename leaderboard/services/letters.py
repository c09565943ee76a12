"""Mail: written in the transaction that is its reason, sent once that is committed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from leaderboard.store.models import Letter
from leaderboard.store.session import Transaction

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 10
_AT_ONCE = 50
_CLAIM = timedelta(minutes=5)
"""So long nobody else tries to send a letter that somebody is sending."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """A letter as it goes out."""

    letter_id: int
    recipient: str
    subject: str
    body: str


class Postman(Protocol):
    """Whoever carries letters away; raises OSError where that fails."""

    def carry(self, letter: Addressed) -> None:
        """Carries one letter. Being handed the same letter again, it may carry it twice."""
        ...


def write(
    session: Session, recipient: str, subject: str, body: str, now: datetime, user_id: int | None = None
) -> None:
    """Leaves a letter to be sent. `user_id` says to whom it belongs, so that it goes with the account."""
    session.add(
        Letter(
            user_id=user_id,
            recipient=recipient,
            # A line break would begin another header.
            subject=" ".join(subject.split()),
            body=body.strip() + "\n",
            created_at=now,
        )
    )


def deliver(writing: Transaction, postman: Postman, now: datetime) -> int:
    """Hands the letters that wait to the postman and says how many went out.

    One that cannot be sent is tried again later, ten times in about a day; nothing is raised for it. After a
    crash between sending and noting that, a letter is sent again.
    """
    sent = 0
    for letter in _claim(writing, now):
        try:
            postman.carry(letter)
        except OSError as error:
            log.warning("letter %s could not be sent", letter.letter_id, exc_info=error)
            _note_failure(writing, letter.letter_id, str(error), now)
            continue
        _note_sent(writing, letter.letter_id, now)
        sent += 1
    return sent


def _claim(writing: Transaction, now: datetime) -> list[Addressed]:
    statement = (
        select(Letter)
        .where(
            Letter.sent_at.is_(None),
            Letter.attempts < MOST_ATTEMPTS,
            or_(Letter.not_before.is_(None), Letter.not_before <= now),
        )
        .order_by(Letter.id)
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    with writing() as session:
        letters = session.scalars(statement).all()
        for letter in letters:
            letter.attempts += 1
            letter.not_before = now + _CLAIM
        return [Addressed(letter.id, letter.recipient, letter.subject, letter.body) for letter in letters]


def _note_sent(writing: Transaction, letter_id: int, now: datetime) -> None:
    with writing() as session:
        letter = session.get(Letter, letter_id)
        if letter is not None:
            letter.sent_at, letter.body, letter.error = now, "", None


def _note_failure(writing: Transaction, letter_id: int, why: str, now: datetime) -> None:
    with writing() as session:
        letter = session.get(Letter, letter_id)
        if letter is not None:
            letter.error = why
            letter.not_before = now + timedelta(minutes=2**letter.attempts)
