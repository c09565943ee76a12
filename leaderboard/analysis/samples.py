"""What is known of how several runs' values of one measure would vary: values by unit, or resampled values.

Both say the same things, so that whoever asks need not know which it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from leaderboard.analysis import resampling
from leaderboard.analysis.pairwise import Pairs, complete, paired_t, pairs_of
from leaderboard.analysis.resampling import Interval
from leaderboard.contract import FloatArray


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

    def pairs(self) -> Pairs:
        """The test of every two runs, over the same units."""
        ...


@dataclass(frozen=True, eq=False)
class ByUnit:
    """Runs × units, nan where a measure leaves a unit out: the value of a run is the mean over its units.

    Two runs are compared by the paired t-test over the units that all runs have.
    """

    matrix: FloatArray
    seed: int

    @cached_property
    def values(self) -> FloatArray:
        if not self.matrix.size:
            return np.full(len(self.matrix), np.nan)
        # The mean of a draw that has every unit once.
        return resampling.means(self.matrix, np.ones((1, self.matrix.shape[1]), dtype=np.int32))[:, 0]

    @property
    def units(self) -> int:
        return int(complete(self.matrix).shape[1])

    def intervals(self) -> tuple[Interval, ...]:
        runs, units = self.matrix.shape
        if not self.matrix.size:
            return tuple(resampling.NO_INTERVAL for _ in range(runs))
        return resampling.intervals(resampling.means(self.matrix, resampling.draw(units, self.seed)), units)

    def pairs(self) -> Pairs:
        if self.units < 2:
            return untold(self.values)
        return paired_t(complete(self.matrix))


@dataclass(frozen=True, eq=False)
class Drawn:
    """The `values` of runs and what they become in each draw of so many `units` (runs × draws).

    Two runs are compared by the paired bootstrap of their difference.
    """

    values: FloatArray
    resampled: FloatArray
    units: int

    def intervals(self) -> tuple[Interval, ...]:
        return resampling.intervals(self.resampled, self.units)

    def pairs(self) -> Pairs:
        if self.units < 2:
            return untold(self.values)
        return resampling.paired_differences(self.values, self.resampled, self.units)


def untold(values: FloatArray) -> Pairs:
    """The pairs of runs that nothing is known of but their values: p is 1 for all."""
    first, second = pairs_of(len(values))
    nothing = np.zeros(len(first))
    return Pairs(first, second, values[first] - values[second], nothing, np.ones(len(first)))
