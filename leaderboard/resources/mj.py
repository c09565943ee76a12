"""MJ, machine judgments: what the best runs together say about each pair of words.

Panchenko et al., Human and Machine Judgements for Russian Semantic Relatedness (AIST 2016), and the files
released with it. On a track where n runs have the places k = 1..n, the rank is r_k = n + 1 − k and the weight
α_k is r_k, exp(r_k) or √r_k. A pair has

    mj = Σ_k α_k·s_k / Σ_k α_k        (the released files' `wmean`; in [0, 1])
    paper_sum = 1/n · Σ_k α_k·s_k     (as the paper prints it)

where s_k is the run's value, scaled to [0, 1] by `Scale`. Within a track the two differ by a constant.

exp is computed as exp(r_k − n): all weights of a track are smaller by the factor eⁿ, which leaves mj as it is
and cannot overflow. paper_sum has that factor too: under exp the sum with the paper's own weights is
paper_sum · eⁿ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, fsum, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from leaderboard.contract import FloatArray

Pair = tuple[str, str]

WEIGHTINGS = ("rank", "exp", "sqrt")
"""The ways of the paper to make weights from places."""

TRACKS_JOINED = "+"
"""Stands between the names of tracks that share a pair."""


def weights_of(places: Sequence[int], weighting: str) -> FloatArray:
    """The weight α of each run, from its place on a track; runs that share a place share the better one.

    Raises ValueError for an unknown weighting, for places that are not 1..n, and where nobody is first.
    """
    n = len(places)
    if n and (min(places) != 1 or max(places) > n):
        raise ValueError(f"the places of {n} runs lie between 1 and {n}, and one is 1; these are {places}")
    return np.array([weight_of(n + 1 - place, n, weighting) for place in places], dtype=np.float64)


def weight_of(rank: int, n: int, weighting: str) -> float:
    """The weight α of one rank among `n` runs. Raises ValueError for an unknown weighting."""
    if weighting == "rank":
        return float(rank)
    if weighting == "exp":
        return exp(rank - n)
    if weighting == "sqrt":
        return sqrt(rank)
    raise ValueError(f"{weighting!r} is no weighting; these are: {', '.join(WEIGHTINGS)}")


@dataclass(frozen=True, slots=True)
class Scale:
    """How the values of one run are brought to [0, 1]: `least` becomes 0, `greatest` becomes 1.

    Where both are the same the run is constant, says nothing, and becomes 0.
    """

    least: float
    greatest: float

    @classmethod
    def of(cls, given: FloatArray) -> Scale:
        """The scale of a run that gives these (finite) values to the pairs of the public list, in any order.

        A run within [0, 1] stays as it is, unless it is constant.
        """
        if not len(given):
            return cls(0.0, 0.0)
        least, greatest = float(given.min()), float(given.max())
        if least < greatest and least >= 0.0 and greatest <= 1.0:
            return cls(0.0, 1.0)
        return cls(least, greatest)

    def apply(self, values: FloatArray) -> FloatArray:
        """The values in [0, 1]; a missing one (nan) becomes 0. One beyond the ends, as only a pair that is
        not on the public list can have, takes the value of that end."""
        if self.least == self.greatest:
            return np.zeros(len(values))
        if (self.least, self.greatest) == (0.0, 1.0):
            scaled = values
        elif isfinite(self.greatest - self.least):
            scaled = (values - self.least) / (self.greatest - self.least)
        else:
            # Halved first: the distance of two finite numbers may be none.
            scaled = (values / 2 - self.least / 2) / (self.greatest / 2 - self.least / 2)
        return np.clip(np.where(np.isnan(scaled), 0.0, scaled), 0.0, 1.0)


class Combination:
    """The weighted runs of one track, added one by one, so that memory does not grow with their number."""

    def __init__(self, pairs: int) -> None:
        self._sum = np.zeros(pairs)
        self._weights: list[float] = []

    def add(self, values: FloatArray, weight: float) -> None:
        """Adds a run: its value of each pair, in [0, 1] and 0 where it has none, and its weight."""
        self._sum += weight * values
        self._weights.append(weight)

    @property
    def mj(self) -> FloatArray:
        """The weighted mean by pair, in [0, 1]. Raises ValueError where nothing with weight was added."""
        whole = fsum(self._weights)
        if not whole > 0.0:
            raise ValueError("a mean needs a run with a weight above 0")
        # The last digit of a sum may lie above that of the weights'.
        return np.minimum(self._sum / whole, 1.0)

    @property
    def paper_sum(self) -> FloatArray:
        """The weighted sum by pair, divided by the number of runs. Raises ValueError where none was added."""
        if not self._weights:
            raise ValueError("a sum needs a run")
        return self._sum / len(self._weights)


class Row(NamedTuple):
    """A line of an MJ file. `track` names one track, or in the file of unique pairs all that have the pair;
    `n_runs` is how many different runs went into them."""

    word1: str
    word2: str
    mj: float
    paper_sum: float
    track: str
    n_runs: int


@dataclass(frozen=True, eq=False)
class TrackValues:
    """MJ on one track: a value for each of `pairs`, and the `runs` (any names) that went in."""

    track: str
    pairs: Sequence[Pair]
    mj: FloatArray
    paper_sum: FloatArray
    runs: frozenset[str]


def long_rows(tracks: Sequence[TrackValues]) -> Iterator[Row]:
    """One row for each different pair of each track, sorted by word1, word2 and the order of the tracks.

    A pair that a track holds twice has the same runs' values and weights twice, so either will do.
    """
    keys = sorted(
        (pair, number, row)
        for number, track in enumerate(tracks)
        for pair, row in dict(zip(track.pairs, range(len(track.pairs)), strict=True)).items()
    )
    for (word1, word2), number, row in keys:
        track = tracks[number]
        values = float(track.mj[row]), float(track.paper_sum[row])
        yield Row(word1, word2, *values, track.track, len(track.runs))


def unique_rows(rows: Iterable[Row], tracks: Sequence[TrackValues]) -> Iterator[Row]:
    """One row for each different pair, made from `long_rows` of these tracks: the mean over its tracks."""
    runs = {track.track: track.runs for track in tracks}
    for (word1, word2), same in groupby(rows, key=lambda row: (row.word1, row.word2)):
        found = list(same)
        names = [row.track for row in found]
        yield Row(
            word1,
            word2,
            fsum(row.mj for row in found) / len(found),
            fsum(row.paper_sum for row in found) / len(found),
            TRACKS_JOINED.join(names),
            len(frozenset().union(*(runs[name] for name in names))),
        )


@dataclass(frozen=True, slots=True)
class Related:
    """A word with its `most` and `least` related words and their values, each list best first.

    No word is in both; `total` counts all words it was compared with.
    """

    word: str
    most: tuple[tuple[str, float], ...]
    least: tuple[tuple[str, float], ...]
    total: int


class Thesaurus:
    """MJ by source word, as in the paper's Table 1. A pair given several times has the mean of its values."""

    def __init__(self, values: Iterable[tuple[str, str, float]]) -> None:
        pairs: defaultdict[Pair, list[float]] = defaultdict(list)
        for word1, word2, value in values:
            pairs[word1, word2].append(value)
        grouped: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for (word1, word2), several in pairs.items():
            grouped[word1].append((word2, fsum(several) / len(several)))
        # Equal values by word, so that the order of the file cannot matter.
        self._related: Mapping[str, tuple[tuple[str, float], ...]] = {
            word: tuple(sorted(grouped[word], key=lambda other: (-other[1], other[0])))
            for word in sorted(grouped)
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The source words, sorted."""
        return tuple(self._related)

    def of(self, word: str, most: int = 10) -> Related:
        """The `most` most and as many least related words; where there are fewer than twice as many, the
        middle one and the upper half are the most related. Raises KeyError for a word that is no source."""
        found = self._related[word]
        upper = min(most, (len(found) + 1) // 2)
        lower = min(most, len(found) - upper)
        return Related(word, found[:upper], found[len(found) - lower :], len(found))
