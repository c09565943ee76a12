"""Compatibility: how near a ranking comes to an ideal one made from preferences.

Clarke, Vtyurina and Smucker, "Assessing top-k preferences" (ACM TOIS 2021): the greatest rank-biased
overlap (Webber, Moffat and Zobel 2010) between the run and any ideal ranking, which sorts the gold by
level; the ideal that reaches it orders each level as the run does and puts what the run lacks last.

With overlap X_i at depth i, RBO = (1−p)·Σ_{i≤D} p^(i−1)·X_i/i. An item enters the overlap at depth
m = max(rank in run, rank in ideal) and stays, so the sum is Σ_items W(m), W(m) = Σ_{i=m..D} p^(i−1)/i.
One table W for each p, one sort, one look-up an item.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LEAST_PERSISTENCE, GREATEST_PERSISTENCE = 0.01, 0.99


def compatibility(
    topic: IntArray,
    level: FloatArray,
    rank: IntArray,
    topic_count: int,
    persistence: float,
    depth: int = 1000,
) -> FloatArray:
    """The compatibility of one run with each topic's gold, an array of `topic_count` floats in [0, 1].

    `topic`, `level` and `rank` have one element a gold item: its topic's index, its preference level (any
    float; only positive ones count) and its rank in the run, 0 where the run does not have it. The run's
    ties are broken by docno ascending, as in compatibility.py; that is the caller's part. The overlap is
    divided by that of the ideal with itself. An item the run lacks adds nothing; a topic without a
    positive level is nan, for it has no ideal. Raises ValueError for p outside [0.01, 0.99] or depth < 1.
    """
    if not LEAST_PERSISTENCE <= persistence <= GREATEST_PERSISTENCE:
        raise ValueError(f"the persistence p lies in [0.01, 0.99]; {persistence} does not")
    if depth < 1:
        raise ValueError(f"the depth is at least 1, not {depth}")
    positive = level > 0
    topic, level, rank = topic[positive], level[positive], rank[positive]
    beyond = np.iinfo(np.int64).max
    run_rank = np.where(rank > 0, rank, beyond)
    order = np.lexsort((run_rank, -level, topic))
    topic, run_rank = topic[order], run_rank[order]

    count = np.bincount(topic, minlength=topic_count)
    start = np.cumsum(count) - count
    ideal_rank = np.arange(len(topic)) - start[topic] + 1
    weight = _overlap_weights(persistence, depth)
    entered = np.minimum(np.maximum(run_rank, ideal_rank), depth + 1)
    overlap = np.bincount(topic, weight[entered], topic_count)
    whole = np.cumsum(weight)[np.minimum(count, depth)]
    ratio: FloatArray = np.divide(overlap, whole, out=np.full(topic_count, np.nan), where=count > 0)
    return ratio


@cache
def _overlap_weights(persistence: float, depth: int) -> FloatArray:
    """W(m) at index m for m = 1..depth; 0 at index 0, which stands for no item, and at depth + 1."""
    depths = np.arange(1, depth + 1)
    terms = persistence ** (depths - 1.0) / depths
    weights = np.zeros(depth + 2)
    weights[1 : depth + 1] = np.cumsum(terms[::-1])[::-1]
    weights.flags.writeable = False
    return weights
