"""Whether a series of runs climbs: small changes are kept where the value rose and undone where it fell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from leaderboard.analysis.probing import LEAST_UNITS, SMALL, Step, Strength
from leaderboard.contract import FloatArray

LEAST_STEPS = 8


@dataclass(frozen=True, slots=True)
class Climb:
    """Of small changes that raised the value `kept_better` of `better` were kept, of those that lowered it
    `kept_worse` of `worse`. `p_value` (Fisher's exact test, one-sided) is how often it would come to that, or
    more, were it not looked at. `records` of the runs were better than all before them, which `records_p`
    says the same of. `rise` is from the first value to the best."""

    runs: tuple[int, ...]
    better: int
    kept_better: int
    worse: int
    kept_worse: int
    p_value: float
    records: int
    records_p: float
    rise: float

    def strength(self, tests: int = 1) -> Strength:
        """With so many series and tracks looked at."""
        p_value = self.p_value * tests
        return "strong" if p_value < 1e-4 else "moderate" if p_value < 0.01 else "weak"


def climb(steps: Sequence[Step], values: FloatArray) -> Climb | None:
    """A step for each run of a series, and the run's values on one track, more being better; None where there
    are too few small changes for anything to be said, or they are not kept by what they did."""
    small = {step.run: step for step in steps if _is_small(step)}
    told = [
        (run, float(values[run] - values[step.parent]), following.parent == run)
        for run, step in small.items()
        if step.parent is not None and (following := small.get(run + 1)) is not None
    ]
    better = [kept for _, gain, kept in told if gain > 0]
    worse = [kept for _, gain, kept in told if gain < 0]
    if len(better) + len(worse) < LEAST_STEPS or not better or not worse:
        return None
    table = [[sum(better), len(better) - sum(better)], [sum(worse), len(worse) - sum(worse)]]
    p_value = float(stats.fisher_exact(table, alternative="greater").pvalue)
    if p_value >= 0.01:
        return None
    runs = tuple(run for run, gain, _ in told if gain)
    given = values[~np.isnan(values)]
    count, records_p = records(given)
    rise = float(given.max() - given[0])
    return Climb(runs, len(better), sum(better), len(worse), sum(worse), p_value, count, records_p, rise)


def _is_small(step: Step) -> bool:
    return step.parent is not None and step.units >= LEAST_UNITS and 0 < step.share <= SMALL


def records(values: FloatArray) -> tuple[int, float]:
    """How many values are better than all before them, the first not counted; and how likely so many are were
    their order chance: the n-th is a record with 1/n, each for itself."""
    count = int(np.count_nonzero(np.diff(np.maximum.accumulate(values)) > 0)) if len(values) else 0
    return count, at_least(count, [1 / (number + 2) for number in range(max(len(values) - 1, 0))])


def at_least(count: int, chances: Sequence[float]) -> float:
    """How likely `count` or more of independent things happen that have these chances each."""
    likely = np.array([1.0])
    for chance in chances:
        likely = np.convolve(likely, [1 - chance, chance])
    return float(likely[count:].sum())
