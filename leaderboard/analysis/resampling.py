"""The bootstrap: how much a value would vary, had chance chosen other units.

One set of draws serves all runs, so that whatever is computed from it is paired: the difference of two runs
is taken within each draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.analysis.pairwise import ROUNDING, Pairs, two_sided
from leaderboard.analysis.tables import Table, blocks, tiles
from leaderboard.contract import FloatArray

Draws = NDArray[np.int32]
"""Draws × units: how often each unit was drawn; every row has as many as there are units."""

DRAWS = 2000
"""So many are enough for ends of 95 % intervals that move by a twentieth of their width at most."""

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the value would lie in 95 of 100 such samples of units; nan where that cannot be told."""

    low: float
    high: float


NO_INTERVAL = Interval(float("nan"), float("nan"))


def draw(units: int, seed: int, count: int = DRAWS) -> Draws:
    """`count` samples of `units` units with replacement, the same ones for the same seed."""
    if units == 0:
        return np.zeros((count, 0), dtype=np.int32)
    chosen = np.random.default_rng(seed).integers(0, units, (count, units))
    chosen += np.arange(count)[:, np.newaxis] * units
    return np.bincount(chosen.ravel(), minlength=count * units).reshape(count, units).astype(np.int32)


def means(matrix: FloatArray, draws: Draws) -> FloatArray:
    """Runs × draws: the mean of each row of runs × units in each draw.

    A unit without a value (nan) is left out of its own row's mean; a draw of nothing else gives nan.
    """
    given = ~np.isnan(matrix)
    weights = draws.astype(np.float64)
    sums = np.where(given, matrix, 0.0) @ weights.T
    if given.all():
        return np.asarray(sums / draws.shape[1], dtype=np.float64)
    counts = given.astype(np.float64) @ weights.T
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def interval(resampled: FloatArray, units: int, confidence: float = CONFIDENCE) -> Interval:
    """The percentile interval of a value from its resampled ones, widened for few units.

    A plain percentile interval is too narrow by the factor √((n−1)/n) and knows no Student's t. Hesterberg
    (What Teachers Should Know About the Bootstrap, The American Statistician 2015) takes the percentiles
    Φ(−√(n/(n−1))·t) instead, t that of n − 1 degrees of freedom; for many units it is the plain one. Draws in
    which the value is undefined (nan) are left out; with more than half of them so there is no interval.
    """
    defined = resampled[~np.isnan(resampled)]
    if units < 2 or 2 * len(defined) < len(resampled) or not len(defined):
        return NO_INTERVAL
    tail = tail_of(units, confidence)
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    return Interval(float(low), float(high))


def tail_of(units: int, confidence: float = CONFIDENCE) -> float:
    """The share of resampled values that is cut off at either end."""
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import special

    student = special.stdtrit(units - 1, (1.0 + confidence) / 2)
    return float(special.ndtr(-np.sqrt(units / (units - 1)) * student))


def intervals(resampled: Table, units: int) -> tuple[Interval, ...]:
    """The interval of each run, from runs × draws."""
    return tuple(interval(row, units) for rows in blocks(resampled) for row in rows)


def paired_differences(values: FloatArray, resampled: Table, units: int) -> Iterator[Pairs]:
    """The paired bootstrap of the difference of every two runs, some at a time.

    `values` are the runs' own, `resampled` is runs × draws of the same draws. t is the difference divided by
    its standard deviation over the draws, times √((n−1)/n) since the bootstrap knows the sample's variance
    alone; p refers it to Student's t with n − 1 degrees of freedom. (Counting draws instead could not show a
    p below 1/draws, and corrections for hundreds of pairs need smaller ones.) A pair with fewer than two
    draws in which both are defined has p = 1, and so have runs whose values are equal but for rounding.
    """
    rounding = ROUNDING * np.abs(values[~np.isnan(values)]).max(initial=0.0)
    scale = np.sqrt((units - 1) / units) if units > 1 else np.nan
    for tile in tiles(resampled):
        first, second = tile.pairs
        difference = values[first] - values[second]
        difference[np.abs(difference) <= rounding] = 0.0
        error = np.array(
            [
                _spread(tile.matrix[one] - tile.matrix[other])
                for one, other in zip(tile.first, tile.second, strict=True)
            ]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            t = difference / error * scale
        t[((difference == 0) & (error == 0)) | np.isnan(t)] = 0.0
        yield Pairs(first, second, difference, t, two_sided(t, max(units - 1, 1)))


def _spread(differences: FloatArray) -> float:
    defined = differences[~np.isnan(differences)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")
