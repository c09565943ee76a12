"""All pairs of runs: the paired t-test of every two rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leaderboard.analysis.tables import IntArray, Narrowed, Table, Tile, greatest, tiles
from leaderboard.contract import FloatArray

ROUNDING = 1e-12
"""Numbers that differ by less, relative to the greatest value of all, are equal but for rounding."""

AT_ONCE = 2**16
"""So many numbers are worked on at a time: what fits into a processor's own memory is done fastest."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The tests of some pairs of rows, `first` before `second`.

    `difference` is the mean of first minus second, `t` and `p` those of the two-sided test. Rows that are
    equal everywhere, but for rounding, have t = 0 and p = 1; rows with the same difference everywhere
    t = ±inf and p = 0.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    t: FloatArray
    p: FloatArray


def complete(table: Table) -> Narrowed:
    """The table without the units that some row has no value for (nan)."""
    return Narrowed(table, ~np.isnan(greatest(table)))


def paired_t(table: Table) -> Iterator[Pairs]:
    """The paired t-test (scipy.stats.ttest_rel) of every two rows of runs × units, some at a time.

    Raises ValueError for fewer than two units and for nan; `complete` leaves such units out.
    """
    units = table.shape[1]
    if units < 2:
        raise ValueError(f"a paired test needs at least two units, not {units}")
    most = float(greatest(table).max(initial=0.0))
    if np.isnan(most):
        raise ValueError("every run needs a value for every unit; leave out those that are not complete")
    for tile in tiles(table):
        mean, error = _means_and_errors(tile, ROUNDING * most)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / error
        # No difference and no spread: nothing tells the two apart.
        t[(mean == 0) & (error == 0)] = 0.0
        yield Pairs(*tile.pairs, mean, t, two_sided(t, units - 1))


def two_sided(t: FloatArray, freedom: float) -> FloatArray:
    """The p-value of a value of Student's t with so many degrees of freedom."""
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import special

    p: FloatArray = 2.0 * special.stdtr(freedom, -np.abs(t))
    return p


def _means_and_errors(tile: Tile, tiny: float) -> tuple[FloatArray, FloatArray]:
    """`_mean_and_error` of all pairs of a tile."""
    mean, error = np.empty(len(tile.first)), np.empty(len(tile.first))
    step = max(1, AT_ONCE // tile.matrix.shape[1])
    for start in range(0, len(mean), step):
        some = slice(start, start + step)
        differences = tile.matrix[tile.first[some]] - tile.matrix[tile.second[some]]
        mean[some], error[some] = _mean_and_error(differences, tiny)
    return mean, error


def _mean_and_error(differences: FloatArray, tiny: float) -> tuple[FloatArray, FloatArray]:
    """The mean of each row, and its standard error; a row that varies by no more than `tiny` has none."""
    units = differences.shape[1]
    mean = differences.mean(axis=1)
    spread = differences - mean[:, np.newaxis]
    deviation = np.sqrt(np.einsum("ij,ij->i", spread, spread) / (units - 1))
    deviation[deviation <= tiny] = 0.0
    mean[(deviation == 0) & (np.abs(mean) <= tiny)] = 0.0
    return mean, deviation / np.sqrt(units)
