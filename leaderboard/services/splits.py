"""How phases part their gold, and when what the private part says is shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import MOST_FINAL_RUNS, Message, SplitSpec, say
from leaderboard.store.models import Allowance, Phase

MOST_SEED = 1_000_000


def split_of(phase: Phase) -> SplitSpec | None:
    """How a phase parts its gold; None where it does not."""
    return from_json(phase.split)


def from_json(kept: Mapping[str, Any] | None) -> SplitSpec | None:
    """A split that `as_json` kept."""
    return None if kept is None else SplitSpec(**kept)


def as_json(split: SplitSpec | None) -> dict[str, Any] | None:
    """A split as `Phase.split` keeps it."""
    if split is None:
        return None
    return {
        "public": split.public,
        "seed": split.seed,
        "final_runs": split.final_runs,
        "reveal": split.reveal,
    }


def fault(split: SplitSpec | None) -> tuple[str, Message] | None:
    """What of a split cannot be, and why; None where all of it can."""
    if split is None:
        return None
    if not 0 < split.public < 1:
        return "public", say("Enter the share of the public part, between 0 and 1.")
    if not 1 <= split.final_runs <= MOST_FINAL_RUNS:
        return "final_runs", say("Enter a number from 1 to {most}.", most=MOST_FINAL_RUNS)
    if not 0 <= split.seed <= MOST_SEED:
        return "seed", say("Enter a number from 0 to {most}.", most=MOST_SEED)
    return None


def same_parts(one: SplitSpec | None, other: SplitSpec | None) -> bool:
    """Whether both part gold in the same way."""
    if one is None or other is None:
        return one is other
    return (one.public, one.seed) == (other.public, other.seed)


def told(column: str, value: Any) -> Any:
    """A value of a phase as everybody may read it: by its seed a split could be drawn again."""
    if column != "split" or value is None:
        return value
    return {name: each for name, each in value.items() if name != "seed"}


def revealed(session: Session, phase: Phase, now: datetime) -> bool:
    """Whether the final standing of a phase is shown: never while its ranking is frozen, nor before the last
    team's own deadline where it is shown at the closing."""
    split = split_of(phase)
    if split is None or phase.frozen_at is not None:
        return False
    if split.reveal == "organisers":
        return phase.revealed_at is not None and phase.revealed_at <= now
    if phase.closes_at is None:
        return False
    last = session.scalar(select(func.max(Allowance.closes_at)).where(Allowance.phase_id == phase.id))
    return max(phase.closes_at, last or phase.closes_at) <= now
