"""How many runs a team may send, and when it may send the next one.

A day is a calendar day in UTC, whatever the time zone of the team. What costs a slot is for the caller to
say: `sent` are the attempts that do, `rejected` those whose form was not right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from leaderboard.contract import PhaseSpec

Limit = Literal["not open yet", "runs today", "runs in all", "rejected today"]


@dataclass(frozen=True, slots=True)
class Attempts:
    """When a team's attempts in one phase were made, in any order."""

    sent: tuple[datetime, ...] = ()
    rejected: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team has used of a phase's limits at one moment.

    `reached` is the limit that keeps it from sending another run now, None where nothing does; `next_slot` is
    then the moment when it may, None where it may not in this phase any more.
    """

    phase: PhaseSpec
    today: int
    in_all: int
    rejected_today: int
    reached: Limit | None = None
    next_slot: datetime | None = None

    @property
    def left_today(self) -> int | None:
        """How many more runs the team may send today; None where there is no limit."""
        limits = [
            limit - used
            for limit, used in ((self.phase.runs_per_day, self.today), (self.phase.runs_in_all, self.in_all))
            if limit is not None
        ]
        return max(0, min(limits)) if limits else None

    @property
    def left_in_all(self) -> int | None:
        """How many more runs the team may send in the phase; None where there is no limit."""
        limit = self.phase.runs_in_all
        return None if limit is None else max(0, limit - self.in_all)

    @property
    def rejected_left_today(self) -> int | None:
        """How many more files may be faulty today; None where there is no limit."""
        limit = self.phase.rejected_per_day
        return None if limit is None else max(0, limit - self.rejected_today)


def quota(phase: PhaseSpec, attempts: Attempts, now: datetime) -> Quota:
    """What is used at `now`, and what keeps the team from sending a run, if anything does.

    Of several limits the one that lasts longest is named. A slot that would open only after the phase has
    closed is none; for a phase that has closed already (its late runs) that is of no account.
    """
    day, next_day = day_of(now)
    used = Quota(
        phase,
        today=_within(attempts.sent, day, next_day),
        in_all=len(attempts.sent),
        rejected_today=_within(attempts.rejected, day, next_day),
    )
    reached = _reached(used, now)
    if reached is None:
        return used
    return Quota(phase, used.today, used.in_all, used.rejected_today, reached, _next_slot(used, reached, now))


def day_of(moment: datetime) -> tuple[datetime, datetime]:
    """The first moment of a day in UTC, and that of the next."""
    start = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + timedelta(days=1)


def _within(moments: Iterable[datetime], start: datetime, end: datetime) -> int:
    return sum(start <= moment < end for moment in moments)


def _reached(used: Quota, now: datetime) -> Limit | None:
    phase = used.phase
    if phase.opens_at is not None and now < phase.opens_at:
        return "not open yet"
    if phase.runs_in_all is not None and used.in_all >= phase.runs_in_all:
        return "runs in all"
    if phase.runs_per_day is not None and used.today >= phase.runs_per_day:
        return "runs today"
    if phase.rejected_per_day is not None and used.rejected_today >= phase.rejected_per_day:
        return "rejected today"
    return None


def _next_slot(used: Quota, reached: Limit, now: datetime) -> datetime | None:
    phase = used.phase
    if reached == "not open yet":
        return phase.opens_at
    if reached == "runs in all":
        return None
    if reached == "runs today" and phase.runs_per_day == 0:
        return None
    _, next_day = day_of(now)
    closes = phase.closes_at
    return None if closes is not None and now < closes <= next_day else next_day
