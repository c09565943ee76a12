"""Measures of word relatedness in many draws at once: what `leaderboard.measures.relatedness` would give for
pairs repeated as often as they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray
from leaderboard.measures.names import Measure

Draws = NDArray[np.int32]
"""Draws × units, or draws × pairs: how often each was drawn."""

AT_ONCE = 2**17
"""So many numbers are worked on at a time."""

Resampled = Callable[[FloatArray, FloatArray, Draws], FloatArray]


def resampled(
    measure: Measure, values: FloatArray, gold: FloatArray, unit: NDArray[np.intp], draws: Draws
) -> FloatArray:
    """The value of a measure in each draw; nan where the draw leaves it undefined.

    `values` and `gold` have one entry a pair, `unit` is the column of `draws` that the pair belongs to: pairs
    of one source word are drawn together. Raises ValueError for a measure that is not in `MEASURES`.
    """
    if measure.name not in MEASURES or measure.parameters or measure.cutoff is not None:
        raise ValueError(f"{measure} cannot be resampled; these can: {', '.join(MEASURES)}")
    found = np.empty(len(draws))
    step = max(1, AT_ONCE // max(1, len(values)))
    # Sorted once: from the greatest value down, as the binary measures want it.
    order = np.argsort(-values)
    values, gold, unit = values[order], gold[order], unit[order]
    for start in range(0, len(draws), step):
        times = np.take(draws[start : start + step], unit, axis=1)
        found[start : start + step] = MEASURES[measure.name](values, gold, times)
    return found


def average_precision(values: FloatArray, gold: FloatArray, times: Draws) -> FloatArray:
    """AveP with each pair `times` over, draws × pairs. Copies of a pair are tied, hence one step."""
    found, taken = _cuts(values, gold, times)
    # Where nothing is taken nothing is found.
    precision = found / np.maximum(taken, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        area = _steps_times(found, precision) / found[:, -1]
    return _unless_of_one_kind(area, found, taken)


def average_precision_2015(values: FloatArray, gold: FloatArray, times: Draws) -> FloatArray:
    """AveP_2015 with each pair `times` over: the trapezoid area, begun at recall 0 and precision 1."""
    found, taken = _cuts(values, gold, times)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Before anything is taken the curve is still where it begins.
        precision = np.where(taken > 0, found / taken, 1.0)
        before = np.concatenate([np.ones((len(times), 1)), precision[:, :-1]], axis=1)
        area = _steps_times(found, precision + before) / 2 / found[:, -1]
    return _unless_of_one_kind(area, found, taken)


def area_under_roc(values: FloatArray, gold: FloatArray, times: Draws) -> FloatArray:
    """ROC AUC with each pair `times` over."""
    found, taken = _cuts(values, gold, times)
    other = taken - found
    before = np.concatenate([np.zeros((len(times), 1)), found[:, :-1]], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        area = _steps_times(other, found + before) / 2
        area = area / (found[:, -1] * other[:, -1])
    return _unless_of_one_kind(area, found, taken)


def _cuts(values: FloatArray, gold: FloatArray, times: Draws) -> tuple[FloatArray, FloatArray]:
    """Draws × different values, the greatest first: the related pairs and all pairs down to each."""
    order = np.argsort(-values, kind="stable")
    in_order = np.array_equal(order, np.arange(len(order)))
    ordered, gold = (times, gold) if in_order else (times[:, order], gold[order])
    last = _last_of_equal(values[order])
    taken = np.cumsum(ordered, axis=1, dtype=np.int32)
    found = np.cumsum(ordered * (gold > 0).astype(np.int32), axis=1, dtype=np.int32)
    if len(last) < len(values):
        taken, found = taken[:, last], found[:, last]
    return found.astype(np.float64), taken.astype(np.float64)


def _steps_times(upwards: FloatArray, heights: FloatArray) -> FloatArray:
    """The sum over each row of how far it goes up, times the height there."""
    further = np.einsum("ij,ij->i", upwards[:, 1:] - upwards[:, :-1], heights[:, 1:])
    return np.asarray(upwards[:, 0] * heights[:, 0] + further, dtype=np.float64)


def _unless_of_one_kind(area: FloatArray, found: FloatArray, taken: FloatArray) -> FloatArray:
    """A draw without related pairs, or without others, cannot tell runs apart."""
    one_kind = (found[:, -1] == 0) | (found[:, -1] == taken[:, -1])
    return np.asarray(np.where(one_kind, np.nan, area), dtype=np.float64)


def spearman(values: FloatArray, gold: FloatArray, times: Draws) -> FloatArray:
    """Spearman's rho with each pair `times` over: copies share the mean of the ranks that they cover."""
    return _correlations(_ranks(values, times), _ranks(gold, times), times)


def pearson(values: FloatArray, gold: FloatArray, times: Draws) -> FloatArray:
    """Pearson's correlation with each pair `times` over."""
    shape = times.shape
    return _correlations(np.broadcast_to(values, shape), np.broadcast_to(gold, shape), times)


MEASURES: dict[str, Resampled] = {
    "spearman": spearman,
    "pearson": pearson,
    "AveP": average_precision,
    "AveP_2015": average_precision_2015,
    "AUC": area_under_roc,
}


def _ranks(values: FloatArray, times: Draws) -> FloatArray:
    """Draws × pairs: the average rank of each pair among all copies."""
    order = np.argsort(values)
    last = _last_of_equal(values[order])
    down_to = np.cumsum(times[:, order], axis=1, dtype=np.float64)[:, last]
    sizes = np.diff(down_to, axis=1, prepend=0.0)
    of_level = down_to - (sizes - 1) / 2
    level = np.empty(len(values), dtype=np.intp)
    level[order] = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))
    return np.asarray(of_level[:, level], dtype=np.float64)


def _correlations(left: FloatArray, right: FloatArray, times: Draws) -> FloatArray:
    """The correlation of each row, its entries weighted; nan where a side is constant."""
    weights = times / times.sum(axis=1, keepdims=True)
    centred = [side - np.sum(side * weights, axis=1, keepdims=True) for side in (left, right)]
    together, own, other = (
        np.sum(one * two * weights, axis=1)
        for one, two in ((centred[0], centred[1]), (centred[0], centred[0]), (centred[1], centred[1]))
    )
    # A side is constant up to rounding where its variance is nothing beside its size.
    constant = (own <= 1e-24 * np.abs(left).max() ** 2) | (other <= 1e-24 * np.abs(right).max() ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.clip(together / np.sqrt(own * other), -1.0, 1.0)
    found[constant] = np.nan
    return np.asarray(found, dtype=np.float64)


def _last_of_equal(ordered: FloatArray) -> NDArray[np.intp]:
    return np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
