"""Runs × units, of which some rows are in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

TOGETHER = 256
"""So many rows are in memory at a time; of pairs so many firsts and so many seconds."""

FEW = 8
"""Matrices of fewer rows are multiplied in another way, and the last digit may differ: a part of all
rows must give the same as all."""


class Table(Protocol):
    """Rows of the same length, some of them read when they are asked for; an array of two dimensions is
    such."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many rows, and how many numbers each has."""
        ...

    def __getitem__(self, rows: slice, /) -> FloatArray: ...


class Narrowed:
    """The columns of a table that are `kept`."""

    def __init__(self, table: Table, kept: BoolArray) -> None:
        self._table = table
        self._kept = kept

    @property
    def shape(self) -> tuple[int, ...]:
        return self._table.shape[0], int(np.count_nonzero(self._kept))

    def __getitem__(self, rows: slice, /) -> FloatArray:
        return self._table[rows][:, self._kept]


def blocks(table: Table, most: int = TOGETHER) -> Iterator[FloatArray]:
    """All rows, `most` at a time."""
    return (table[start:stop] for start, stop in _spans(table.shape[0], most))


def greatest(table: Table) -> FloatArray:
    """The greatest absolute value of each column; nan where some row has none."""
    found = np.zeros(table.shape[1])
    for rows in blocks(table):
        found = np.maximum(found, np.abs(rows).max(axis=0))
    return found


def given(table: Table) -> BoolArray:
    """Which columns some row has a value for."""
    found = np.zeros(table.shape[1], dtype=bool)
    for rows in blocks(table):
        found |= ~np.isnan(rows).all(axis=0)
    return found


@dataclass(frozen=True, eq=False)
class Tile:
    """Some pairs of rows: `first` and `second` say where in `matrix` they stand, `numbers` which rows of the
    table these are."""

    numbers: IntArray
    matrix: FloatArray
    first: IntArray
    second: IntArray

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The pairs as rows of the table."""
        return self.numbers[self.first], self.numbers[self.second]


def pairs_of(count: int) -> tuple[IntArray, IntArray]:
    """The first and the second of every pair of `count` things."""
    first, second = np.triu_indices(count, 1)
    return first, second


def tiles(table: Table) -> Iterator[Tile]:
    """Every pair of rows once, the first before the second."""
    spans = _spans(table.shape[0], TOGETHER)
    for place, (start, stop) in enumerate(spans):
        # Rows are taken out of these many times, which is fast where each lies in one piece.
        these = np.ascontiguousarray(table[start:stop])
        yield Tile(np.arange(start, stop), these, *pairs_of(len(these)))
        for beyond, end in spans[place + 1 :]:
            those = np.ascontiguousarray(table[beyond:end])
            first, second = np.divmod(np.arange(len(these) * len(those)), len(those))
            numbers = np.concatenate([np.arange(start, stop), np.arange(beyond, end)])
            yield Tile(numbers, np.concatenate([these, those]), first, second + len(these))


def _spans(count: int, most: int) -> list[tuple[int, int]]:
    """Where parts of at most `most` begin and end. A last one of less than `FEW` goes with the one before."""
    starts = list(range(0, count, most))
    if len(starts) > 1 and count - starts[-1] < FEW:
        starts.pop()
    return list(pairwise([*starts, count])) if starts else []
