"""How alike two measures rank the same runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leaderboard.contract import FloatArray


def tau_b(left: FloatArray, right: FloatArray) -> float:
    """Kendall's tau-b (scipy.stats.kendalltau) between two measures' values of the same runs: −1 to 1.

    Equal values on a side count for neither; nan where one side is constant, or there are fewer than two.
    """
    if len(left) < 2:
        return float("nan")
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import stats

    return float(stats.kendalltau(left, right).statistic)


def overlap(left: Sequence[int], right: Sequence[int], persistence: float = 0.9) -> float:
    """Rank-biased overlap of two rankings, best first, of the same things: 0 to 1, the first ranks most.

    Webber, Moffat and Zobel, A similarity measure for indefinite rankings (ACM TOIS 2010), the extrapolated
    RBO of their equation 30: (1−p)/p · Σ_{d≤k} p^d·X_d/d + p^k·X_k/k, where the first d of both have X_d in
    common. Raises ValueError where they do not rank the same things, or p is not between 0 and 1.
    """
    if not 0.0 < persistence < 1.0:
        raise ValueError(f"the persistence p lies between 0 and 1; {persistence} does not")
    places = {thing: place for place, thing in enumerate(right)}
    if len(places) != len(right) or places.keys() != set(left) or len(left) != len(right):
        raise ValueError("rank-biased overlap is of two rankings of the same things")
    if not left:
        return float("nan")
    # A thing is common to both from the deeper of its two places on.
    deeper = [max(place, places[thing]) for place, thing in enumerate(left)]
    depth = np.arange(1, len(left) + 1)
    common = np.cumsum(np.bincount(deeper, minlength=len(left)))
    share = common / depth
    weighted = (1 - persistence) / persistence * np.sum(persistence**depth * share)
    return float(weighted + persistence ** len(left) * share[-1])


def ranking(values: FloatArray) -> tuple[int, ...]:
    """The rows from the highest value to the lowest; equal ones as they stand."""
    return tuple(np.argsort(-values, kind="stable").tolist())
