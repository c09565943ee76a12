"""All pairs of runs at once: the paired t-test of every two rows of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray

IntArray = NDArray[np.intp]

ROUNDING = 1e-12
"""Numbers that differ by less, relative to the greatest value of all, are equal but for rounding."""

AT_ONCE = 2**17
"""So many numbers are worked on at a time: what fits into a processor's own memory is done fastest."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The tests of all pairs of rows, `first` before `second`, in the order (0, 1), (0, 2), …, (1, 2), ….

    `difference` is the mean of first minus second, `t` and `p` those of the two-sided test. Rows that are
    equal everywhere, but for rounding, have t = 0 and p = 1; rows with the same difference everywhere
    t = ±inf and p = 0.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    t: FloatArray
    p: FloatArray


def pairs_of(count: int) -> tuple[IntArray, IntArray]:
    """The first and the second of every pair of `count` things."""
    first, second = np.triu_indices(count, 1)
    return first, second


def complete(matrix: FloatArray) -> FloatArray:
    """The matrix without the units that some row has no value for (nan)."""
    whole: FloatArray = matrix[:, ~np.isnan(matrix).any(axis=0)]
    return whole


def paired_t(matrix: FloatArray) -> Pairs:
    """The paired t-test (scipy.stats.ttest_rel) of every two rows of runs × units.

    Raises ValueError for fewer than two units and for nan; `complete` leaves such units out.
    """
    runs, units = matrix.shape
    if units < 2:
        raise ValueError(f"a paired test needs at least two units, not {units}")
    if np.isnan(matrix).any():
        raise ValueError("every run needs a value for every unit; leave out those that are not complete")
    first, second = pairs_of(runs)
    tiny = ROUNDING * float(np.abs(matrix).max(initial=0.0))
    mean, error = np.empty(len(first)), np.empty(len(first))
    step = max(1, AT_ONCE // units)
    for start in range(0, len(first), step):
        some = slice(start, start + step)
        mean[some], error[some] = _mean_and_error(matrix[first[some]] - matrix[second[some]], tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    # No difference and no spread: nothing tells the two apart.
    t[(mean == 0) & (error == 0)] = 0.0
    return Pairs(first, second, mean, t, two_sided(t, units - 1))


def two_sided(t: FloatArray, freedom: float) -> FloatArray:
    """The p-value of a value of Student's t with so many degrees of freedom."""
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import special

    p: FloatArray = 2.0 * special.stdtr(freedom, -np.abs(t))
    return p


def _mean_and_error(differences: FloatArray, tiny: float) -> tuple[FloatArray, FloatArray]:
    """The mean of each row, and its standard error; a row that varies by no more than `tiny` has none."""
    units = differences.shape[1]
    mean = differences.mean(axis=1)
    spread = differences - mean[:, np.newaxis]
    deviation = np.sqrt(np.einsum("ij,ij->i", spread, spread) / (units - 1))
    deviation[deviation <= tiny] = 0.0
    mean[(deviation == 0) & (np.abs(mean) <= tiny)] = 0.0
    return mean, deviation / np.sqrt(units)
