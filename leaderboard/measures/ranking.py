"""Measures of ranked retrieval, computed from the ranks of the judged items alone.

A run is ordered once (`rank_rows`), joined with the gold once (`leaderboard.measures.pool`), and each
measure is then arithmetic over the rows of `Judged`. All measures follow trec_eval: gains are the grades,
negative grades count as not relevant, ties in the run are broken by docno descending, a topic that the
run does not answer scores 0, and so does a topic without a relevant item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.measures.compatibility import compatibility
from leaderboard.measures.names import Measure

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ranks:
    """The place of every row of a run in its topic, counted from 1, by score descending.

    `descending` breaks ties by docno descending (trec_eval and all that goes through it), `ascending` by
    docno ascending (compatibility.py). `tied` rows share their score with another row of their topic.
    """

    descending: IntArray
    ascending: IntArray
    tied: int


def rank_rows(
    topic: NDArray[np.integer], score: FloatArray, docnos: Callable[[IntArray], Sequence[str]]
) -> Ranks:
    """Orders each topic's rows by score at full double precision.

    `topic` and `score` have one element a row; `docnos` gives the docnos of the rows it is handed, and is
    asked for tied rows only. Docnos compare by code point, which is the byte order of UTF-8.
    """
    rows = len(topic)
    order = _by_topic_and_score(topic, score)
    sorted_topic, sorted_score = topic[order], score[order]
    new_topic = np.ones(rows, dtype=bool)
    new_topic[1:] = sorted_topic[1:] != sorted_topic[:-1]
    new_group = new_topic.copy()
    new_group[1:] |= sorted_score[1:] != sorted_score[:-1]

    start_of_topic = np.maximum.accumulate(np.where(new_topic, np.arange(rows), 0))
    place = np.arange(rows) - start_of_topic + 1
    group = np.cumsum(new_group) - 1
    in_tie = np.bincount(group)[group] > 1 if rows else np.zeros(0, dtype=bool)
    tied = np.flatnonzero(in_tie)
    if not tied.size:
        ranks = np.empty(rows, dtype=np.int64)
        ranks[order] = place
        return Ranks(ranks, ranks, 0)

    names = np.asarray(docnos(order[tied]), dtype=object)
    by_name = np.argsort(names, kind="stable")
    name_order = np.empty(len(names), dtype=np.int64)
    name_order[by_name] = np.arange(len(names))
    ascending_order, descending_order = order.copy(), order.copy()
    ascending_order[tied] = order[tied][np.lexsort((name_order, group[tied]))]
    descending_order[tied] = order[tied][np.lexsort((-name_order, group[tied]))]
    ascending = np.empty(rows, dtype=np.int64)
    descending = np.empty(rows, dtype=np.int64)
    ascending[ascending_order] = place
    descending[descending_order] = place
    return Ranks(descending, ascending, int(tied.size))


def _by_topic_and_score(topic: NDArray[np.integer], score: FloatArray) -> IntArray:
    """The rows by topic, then score descending; most runs come in that order, and looking is cheap."""
    same_topic = topic[1:] == topic[:-1]
    if np.all(topic[1:] >= topic[:-1]) and np.all(score[1:][same_topic] <= score[:-1][same_topic]):
        return np.arange(len(topic))
    return np.lexsort((-score, topic))


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged items of a gold, and where one run has them.

    One element a judged item, sorted by topic and, within it, by value descending: `topic` is an index
    below `topic_count`, `value` the grade or preference level, `rank` the item's place in the run with
    ties by docno descending and `rank_ascending` by docno ascending, 0 where the run does not have it.
    `relevance_level` is the least grade that counts as relevant for the binary measures, unless a measure
    has a parameter ``rel`` of its own.
    """

    topic_count: int
    topic: IntArray
    value: FloatArray
    rank: IntArray
    rank_ascending: IntArray
    relevance_level: float = 1.0


def evaluate(measure: Measure, judged: Judged) -> FloatArray:
    """The value of each topic, in the gold's topic order, as an array of `topic_count` floats.

    Topics that the measure leaves out are nan (compatibility, for topics without a positive value). Raises
    ValueError for a measure that is not in `MEASURES`, and for a parameter that the measure does not have
    or that is out of its range.
    """
    if measure.name not in MEASURES:
        raise ValueError(f"{measure} is not one of the ranking measures {', '.join(sorted(MEASURES))}")
    return MEASURES[measure.name](measure, judged)


def require(measure: Measure) -> None:
    """Raises ValueError as `evaluate` would, without a run."""
    nothing, no_value = np.zeros(0, dtype=np.int64), np.zeros(0)
    evaluate(measure, Judged(0, nothing, no_value, nothing, nothing))


def ndcg(measure: Measure, judged: Judged) -> FloatArray:
    """nDCG: DCG = Σ grade / log2(rank + 1) over the ranking, divided by the DCG of the ideal ranking.

    Trec_eval's ``ndcg`` and ``ndcg_cut``: linear gains (Järvelin and Kekäläinen 2002), both sums cut at the
    cutoff. The relevance level has no part in it.
    """
    _refuse_parameters(measure, allowed=())
    positive = judged.value > 0
    topic, gain = judged.topic[positive], judged.value[positive]
    ideal_rank = place_within(topic, judged.topic_count)
    ideal = _discounted(topic, gain, ideal_rank, measure.cutoff, judged.topic_count)
    dcg = _discounted(topic, gain, judged.rank[positive], measure.cutoff, judged.topic_count)
    return _ratio(dcg, ideal)


