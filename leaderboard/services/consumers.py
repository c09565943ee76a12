"""Who does jobs, and what is to be done once a while by one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from leaderboard.store.models import Consumer, Duty

SEEN = timedelta(seconds=5)
"""So often a consumer says that it lives."""

GONE = timedelta(seconds=30)
"""One that was not seen for so long does no jobs any more."""

EVERY = timedelta(minutes=1)
"""So often each duty is done."""


@dataclass(frozen=True, slots=True)
class Present:
    """A process that does jobs."""

    host: str
    process: int
    threads: int
    started_at: datetime
    seen_at: datetime


def arrive(session: Session, host: str, process: int, threads: int, now: datetime) -> int:
    """Writes down a new consumer, and returns its number. Those that are gone are forgotten."""
    row = Consumer(host=host, process=process, threads=threads, started_at=now, seen_at=now)
    session.add(row)
    session.flush()
    # Only now: SQLite would give us the number of one that may still live.
    session.execute(delete(Consumer).where(Consumer.seen_at < now - GONE))
    return row.id


def seen(session: Session, consumer_id: int, now: datetime) -> bool:
    """A consumer lives. Whether it is written down: one that could not say so for long is forgotten."""
    lives = update(Consumer).where(Consumer.id == consumer_id).values(seen_at=now)
    return bool(session.execute(lives).rowcount)  # type: ignore[attr-defined]  # every UPDATE has one


def leave(session: Session, consumer_id: int) -> None:
    """A consumer ends."""
    session.execute(delete(Consumer).where(Consumer.id == consumer_id))


def present(session: Session, now: datetime) -> tuple[Present, ...]:
    """Who does jobs now, the longest there first."""
    rows = session.scalars(select(Consumer).where(Consumer.seen_at >= now - GONE).order_by(Consumer.id))
    return tuple(Present(row.host, row.process, row.threads, row.started_at, row.seen_at) for row in rows)


def due(session: Session, names: tuple[str, ...], now: datetime) -> tuple[str, ...]:
    """Which of these duties it is time for."""
    rows: Mapping[str, datetime] = {
        duty.name: duty.next_at for duty in session.scalars(select(Duty).where(Duty.name.in_(names)))
    }
    return tuple(name for name in names if rows.get(name, now) <= now)


def take_duty(session: Session, name: str, now: datetime) -> bool:
    """Whether the duty is ours to do this time; of several that ask at once, it is one's."""
    moved = update(Duty).where(Duty.name == name, Duty.next_at <= now).values(next_at=now + EVERY)
    if session.execute(moved).rowcount:  # type: ignore[attr-defined]  # every UPDATE has one
        return True
    if session.get(Duty, name) is not None:
        return False
    try:
        with session.begin_nested():
            session.add(Duty(name=name, next_at=now + EVERY))
    except IntegrityError:
        return False
    return True
