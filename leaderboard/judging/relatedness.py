"""Ratings of relatedness: who rates which pairs, and what the ratings say together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

SIZE = 15
"""So many pairs make an assignment."""

HIGHEST = 3
"""The scale: 0 not related, 1 weakly, 2 moderately, 3 highly."""


class PairRating(NamedTuple):
    """One judge's rating of a pair of words, from 0 to 3."""

    word1: str
    word2: str
    judge: str
    rating: int


class MeanRating(NamedTuple):
    """A pair's mean rating, scaled to [0, 1], from so many ratings."""

    word1: str
    word2: str
    value: float
    ratings: int


def draw_assignment(counts: Sequence[int], seed: int | Sequence[int], size: int = SIZE) -> tuple[int, ...]:
    """The places of the pairs of an assignment, all different; all pairs where there are no more.

    `counts` says how many ratings each pair already has, or will have from assignments that are out. A pair
    is drawn with probability inversely proportional to that, so that one without any comes first.
    """
    counted = np.asarray(counts, dtype=np.float64)
    if (counted < 0).any():
        raise ValueError("a pair cannot have fewer than no ratings")
    chance = np.random.default_rng(seed)
    unrated = np.flatnonzero(counted == 0)
    if len(unrated) >= size:
        return tuple(int(place) for place in chance.choice(unrated, size, replace=False))
    rated = np.flatnonzero(counted > 0)
    wanted = min(size - len(unrated), len(rated))
    drawn = [int(place) for place in chance.permutation(unrated)]
    if wanted:
        inverse = 1.0 / counted[rated]
        drawn += chance.choice(rated, wanted, replace=False, p=inverse / inverse.sum()).tolist()
    return tuple(drawn)


def mean_ratings(ratings: Iterable[PairRating], at_least: int = 1) -> tuple[MeanRating, ...]:
    """The mean of each pair with at least so many ratings, divided by 3, the highest first, then by words.

    Raises ValueError for a rating that is not on the scale.
    """
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for given in ratings:
        if not 0 <= given.rating <= HIGHEST:
            raise ValueError(f"the rating {given.rating} is not on the scale from 0 to {HIGHEST}")
        found[given.word1, given.word2].append(given.rating)
    means = (
        MeanRating(*words, fsum(values) / len(values) / HIGHEST, len(values))
        for words, values in found.items()
        if len(values) >= at_least
    )
    return tuple(sorted(means, key=lambda mean: (-mean.value, mean.word1, mean.word2)))
