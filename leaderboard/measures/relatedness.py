"""Measures of word relatedness: how well the values of pairs agree with their gold.

All take two float64 arrays of one length, the run's `values` and the `gold`, one entry a pair. A value must
be finite: a missing pair enters as the value its track scores it with (`missing` in task.toml, 0.0 for
RUSSE), never as nan, which raises ValueError. The gold of the binary measures is 1 for a related pair and
0 for another; it has to hold both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray
from leaderboard.measures.names import Measure

CORRELATIONS = ("spearman", "pearson")
"""Undefined (nan) where the run or the gold is constant."""

BINARY = ("AveP", "AveP_2015", "AUC", "accuracy")
"""Defined for every gold that holds related and unrelated pairs."""


@dataclass(frozen=True, eq=False)
class Words:
    """The two words of each pair, as arrays of anything that sorts: the words, or numbers in their order."""

    word1: NDArray[Any]
    word2: NDArray[Any]

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The pairs by word1, then word2."""
        return np.lexsort((self.word2, self.word1))

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """How many pairs each different word1 has, in its order."""
        return np.unique(self.word1, return_counts=True)[1]

    @cached_property
    def sources(self) -> NDArray[np.integer[Any]]:
        """In `order`, the number of each pair's word1."""
        return np.repeat(_numbers(len(self.sizes)), self.sizes)


def spearman(values: FloatArray, gold: FloatArray) -> float:
    """Spearman's rho: Pearson's correlation of the ranks. Ties get the mean of the ranks they cover.

    Equals scipy.stats.spearmanr. A missing pair is one more value, tied with its equals. nan where either
    side is constant.
    """
    _require_finite(values)
    return _correlation(average_ranks(values), average_ranks(gold))


def pearson(values: FloatArray, gold: FloatArray) -> float:
    """Pearson's correlation of the values themselves. Ties need no rule; a missing pair is one more value.

    nan where either side is constant.
    """
    _require_finite(values)
    return _correlation(values, gold)


def average_precision(values: FloatArray, gold: FloatArray) -> float:
    """AveP = Σ_n (R_n − R_{n−1})·P_n over the distinct values, from the greatest down.

    Tied pairs are one step, so that the order of the file cannot matter. Equals scikit-learn's
    average_precision_score. Missing pairs are tied with those of the value they are scored with.
    """
    return Steps(values, gold).average_precision


def average_precision_2015(values: FloatArray, gold: FloatArray) -> float:
    """The trapezoid area under the points (recall, precision) of the distinct values, from (0, 1) on.

    What scikit-learn 0.18 called average precision, and so the published RUSSE tables. Ties and missing
    pairs as in `average_precision`.
    """
    return Steps(values, gold).average_precision_2015


def area_under_roc(values: FloatArray, gold: FloatArray) -> float:
    """The probability that a related pair has a greater value than an unrelated one; a tie counts half.

    Equals scikit-learn's roc_auc_score. Missing pairs as in `average_precision`.
    """
    return Steps(values, gold).area_under_roc


def accuracy(values: FloatArray, gold: FloatArray, words: Words) -> float:
    """The share of pairs told right when the upper half of each word1's pairs is taken as related.

    Of an odd number the half is rounded down. Ties are broken by word2, the smaller first. Missing pairs are
    tied with those of the value they are scored with.
    """
    return Steps(values, gold).accuracy(words)


def evaluate(measure: Measure, values: FloatArray, gold: FloatArray, words: Words | None = None) -> float:
    """The value of one measure. Raises ValueError for an unknown one, and for accuracy without `words`."""
    return evaluate_each((measure,), values, gold, words)[str(measure)]


def evaluate_each(
    measures: Iterable[Measure], values: FloatArray, gold: FloatArray, words: Words | None = None
) -> Mapping[str, float]:
    """The values of several measures by their text, sorting the pairs once. Raises as `evaluate`."""
    steps: Steps | None = None
    scores: dict[str, float] = {}
    for measure in measures:
        require_known(measure)
        if measure.name in CORRELATIONS:
            correlate = spearman if measure.name == "spearman" else pearson
            scores[str(measure)] = correlate(values, gold)
        elif measure.name == "accuracy":
            if words is None:
                raise ValueError("accuracy goes by source word and needs the words of the pairs")
            steps = steps or Steps(values, gold)
            scores[str(measure)] = steps.accuracy(words)
        else:
            steps = steps or Steps(values, gold)
            scores[str(measure)] = steps.area(measure.name)
    return scores


