"""What measures are worth: how many pairs of runs each tells apart, and how alike they rank the runs.

The study of Clarke, Vtyurina and Smucker, Assessing Top-k Preferences (ACM TOIS 2021), its Table 1 and
Figure 7, for any measures whose values come by unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.analysis import resampling
from leaderboard.analysis.agreement import overlap, ranking, tau_b
from leaderboard.analysis.corrections import bonferroni, holm
from leaderboard.analysis.pairwise import complete, paired_t
from leaderboard.analysis.resampling import Interval
from leaderboard.contract import FloatArray

ALPHA = 0.05
PERSISTENCE = 0.9
"""Of the rank-biased overlap of rankings: the first ten runs have most of the weight."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How many of the `pairs` of runs a measure tells apart: by p-values as they are (p < `ALPHA`), by
    Bonferroni's and by Holm's correction."""

    pairs: int
    plain: int
    bonferroni: int
    holm: int

    def share(self, found: int) -> float:
        """Of all pairs, from 0 to 1; nan without pairs."""
        return found / self.pairs if self.pairs else float("nan")


@dataclass(frozen=True, slots=True)
class Assessed:
    """A measure: the mean and interval of each run, its sensitivity, and its agreement with the first
    measure of the study. `units` have a value for every run."""

    values: tuple[float, ...]
    intervals: tuple[Interval, ...]
    units: int
    sensitivity: Sensitivity
    tau: float
    overlap: float


def sensitivity(matrix: FloatArray, alpha: float = ALPHA) -> Sensitivity:
    """How many pairs of rows of runs × units the paired t-test tells apart, over the units that all have."""
    whole = complete(matrix)
    if len(matrix) < 2 or whole.shape[1] < 2:
        return Sensitivity(len(matrix) * (len(matrix) - 1) // 2, 0, 0, 0)
    p = paired_t(whole).p
    return Sensitivity(len(p), *(int(np.count_nonzero(each < alpha)) for each in (p, bonferroni(p), holm(p))))


def study(matrices: Sequence[FloatArray], seed: int) -> tuple[Assessed, ...]:
    """Assesses measures, each given as runs × units with the same runs; the first is the baseline.

    Higher has to be better. Units that a measure leaves out (nan) do not count in its means.
    """
    values = [_means(matrix) for matrix in matrices]
    return tuple(
        Assessed(
            values=tuple(own.tolist()),
            intervals=_intervals(matrix, seed),
            units=complete(matrix).shape[1],
            sensitivity=sensitivity(matrix),
            tau=tau_b(values[0], own),
            overlap=overlap(ranking(values[0]), ranking(own), PERSISTENCE),
        )
        for matrix, own in zip(matrices, values, strict=True)
    )


def _means(matrix: FloatArray) -> FloatArray:
    if not matrix.size:
        return np.full(len(matrix), np.nan)
    # The bootstrap's mean of a draw that has every unit once.
    return resampling.means(matrix, np.ones((1, matrix.shape[1]), dtype=np.int32))[:, 0]


def _intervals(matrix: FloatArray, seed: int) -> tuple[Interval, ...]:
    units = matrix.shape[1]
    return resampling.intervals(resampling.means(matrix, resampling.draw(units, seed)), units)
