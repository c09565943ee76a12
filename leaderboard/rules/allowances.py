"""What one team may do in a phase beyond what the phase allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from leaderboard.contract import PhaseSpec
from leaderboard.rules.phases import Window, window

_FIRST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a team was granted in one phase; None where the phase's own value holds."""

    closes_at: datetime | None = None
    runs_per_day: int | None = None
    runs_in_all: int | None = None
    rejected_per_day: int | None = None


NOTHING = Grant()
"""No grant at all."""


def granted(phase: PhaseSpec, grant: Grant) -> PhaseSpec:
    """The phase as it is for a team with that grant. A grant never takes anything away: of two deadlines or
    limits the later or larger one holds, and no deadline or limit is the largest."""
    return replace(
        phase,
        closes_at=_more(phase.closes_at, grant.closes_at),
        runs_per_day=_more_of(phase.runs_per_day, grant.runs_per_day),
        runs_in_all=_more_of(phase.runs_in_all, grant.runs_in_all),
        rejected_per_day=_more_of(phase.rejected_per_day, grant.rejected_per_day),
    )


def window_of_team(phases: Sequence[PhaseSpec], grants: Mapping[str, Grant], moment: datetime) -> Window:
    """The phase that `moment` belongs to for a team with those grants (by the name of the phase).

    A phase that only this team's own deadline keeps open is meant before any other, also before one that
    has opened since; of several such the last opened. Else as `window`. Raises ValueError without phases.
    """
    own = [granted(phase, grants.get(phase.name, NOTHING)) for phase in phases]
    extended = [
        mine
        for phase, mine in zip(phases, own, strict=True)
        if phase.closes_at is not None
        and mine.closes_at is not None
        and (phase.opens_at or _FIRST) <= moment
        and phase.closes_at <= moment < mine.closes_at
    ]
    if extended:
        return Window(max(extended, key=lambda phase: phase.opens_at or _FIRST), late=False)
    return window(own, moment)


def _more(value: datetime | None, granted: datetime | None) -> datetime | None:
    return value if value is None or granted is None else max(value, granted)


def _more_of(limit: int | None, granted: int | None) -> int | None:
    return limit if limit is None or granted is None else max(limit, granted)
