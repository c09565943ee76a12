"""In which phase a moment falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.contract import PhaseSpec, TaskSpec, Text

ANY_TIME = PhaseSpec("open", Text({"en": "Open", "ru": "Открытая"}))
"""The one phase of a task that declares none: always open, no quotas."""

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def phases_of(spec: TaskSpec) -> tuple[PhaseSpec, ...]:
    """The phases of a task; one that is always open where it declares none."""
    return spec.phases or (ANY_TIME,)


@dataclass(frozen=True, slots=True)
class Window:
    """The phase a moment falls in, and whether it comes too late to count there."""

    phase: PhaseSpec
    late: bool


def window(phases: Sequence[PhaseSpec], moment: datetime) -> Window:
    """The phase that `moment` belongs to.

    A phase is open from `opens_at` on and until just before `closes_at`. Of several open ones the last
    opened is meant. With none open it is the one that closed last, and the moment is late; before all
    of them it is the first to open. Raises ValueError without phases.
    """
    if not phases:
        raise ValueError("a task has at least one phase")
    started = [phase for phase in phases if (phase.opens_at or _FIRST) <= moment]
    still_open = [phase for phase in started if moment < (phase.closes_at or _LAST)]
    if still_open:
        return Window(max(still_open, key=lambda phase: phase.opens_at or _FIRST), late=False)
    if started:
        return Window(max(started, key=lambda phase: phase.closes_at or _LAST), late=True)
    return Window(min(phases, key=lambda phase: phase.opens_at or _FIRST), late=False)