def average_precision(measure: Measure, judged: Judged) -> FloatArray:
    """AP: the sum of the precision at each relevant item retrieved, divided by the number of relevant items.

    Trec_eval's ``map``, with a cutoff ``map_cut``.
    """
    topic, rank = _relevant_retrieved(measure, judged)
    order = np.lexsort((rank, topic))
    topic, rank = topic[order], rank[order]
    precision_there = place_within(topic, judged.topic_count) / rank
    found = np.bincount(topic, precision_there, judged.topic_count)
    return _ratio(found, _relevant_count(measure, judged))


def reciprocal_rank(measure: Measure, judged: Judged) -> FloatArray:
    """RR: one divided by the rank of the first relevant item; 0 where none is retrieved within the cutoff."""
    topic, rank = _relevant_retrieved(measure, judged)
    best = np.zeros(judged.topic_count)
    np.maximum.at(best, topic, 1.0 / rank)
    return best


def precision(measure: Measure, judged: Judged) -> FloatArray:
    """P@k: relevant items among the first k, divided by k, also where fewer than k are retrieved."""
    if measure.cutoff is None:
        raise ValueError("P needs a cutoff, as in P@5")
    topic, _ = _relevant_retrieved(measure, judged)
    found = np.bincount(topic, minlength=judged.topic_count).astype(np.float64)
    return found / measure.cutoff


def recall(measure: Measure, judged: Judged) -> FloatArray:
    """R@k: relevant items among the first k, divided by the number of relevant items of the gold."""
    topic, _ = _relevant_retrieved(measure, judged)
    found = np.bincount(topic, minlength=judged.topic_count).astype(np.float64)
    return _ratio(found, _relevant_count(measure, judged))


def compat(measure: Measure, judged: Judged) -> FloatArray:
    """Compatibility, see `leaderboard.measures.compatibility`; ties by docno ascending, as its reference."""
    _refuse_parameters(measure, allowed=("p", "depth"))
    if measure.cutoff is not None:
        raise ValueError(f"{measure}: compat takes no cutoff; its depth is written compat(p=0.8,depth=1000)")
    persistence, depth = measure.parameter("p", 0.95), measure.parameter("depth", 1000)
    if isinstance(persistence, str) or not isinstance(depth, int):
        raise ValueError(f"{measure}: p is a number and depth a whole number")
    return compatibility(
        judged.topic, judged.value, judged.rank_ascending, judged.topic_count, float(persistence), depth
    )


MEASURES: dict[str, Callable[[Measure, Judged], FloatArray]] = {
    "nDCG": ndcg,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "P": precision,
    "R": recall,
    "compat": compat,
}


def place_within(topic: IntArray, topic_count: int) -> IntArray:
    """The place, from 1, of every element among those of its topic; `topic` is sorted."""
    count = np.bincount(topic, minlength=topic_count)
    start = np.cumsum(count) - count
    return np.arange(len(topic)) - start[topic] + 1


def _discounted(
    topic: IntArray, gain: FloatArray, rank: IntArray, cutoff: int | None, topic_count: int
) -> FloatArray:
    counted = _within(rank, cutoff)
    total = np.bincount(topic[counted], gain[counted] / np.log2(rank[counted] + 1.0), topic_count)
    return total.astype(np.float64)


def _within(rank: IntArray, cutoff: int | None) -> NDArray[np.bool_]:
    return rank > 0 if cutoff is None else (rank > 0) & (rank <= cutoff)


def _level(measure: Measure, judged: Judged) -> float:
    _refuse_parameters(measure, allowed=("rel",))
    level = measure.parameter("rel", judged.relevance_level)
    if isinstance(level, str) or level <= 0:
        raise ValueError(f"{measure}: the relevance level rel is a number above 0")
    return float(level)


def _relevant_retrieved(measure: Measure, judged: Judged) -> tuple[IntArray, IntArray]:
    """Topic and rank of the relevant items that the run has within the cutoff."""
    level = _level(measure, judged)
    chosen = (judged.value >= level) & _within(judged.rank, measure.cutoff)
    return judged.topic[chosen], judged.rank[chosen]


def _relevant_count(measure: Measure, judged: Judged) -> FloatArray:
    relevant = judged.value >= _level(measure, judged)
    return np.bincount(judged.topic[relevant], minlength=judged.topic_count).astype(np.float64)


def _ratio(part: NDArray[np.number], whole: NDArray[np.number]) -> FloatArray:
    """part / whole, 0 where a topic has nothing to find."""
    ratio: FloatArray = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return ratio


def _refuse_parameters(measure: Measure, allowed: tuple[str, ...]) -> None:
    for key, _ in measure.parameters:
        if key not in allowed:
            raise ValueError(f"{measure} has no parameter {key!r}; it takes {', '.join(allowed) or 'none'}")
