"""Small pictures of runs, by which any two of very many are compared without reading their files again.

A sketch has the answers to the `SAMPLE` units whose hashes are the least: the same units in every run, chosen
by nobody. Which two of many runs may be alike is found by *bands*: a hash of the answers to a few of these
units, or of which side of a few random lines they lie on, is the same in alike runs often and else hardly
ever.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from leaderboard.analysis.probing import LEAST_UNITS, Strength
from leaderboard.contract import FloatArray
from leaderboard.scorers import Answers

SAMPLE = 512
BANDS = 64
"""So many hashes of a few units each: runs that share 9 of 10 answers share one of these nearly always."""

SIDES = 12
LINES = 16
"""So many times `SIDES` random lines: runs that correlate by 0.99 share the sides of one nearly always."""

HASHES = BANDS + LINES

MOST_TEAMS = 20
"""A run is set beside those of so many other teams at most that share a band with it."""

FORM = 2
"""Changes whenever the same run would get another sketch."""

_HEAD = struct.Struct("<BBII")


@dataclass(frozen=True, eq=False)
class Sketch:
    """The sampled units by hash, in ascending order, and the answers to them; `units` are how many the run
    has. `near` are the ranks of its values among these (float32), which stay when values are multiplied, or,
    where `is_items`, minhashes of them (uint32)."""

    unit: NDArray[np.uint32]
    exact: NDArray[np.uint32]
    near: NDArray[np.uint32]
    is_items: bool
    units: int

    @property
    def values(self) -> FloatArray | None:
        return None if self.is_items else self.near.view(np.float32).astype(np.float64)

    def pack(self) -> bytes:
        head = _HEAD.pack(FORM, self.is_items, self.units, len(self.unit))
        return head + b"".join(part.astype("<u4").tobytes() for part in (self.unit, self.exact, self.near))


def unpack(packed: bytes) -> Sketch:
    """A sketch as it was. Raises ValueError for bytes that are none."""
    if len(packed) < _HEAD.size:
        raise ValueError("this is no sketch")
    form, is_items, units, count = _HEAD.unpack_from(packed)
    if form != FORM or len(packed) != _HEAD.size + 12 * count:
        raise ValueError("this is no sketch")
    unit, exact, near = np.frombuffer(packed, "<u4", offset=_HEAD.size).astype(np.uint32).reshape(3, count)
    return Sketch(unit, exact, near, bool(is_items), units)


@dataclass(frozen=True, eq=False)
class Whole:
    """All answers of a run: units by hash, in ascending order, and a number for each answer."""

    unit: NDArray[np.uint64]
    exact: NDArray[np.uint64]


def whole(answers: Answers) -> Whole:
    unit = _hashed(answers.units)
    order = np.argsort(unit, kind="stable")
    return Whole(unit[order], answers.exact[order])


def sketch(answers: Answers) -> Sketch:
    """The sketch of a run. Raises ValueError where it has neither values nor items."""
    unit = _hashed(answers.units)
    rows = np.argsort(unit, kind="stable")[:SAMPLE]
    if answers.values is not None:
        near = stats.rankdata(answers.values[rows]).astype("<f4").view(np.uint32)
    elif answers.items is not None:
        near = _short(answers.items[rows])
    else:
        raise ValueError("these answers have neither values nor items")
    short = (unit[rows] >> np.uint64(32)).astype(np.uint32)
    return Sketch(short, _short(answers.exact[rows]), near, answers.values is None, len(unit))


def changed(one: Whole, other: Whole) -> NDArray[np.uint64]:
    """The units, by hash, that two runs answer otherwise, or only one of them at all."""
    common, here, there = np.intersect1d(one.unit, other.unit, assume_unique=True, return_indices=True)
    differ = common[one.exact[here] != other.exact[there]]
    return np.concatenate([differ, np.setxor1d(one.unit, other.unit, assume_unique=True)])


@dataclass(frozen=True, slots=True)
class Alike:
    """How alike two runs are on `units` units that both answer: `share` of the answers are the same, where
    `chance` would be were one run's answers shuffled. `near` is Spearman's correlation of the values, or the
    share of items in common."""

    units: int
    share: float
    chance: float
    near: float
    is_items: bool = False

    @property
    def beyond_chance(self) -> float:
        """Cohen's κ: 1 where all answers are the same, 0 where no more than by chance."""
        return (self.share - self.chance) / (1 - self.chance) if self.chance < 1 else 0.0

    @property
    def strength(self) -> Strength | None:
        """None where two runs are no more alike than runs of two teams that work on the same task may be. The
        nearest two of the real runs at hand: κ 0.68, a correlation of 0.97, items in common 0.77."""
        if self.units < LEAST_UNITS:
            return None
        strong, moderate = (0.95, 0.85) if self.is_items else (0.999, 0.99)
        if self.beyond_chance >= 0.95 or self.near >= strong:
            return "strong"
        return "moderate" if self.beyond_chance >= 0.8 or self.near >= moderate else None


