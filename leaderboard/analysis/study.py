"""What measures are worth: how many pairs of runs each tells apart, and how alike they rank the runs.

The study of Clarke, Vtyurina and Smucker, Assessing Top-k Preferences (ACM TOIS 2021), its Table 1 and
Figure 7, for any measures whose values come by unit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from leaderboard.analysis.agreement import overlap, ranking, tau_b
from leaderboard.analysis.corrections import found
from leaderboard.analysis.pairwise import AT_ONCE
from leaderboard.analysis.resampling import Interval
from leaderboard.analysis.samples import Sample
from leaderboard.contract import FloatArray

ALPHA = 0.05
PERSISTENCE = 0.9
"""Of the rank-biased overlap of rankings: the first ten runs have most of the weight."""

_BYTES = np.dtype(np.float64).itemsize


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How many of the `pairs` of runs that have a value a measure tells apart: by p-values as they are
    (p < `ALPHA`), by Bonferroni's and by Holm's correction."""

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
    measure of the study. `units` are what tells runs apart: those that have a value for every run."""

    values: tuple[float, ...]
    intervals: tuple[Interval, ...]
    units: int
    sensitivity: Sensitivity
    tau: float
    overlap: float


def sensitivity(sample: Sample, alpha: float = ALPHA) -> Sensitivity:
    """How many pairs of runs the paired test tells apart; a run without a value is in none."""
    valued = ~np.isnan(sample.values)
    runs = int(np.count_nonzero(valued))
    count = runs * (runs - 1) // 2
    with tempfile.TemporaryFile() as small:
        for pairs in sample.pairs():
            p = pairs.p[valued[pairs.first] & valued[pairs.second]]
            small.write(p[p < alpha].tobytes())
        plain = small.tell() // _BYTES
        return Sensitivity(count, plain, *found(lambda: _numbers(small), count, alpha))


def _numbers(file: IO[bytes]) -> Iterator[FloatArray]:
    file.seek(0)
    return (np.frombuffer(some) for some in iter(lambda: file.read(AT_ONCE * _BYTES), b""))


def study(samples: Sequence[Sample], higher_is_better: Sequence[bool]) -> tuple[Assessed, ...]:
    """Assesses measures by samples of the same runs in the same order; the first is the baseline.

    A run without a value on one of the two measures has no part in tau and overlap. Runs with equal values
    are ranked in the order of the study.
    """
    assessed = []
    baseline = _goodness(samples[0], higher_is_better[0]) if samples else np.empty(0)
    for sample, higher in zip(samples, higher_is_better, strict=True):
        good = _goodness(sample, higher)
        both = ~np.isnan(baseline) & ~np.isnan(good)
        assessed.append(
            Assessed(
                values=tuple(sample.values.tolist()),
                intervals=sample.intervals(),
                units=sample.units,
                sensitivity=sensitivity(sample),
                tau=tau_b(baseline[both], good[both]),
                overlap=overlap(ranking(baseline[both]), ranking(good[both]), PERSISTENCE),
            )
        )
    return tuple(assessed)


def _goodness(sample: Sample, higher_is_better: bool) -> FloatArray:
    return sample.values if higher_is_better else -sample.values
