"""Two runs beside each other, unit by unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.analysis import resampling
from leaderboard.analysis.pairwise import ROUNDING, two_sided
from leaderboard.analysis.resampling import Interval
from leaderboard.contract import FloatArray

FLIPS = 10_000
"""So many random assignments of signs are made where all would be too many."""

EXACT = 13
"""Up to so many differences all assignments of signs are tried."""


@dataclass(frozen=True, slots=True)
class Test:
    """A statistic and its two-sided p-value; nan where there is none."""

    # pytest takes what is called so for tests otherwise.
    __test__ = False

    statistic: float
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run minus another over the units that both have a value for.

    `wins` and `losses` are units where the first is higher or lower, `ties` those where they are equal but
    for rounding. `difference` is the mean, `interval` its bootstrap interval; `effect` is Cohen's d of paired
    values, the mean difference divided by the standard deviation of differences (0 without any difference,
    ±inf where it is the same everywhere but for rounding).
    """

    units: int
    wins: int
    losses: int
    ties: int
    difference: float
    interval: Interval
    effect: float
    t: Test
    wilcoxon: Test
    randomisation: Test

    @property
    def same_everywhere(self) -> bool:
        """Whether the runs differ, and by the same on every unit: then nothing bounds `effect` and t."""
        return bool(np.isinf(self.effect))


def compare(first: FloatArray, second: FloatArray, seed: int) -> Comparison:
    """Compares two runs' values of the same units. Raises ValueError where fewer than two are complete."""
    gained = gains(first, second)
    gained = gained[~np.isnan(gained)]
    if len(gained) < 2:
        raise ValueError(f"a comparison needs at least two units with both values, not {len(gained)}")
    draws = resampling.draw(len(gained), seed)
    resampled = resampling.means(gained[np.newaxis], draws)[0]
    wins, losses = int((gained > 0).sum()), int((gained < 0).sum())
    return Comparison(
        units=len(gained),
        wins=wins,
        losses=losses,
        ties=len(gained) - wins - losses,
        difference=float(gained.mean()),
        interval=resampling.interval(resampled, len(gained)),
        effect=effect_size(gained),
        t=paired_t(gained),
        wilcoxon=wilcoxon(gained),
        randomisation=randomisation(gained, seed),
    )


def gains(first: FloatArray, second: FloatArray) -> FloatArray:
    """First minus second for each unit, nan where one has no value.

    Where they differ by rounding alone it is exactly 0; where all gains are the same but for rounding they
    are exactly the same.
    """
    gained = first - second
    given = ~np.isnan(gained)
    tiny = ROUNDING * float(np.abs([first[given], second[given]]).max(initial=0.0))
    gained[np.abs(gained) <= tiny] = 0.0
    if given.any() and np.ptp(gained[given]) <= tiny:
        gained[given] = gained[given][0]
    return gained


def effect_size(differences: FloatArray) -> float:
    """Cohen's d of paired values."""
    mean, spread = differences.mean(), _spread(differences)
    if spread == 0:
        return 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return float(mean / spread)


def paired_t(differences: FloatArray) -> Test:
    """The paired t-test (scipy.stats.ttest_rel); p = 1 where there is no difference at all."""
    t = effect_size(differences) * np.sqrt(len(differences))
    return Test(float(t), float(two_sided(np.array([t]), len(differences) - 1)[0]))


def wilcoxon(differences: FloatArray) -> Test:
    """Wilcoxon's signed-rank test of the units that differ (scipy.stats.wilcoxon); p = 1 where none does."""
    differ = differences[differences != 0]
    if not len(differ):
        return Test(0.0, 1.0)
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import stats

    found = stats.wilcoxon(differ)
    return Test(float(found.statistic), float(found.pvalue))


def randomisation(differences: FloatArray, seed: int, flips: int = FLIPS) -> Test:
    """Fisher's randomisation test: how often random signs give a mean as far from 0 as the one there is.

    With up to `EXACT` units that differ all assignments are tried. With more, `flips` random ones, to which
    the one there is counts too (Phipson and Smyth 2010), so that p is never 0. The statistic is the mean.
    """
    mean = float(differences.mean())
    differ = differences[differences != 0]
    if len(differ) <= EXACT:
        signs = _all_signs(len(differ))
        extra = 0
    else:
        bits = np.random.default_rng(seed).integers(0, 2, (flips, len(differ)), dtype=np.int8)
        signs = bits.astype(np.float64) * 2.0 - 1.0
        extra = 1
    sums = np.abs(signs @ differ)
    as_far = int((sums >= abs(differ.sum()) - ROUNDING * np.abs(differ).sum()).sum())
    return Test(mean, (as_far + extra) / (len(signs) + extra))


def _all_signs(count: int) -> FloatArray:
    numbers = np.arange(2**count)[:, np.newaxis] >> np.arange(count) & 1
    return np.asarray(numbers * 2.0 - 1.0)


def _spread(differences: FloatArray) -> float:
    """Of a constant it is exactly 0, whatever its mean rounds to."""
    if (differences == differences[0]).all():
        return 0.0
    return float(differences.std(ddof=1))
