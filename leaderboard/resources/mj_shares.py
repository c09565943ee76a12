"""What each run brings to MJ: how far it agrees with the rest, and what MJ would be without it.

Runs are read one at a time, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from leaderboard.contract import FloatArray
from leaderboard.resources.mj import Combination, weight_of, weights_of
from leaderboard.resources.rows import Rows, RowsOnDisk

COMPARED = 100
"""So many runs are compared with each other, the first ones: every two of all would be too many to look at,
and take a time that grows with the square."""

_COLUMNS = 1 << 16

Score = Callable[[FloatArray], float]
"""What values of the pairs score; nan where that is undefined."""


@dataclass(frozen=True, eq=False)
class Shares:
    """The runs of one track, in the order they were given; correlations are Spearman's, nan where a side is
    constant.

    `with_all` is each run's correlation with MJ, `with_others` that with MJ made from the other runs alone
    (nan for the only run). `changed` is the correlation of MJ with and without the run: near 1 where it could
    be left out; `without` is what MJ scores without it. `between` has the correlations of every two of the
    first `COMPARED` runs.
    """

    with_all: FloatArray
    with_others: FloatArray
    changed: FloatArray
    without: FloatArray
    between: FloatArray


def shares(values: Rows, places: Sequence[int], weighting: str, score: Score) -> Shares:
    """The shares of runs × pairs, values in [0, 1], by their places on the track."""
    count, weights = len(values), weights_of(places, weighting)
    combination = Combination(len(values[0]))
    for run in range(count):
        combination.add(values[run], float(weights[run]))
    whole = _standardised(combination.mj)
    found = np.full((4, count), np.nan)
    with RowsOnDisk(len(whole)) as compared:
        kept: list[int] = []
        for run, rest in without_each(values, places, weighting):
            ranks = _standardised(values[run])
            found[0, run] = _product(ranks, whole)
            if run < COMPARED:
                kept.append(run)
                compared.append(ranks)
            if rest is None:
                continue
            others = _standardised(rest)
            found[1, run] = _product(ranks, others)
            found[2, run] = _product(whole, others)
            found[3, run] = score(rest)
        between = _between(compared)
    order = np.argsort(kept)
    return Shares(found[0], found[1], found[2], found[3], between[np.ix_(order, order)])


def without_each(
    values: Rows, places: Sequence[int], weighting: str
) -> Iterator[tuple[int, FloatArray | None]]:
    """Each run with MJ as if it had not been sent, the best place first: those behind it move up a place.
    None for the only run."""
    if len(places) == 1:
        yield 0, None
        return
    leaving = _Leaving(values, places, weighting)
    order = sorted(range(len(places)), key=lambda run: places[run])
    yield from leaving.out_of(order, np.zeros(len(values[0])), 0.0)


class _Leaving:
    """Sums without each run, by halves: half of the runs is added to what lies outside of the other half, and
    so on, until one run is outside of the sum. Nothing is ever subtracted, so that equal pairs stay equal.

    Without a run there are n - 1. Those behind it keep their rank, as they move up and there is one run less;
    the others, which stand before or beside it, lose one.
    """

    def __init__(self, values: Rows, places: Sequence[int], weighting: str) -> None:
        self._values = values
        self._places = places
        self._weighting = weighting

    def out_of(
        self, order: Sequence[int], outside: FloatArray, weight: float
    ) -> Iterator[tuple[int, FloatArray]]:
        """Each of these runs with the mean of all others; `outside` and `weight` are the sums of those that
        are not among them."""
        if len(order) == 1:
            yield order[0], outside / weight
            return
        middle = self._middle(order)
        first, second = order[:middle], order[middle:]
        beside = self._places[first[0]] == self._places[order[-1]]
        yield from self.out_of(first, *self._with(second, outside, weight, less=1 if beside else 0))
        yield from self.out_of(second, *self._with(first, outside, weight, less=1))

    def _middle(self, order: Sequence[int]) -> int:
        """Where to part them: runs that share a place stay together while there are others."""
        starts, start = [], 0
        for _, same in groupby(order, key=lambda run: self._places[run]):
            starts.append(start)
            start += sum(1 for _ in same)
        half = len(order) // 2
        return half if len(starts) == 1 else min(starts[1:], key=lambda place: abs(place - half))

    def _with(
        self, runs: Sequence[int], outside: FloatArray, weight: float, *, less: int
    ) -> tuple[FloatArray, float]:
        n = len(self._places)
        outside = outside.copy()
        for run in runs:
            own = weight_of(n + 1 - self._places[run] - less, n - 1, self._weighting)
            outside += own * self._values[run]
            weight += own
        return outside, weight


def _between(ranks: RowsOnDisk) -> FloatArray:
    product = np.zeros((len(ranks), len(ranks)))
    for start in range(0, ranks.width, _COLUMNS):
        part = ranks.columns(start, start + _COLUMNS)
        product += part @ part.T
    return np.clip(product, -1.0, 1.0)


def _standardised(values: FloatArray) -> FloatArray:
    """Ranks with mean 0 and length 1, all nan for a constant: their product is Spearman's correlation."""
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import stats

    ranks = stats.rankdata(values)
    centred = ranks - ranks.mean()
    length = np.linalg.norm(centred)
    return np.asarray(centred / length if length > 0 else np.full(len(values), np.nan), dtype=np.float64)


def _product(left: FloatArray, right: FloatArray) -> float:
    return float(np.clip(left @ right, -1.0, 1.0))