def require_known(measure: Measure) -> None:
    """Raises ValueError, naming the known ones, where `measure` is none of relatedness."""
    if measure.name not in CORRELATIONS + BINARY:
        known = ", ".join(CORRELATIONS + BINARY)
        raise ValueError(f"{measure} is no measure of word relatedness; these are: {known}")
    if measure.parameters or measure.cutoff is not None:
        raise ValueError(f"{measure}: {measure.name} takes no parameters and no cutoff")


class Steps:
    """The pairs from the greatest value down, cut where the value changes: all that binary measures need.

    Raises ValueError for values that are not finite, and for a gold without both kinds of pairs.
    """

    def __init__(self, values: FloatArray, gold: FloatArray) -> None:
        _require_both(values, gold)
        order = np.argsort(-values)
        ordered = values[order]
        self._gold = gold
        self._order = order
        last = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
        self.found: FloatArray = np.cumsum(gold[order] > 0, dtype=np.float64)[last]
        """Related pairs down to each cut."""
        self.taken: FloatArray = (last + 1).astype(np.float64)
        """Pairs down to each cut."""

    @cached_property
    def precision(self) -> FloatArray:
        return np.asarray(self.found / self.taken, dtype=np.float64)

    @cached_property
    def recall(self) -> FloatArray:
        return np.asarray(self.found / self.found[-1], dtype=np.float64)

    @property
    def average_precision(self) -> float:
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))

    @property
    def average_precision_2015(self) -> float:
        return float(np.trapezoid(np.r_[1.0, self.precision], np.r_[0.0, self.recall]))

    @property
    def area_under_roc(self) -> float:
        other = self.taken - self.found
        return float(np.trapezoid(np.r_[0.0, self.found], np.r_[0.0, other]) / (self.found[-1] * other[-1]))

    @cached_property
    def level(self) -> NDArray[np.integer[Any]]:
        """The number of each pair's step, 0 for the greatest value."""
        level = np.empty(len(self._order), dtype=_numbers(len(self.taken)).dtype)
        sizes = np.diff(self.taken, prepend=0.0).astype(np.intp)
        level[self._order] = np.repeat(_numbers(len(sizes)), sizes)
        return level

    def accuracy(self, words: Words) -> float:
        """See the function of that name."""
        # By word2 once for all runs, then stably by value, then stably by word1: numpy sorts small
        # whole numbers in linear time.
        by_value = np.argsort(self.level[words.order], kind="stable")
        order = words.order[by_value[np.argsort(words.sources[by_value], kind="stable")]]
        sizes = words.sizes
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        taken = place < np.repeat(sizes // 2, sizes)
        return float(np.mean(taken == (self._gold[order] > 0)))

    def area(self, name: str) -> float:
        """One of AveP, AveP_2015 and AUC."""
        if name == "AveP":
            return self.average_precision
        if name == "AveP_2015":
            return self.average_precision_2015
        return self.area_under_roc


def average_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, the smallest first; equal values share the mean of the ranks they cover."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(values) else np.empty(0, int)
    sizes = np.diff(np.r_[starts, len(values)])
    ranks = np.empty(len(values), dtype=np.float64)
    ranks[order] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return ranks


def _numbers(count: int) -> NDArray[np.integer[Any]]:
    """0, 1, … in the smallest type that sorts in linear time where it fits."""
    return np.arange(count, dtype=np.uint16 if count <= 65536 else np.int64)


def _correlation(left: FloatArray, right: FloatArray) -> float:
    """Pearson's correlation, without overflow for the greatest of doubles. nan where a side is constant."""
    if len(left) < 2 or (left == left[0]).all() or (right == right[0]).all():
        return float("nan")
    sides = []
    for side in (left, right):
        scaled = side / np.abs(side).max()
        centred = scaled - scaled.mean()
        sides.append(centred / np.linalg.norm(centred))
    return float(np.clip(sides[0] @ sides[1], -1.0, 1.0))


def _require_finite(values: FloatArray) -> None:
    if not np.isfinite(values).all():
        raise ValueError("every value must be a finite number; give missing pairs the value they score with")


def _require_both(values: FloatArray, gold: FloatArray) -> None:
    _require_finite(values)
    related = np.count_nonzero(gold > 0)
    if related == 0 or related == len(gold):
        raise ValueError("the gold must hold related and unrelated pairs")
