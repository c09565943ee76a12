"""What is known of how several runs' values of one measure would vary: values by unit, or resampled values.

Both say the same things, so that whoever asks need not know which it is. What there is of each run may lie in
a table on disk, of which some rows are read at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from leaderboard.analysis import resampling
from leaderboard.analysis.pairwise import Pairs, complete, paired_t
from leaderboard.analysis.resampling import Interval
from leaderboard.analysis.tables import Table, blocks, tiles
from leaderboard.contract import FloatArray

RESAMPLED = 64
"""So many runs are resampled at a time."""


class Sample(Protocol):
    """Several runs' values of one measure."""

    @property
    def values(self) -> FloatArray:
        """The value of each run; nan where it has none."""
        ...

    @property
    def units(self) -> int:
        """How many units tell runs apart."""
        ...

    def intervals(self) -> tuple[Interval, ...]:
        """The 95 % bootstrap interval of each run's value."""
        ...

    def pairs(self) -> Iterator[Pairs]:
        """The test of every two runs, over the same units; some at a time."""
        ...


@dataclass(frozen=True, eq=False)
class ByUnit:
    """Runs × units, nan where a measure leaves a unit out: the value of a run is the mean over its units.

    Two runs are compared by the paired t-test over the units that all runs have.
    """

    matrix: Table
    seed: int

    @cached_property
    def values(self) -> FloatArray:
        runs, units = self.matrix.shape
        if not runs or not units:
            return np.full(runs, np.nan)
        # The mean of a draw that has every unit once.
        once = np.ones((1, units), dtype=np.int32)
        return np.concatenate([resampling.means(rows, once)[:, 0] for rows in blocks(self.matrix)])

    @cached_property
    def units(self) -> int:
        return complete(self.matrix).shape[1]

    def intervals(self) -> tuple[Interval, ...]:
        runs, units = self.matrix.shape
        if not runs or not units:
            return tuple(resampling.NO_INTERVAL for _ in range(runs))
        draws = resampling.draw(units, self.seed)
        return tuple(
            interval
            for rows in blocks(self.matrix, RESAMPLED)
            for interval in resampling.intervals(resampling.means(rows, draws), units)
        )

    def pairs(self) -> Iterator[Pairs]:
        if self.units < 2:
            return untold(self.values)
        return paired_t(complete(self.matrix))


@dataclass(frozen=True, eq=False)
class Drawn:
    """The `values` of runs and what they become in each draw of so many `units` (runs × draws).

    Two runs are compared by the paired bootstrap of their difference.
    """

    values: FloatArray
    resampled: Table
    units: int

    def intervals(self) -> tuple[Interval, ...]:
        return resampling.intervals(self.resampled, self.units)

    def pairs(self) -> Iterator[Pairs]:
        if self.units < 2:
            return untold(self.values)
        return resampling.paired_differences(self.values, self.resampled, self.units)


def untold(values: FloatArray) -> Iterator[Pairs]:
    """The pairs of runs that nothing is known of but their values: p is 1 for all."""
    for tile in tiles(values[:, np.newaxis]):
        first, second = tile.pairs
        nothing = np.zeros(len(first))
        yield Pairs(first, second, values[first] - values[second], nothing, np.ones(len(first)))
