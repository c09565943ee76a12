"""Two runs that give values to the same items: how unlike their values are, whatever the truth may be.

Values are on free scales, so they are compared as ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray

IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two runs over the items that both have a value for, of `items` in all.

    `first` and `second` are their relative ranks, from 0 for the least value to 1 for the greatest, equal
    ones in the middle of theirs. `correlation` is Spearman's, nan where a side is constant.
    """

    items: int
    rows: IntArray
    first: FloatArray
    second: FloatArray
    correlation: float


def contrast(first: FloatArray, second: FloatArray) -> Contrast:
    """Sets two runs beside each other; nan where one gives an item no value."""
    rows = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    one, other = relative_ranks(first[rows]), relative_ranks(second[rows])
    constant = len(rows) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0
    correlation = float("nan") if constant else float(np.corrcoef(one, other)[0, 1])
    return Contrast(len(first), rows, one, other, correlation)


def relative_ranks(values: FloatArray) -> FloatArray:
    """0 for the least, 1 for the greatest; equal values share the mean; a single one stands in the middle."""
    if len(values) < 2:
        return np.full(len(values), 0.5)
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import stats

    return np.asarray((stats.rankdata(values) - 1) / (len(values) - 1), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Unlike:
    """A group of items and how far apart the two runs rank them: `distance` is the mean of the absolute
    differences, `widest` the row of the item with the greatest."""

    group: int
    count: int
    distance: float
    widest: int


def most_unlike(found: Contrast, group: IntArray, most: int, at_least: int = 1) -> tuple[Unlike, ...]:
    """The groups that the runs differ on most, those first; `group` has a number for each of all items.

    Groups with fewer than `at_least` items that both runs have are left out: one pair says little.
    """
    of_row = group[found.rows]
    apart = np.abs(found.first - found.second)
    count = np.bincount(of_row)
    mean = np.divide(np.bincount(of_row, apart), count, out=np.zeros(len(count)), where=count > 0)
    chosen = np.flatnonzero(count >= max(1, at_least))
    order = chosen[np.lexsort((chosen, -mean[chosen]))][:most]
    return tuple(
        Unlike(int(one), int(count[one]), float(mean[one]), _widest(found, of_row, apart, one))
        for one in order
    )


def _widest(found: Contrast, of_row: IntArray, apart: FloatArray, group: np.intp) -> int:
    inside = np.flatnonzero(of_row == group)
    return int(found.rows[inside[np.argmax(apart[inside])]])


def grid(found: Contrast, cells: int) -> IntArray:
    """cells × cells: how many items have their second rank (downwards) and first rank (along) in each."""
    edges = np.linspace(0.0, 1.0, cells + 1)
    counts, _, _ = np.histogram2d(found.second, found.first, bins=(edges, edges))
    return counts.astype(np.intp)


def distribution(values: FloatArray, bins: int) -> FloatArray:
    """The share of values in each of `bins` equal parts from the least to the greatest; nan is left out.

    A constant has all in the middle, nothing has none.
    """
    given = values[~np.isnan(values)]
    shares = np.zeros(bins)
    if not len(given):
        return shares
    low, high = given.min(), given.max()
    if low == high:
        shares[bins // 2] = 1.0
        return shares
    # Halved first: the distance of two finite numbers may be none.
    place = (given / 2 - low / 2) / (high / 2 - low / 2) * bins
    return np.bincount(np.minimum(place.astype(np.intp), bins - 1), minlength=bins) / len(given)
