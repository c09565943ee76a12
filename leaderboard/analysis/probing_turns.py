"""Whether two teams take turns: on days of both, one begins only when the other has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import comb
from statistics import median

from leaderboard.analysis.probing_climbs import at_least

LEAST_DAYS = 3


@dataclass(frozen=True, slots=True)
class Turns:
    """On `apart` of `days` days of both one team ended before the other began, after `minutes` (the median).
    `p_value`: how likely that is on so many days, were the order of all runs of a day chance. Teams of two
    time zones work apart too, though rarely one right after the other."""

    days: int
    apart: int
    minutes: float
    p_value: float


def turns(one: Iterable[datetime], other: Iterable[datetime]) -> Turns | None:
    """Whether two teams take turns, from when each sent its runs; None for less than `LEAST_DAYS` days."""
    mine, theirs = _by_day(one), _by_day(other)
    days = sorted(mine.keys() & theirs.keys())
    if len(days) < LEAST_DAYS:
        return None
    gaps = [gap for day in days if (gap := _gap(mine[day], theirs[day])) is not None]
    chances = [min(1.0, 2 / comb(len(mine[day]) + len(theirs[day]), len(mine[day]))) for day in days]
    minutes = median(gaps) if gaps else 0.0
    return Turns(len(days), len(gaps), minutes, at_least(len(gaps), chances))


def _by_day(moments: Iterable[datetime]) -> dict[date, list[datetime]]:
    found: dict[date, list[datetime]] = {}
    for moment in sorted(moments):
        found.setdefault(moment.date(), []).append(moment)
    return found


def _gap(one: Sequence[datetime], other: Sequence[datetime]) -> float | None:
    """The minutes between two teams' runs of one day, None where they are mixed."""
    if one[-1] < other[0]:
        return (other[0] - one[-1]).total_seconds() / 60
    if other[-1] < one[0]:
        return (one[0] - other[-1]).total_seconds() / 60
    return None
