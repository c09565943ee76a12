"""From which earlier run a run was made, by what differs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.analysis.probing_sketch import Whole, changed

Key = TypeVar("Key", bound=Hashable)

TOUCHED = 64
"""So many of the units that differ are kept at most, those with the least hashes."""


@dataclass(frozen=True, eq=False)
class Origin(Generic[Key]):
    """The earlier run (`parent`) that a run differs least from: in `changed` of `units` units, of which
    `touched` are some by hash."""

    parent: Key
    changed: int
    units: int
    touched: NDArray[np.uint64]


def origin(run: Whole, earlier: Iterable[tuple[Key, Whole]]) -> Origin[Key] | None:
    """Of earlier runs the nearest; of equally near ones that which comes first; None where there are none."""
    best: Origin[Key] | None = None
    for key, other in earlier:
        units = changed(other, run)
        if best is None or len(units) < best.changed:
            most = max(len(run.unit), len(other.unit))
            best = Origin(key, len(units), most, np.sort(units)[:TOUCHED])
    return best