def alike(one: Sketch, other: Sketch) -> Alike:
    """How alike two runs of a task are, by their sketches."""
    _, here, there = np.intersect1d(one.unit, other.unit, assume_unique=True, return_indices=True)
    if not len(here):
        return Alike(0, 0.0, 0.0, 0.0, one.is_items)
    mine, theirs = one.exact[here], other.exact[there]
    share = float((mine == theirs).mean())
    if one.is_items or other.is_items:
        near = float((one.near[here] == other.near[there]).mean())
    else:
        near = _correlation(one.near[here].view(np.float32), other.near[there].view(np.float32))
    return Alike(len(here), share, _by_chance(mine, theirs), near, one.is_items)


def _by_chance(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> float:
    mine, times = np.unique(one, return_counts=True)
    theirs, often = np.unique(other, return_counts=True)
    _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return float((times[here] * often[there]).sum()) / (len(one) * len(other))


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(stats.rankdata(one), stats.rankdata(other))[0, 1])


def bands(found: Sketch) -> NDArray[np.uint64]:
    """The `HASHES` hashes of a sketch; 0 where one would say nothing, since the answers are all the same."""
    return np.concatenate([_of_answers(found), _of_sides(found)])


def _of_answers(found: Sketch) -> NDArray[np.uint64]:
    hashes = np.zeros(BANDS, dtype=np.uint64)
    band = found.unit % BANDS
    mixed = _mixed(found.unit.astype(np.uint64) << np.uint64(32) | found.exact.astype(np.uint64))
    with np.errstate(over="ignore"):
        np.add.at(hashes, band, mixed)
    for number in range(BANDS):
        if len(np.unique(found.exact[band == number])) < 2:
            hashes[number] = 0
    return hashes


def _of_sides(found: Sketch) -> NDArray[np.uint64]:
    values = found.values
    if values is None or np.ptp(values) == 0:
        return np.zeros(LINES, dtype=np.uint64)
    ranks = stats.rankdata(values) - (len(values) + 1) / 2
    lines = np.arange(1, LINES * SIDES + 1, dtype=np.uint64)
    signs = _mixed(found.unit.astype(np.uint64)[None, :] * np.uint64(0x10001) ^ lines[:, None]) & np.uint64(1)
    above = ((2.0 * signs - 1) @ ranks > 0).reshape(LINES, SIDES)
    return np.asarray(_mixed(1 + (above << np.arange(SIDES)).sum(axis=1).astype(np.uint64)))


def candidates(hashes: NDArray[np.uint64], team: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of rows that share a band and belong to two teams, each once. Where many share one, each is set
    beside the row before it of each of `MOST_TEAMS` other teams, so that there are never as many as pairs."""
    seen: set[tuple[int, int]] = set()
    for column in hashes.T:
        rows = np.flatnonzero(column)
        rows = rows[np.argsort(column[rows], kind="stable")]
        for together in np.split(rows, np.flatnonzero(np.diff(column[rows])) + 1):
            for pair in _between_teams(together.tolist(), team):
                if pair not in seen:
                    seen.add(pair)
                    yield pair


def _between_teams(rows: Sequence[int], team: Sequence[int]) -> Iterator[tuple[int, int]]:
    latest: dict[int, int] = {}
    for row in rows:
        mine = team[row]
        yield from ((last, row) for other, last in latest.items() if other != mine)
        if mine in latest or len(latest) < MOST_TEAMS:
            latest[mine] = row


def _hashed(units: Sequence[str]) -> NDArray[np.uint64]:
    return np.asarray(pd.util.hash_array(np.array(units, dtype=object), categorize=False), dtype=np.uint64)


def _short(numbers: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (_mixed(numbers) >> np.uint64(32)).astype(np.uint32)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the result depends on every bit of a number (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(numbers ^ (numbers >> np.uint64(31)))
