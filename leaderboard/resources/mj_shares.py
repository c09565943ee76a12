"""What each run brings to MJ: how far it agrees with the rest, and what MJ would be without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.contract import FloatArray
from leaderboard.resources.mj import weights_of


@dataclass(frozen=True, eq=False)
class Shares:
    """The runs of one track, in the order they were given; correlations are Spearman's, nan where a side is
    constant.

    `with_all` is each run's correlation with MJ, `with_others` that with MJ made from the other runs alone
    (nan for the only run), `between` that of every two runs. `changed` is the correlation of MJ with and
    without the run: near 1 where it could be left out.
    """

    with_all: FloatArray
    with_others: FloatArray
    changed: FloatArray
    between: FloatArray


def shares(values: FloatArray, places: Sequence[int], weighting: str) -> Shares:
    """The shares of runs × pairs, values in [0, 1], by their places on the track."""
    count = len(values)
    whole = mean(values, weights_of(places, weighting))
    ranks = np.array([_standardised(row) for row in values])
    between = _product(ranks, ranks)
    with_all = _product(ranks, _standardised(whole)[np.newaxis])[:, 0]
    with_others, changed = np.full(count, np.nan), np.full(count, np.nan)
    for run, rest in enumerate(without_each(values, places, weighting)):
        if rest is None:
            continue
        others = _standardised(rest)
        with_others[run] = _product(ranks[run][np.newaxis], others[np.newaxis])[0, 0]
        changed[run] = _product(_standardised(whole)[np.newaxis], others[np.newaxis])[0, 0]
    return Shares(with_all, with_others, changed, between)


def without_each(values: FloatArray, places: Sequence[int], weighting: str) -> Iterator[FloatArray | None]:
    """MJ without each run in turn, as if it had not been sent: those behind it move up a place. None for the
    only run."""
    for left_out, place in enumerate(places):
        rest = [number for number in range(len(places)) if number != left_out]
        if not rest:
            yield None
            continue
        # Behind means a worse place; who shares the place keeps it.
        moved = [places[number] - (places[number] > place) for number in rest]
        yield mean(values[rest], weights_of(moved, weighting))


def mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted mean of each pair."""
    return np.asarray(weights @ values / weights.sum(), dtype=np.float64)


def _standardised(values: FloatArray) -> FloatArray:
    """Ranks with mean 0 and length 1, all nan for a constant: their product is Spearman's correlation."""
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy import stats

    ranks = stats.rankdata(values)
    centred = ranks - ranks.mean()
    length = np.linalg.norm(centred)
    return np.asarray(centred / length if length > 0 else np.full(len(values), np.nan), dtype=np.float64)


def _product(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.asarray(np.clip(left @ right.T, -1.0, 1.0), dtype=np.float64)
