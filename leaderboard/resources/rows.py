"""Rows of numbers that are too many for memory, in a temporary file that nobody else can open."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self, overload

import numpy as np

from leaderboard.contract import FloatArray

_BYTES = np.dtype(np.float64).itemsize


class Rows(Protocol):
    """Rows of the same length, each read when it is asked for; an array of two dimensions is such."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> FloatArray: ...


class RowsOnDisk:
    """`Rows` of `width` numbers in a temporary file, exact to the bit; a slice of them is an array. The file
    has no name and is gone at the end of the block, or with the process."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, row: FloatArray) -> None:
        """Adds a row after the others. Raises ValueError for another length."""
        if len(row) != self.width:
            raise ValueError(f"a row has {self.width} numbers, not {len(row)}")
        self._file.seek(0, os.SEEK_END)
        self._file.write(np.ascontiguousarray(row, dtype=np.float64).tobytes())
        self._count += 1

    def __len__(self) -> int:
        return self._count

    @property
    def shape(self) -> tuple[int, ...]:
        """As an array has it."""
        return self._count, self.width

    @overload
    def __getitem__(self, row: int, /) -> FloatArray: ...
    @overload
    def __getitem__(self, row: slice, /) -> FloatArray: ...

    def __getitem__(self, row: int | slice, /) -> FloatArray:
        if isinstance(row, slice):
            start, stop, _ = row.indices(self._count)
            numbers = self._read(start * self.width, (stop - start) * self.width)
            return numbers.reshape(stop - start, self.width)
        if not 0 <= row < self._count:
            raise IndexError(row)
        return self._read(row * self.width, self.width)

    def columns(self, start: int, stop: int) -> FloatArray:
        """A part of every row."""
        stop = min(stop, self.width)
        parts = [self._read(row * self.width + start, stop - start) for row in range(self._count)]
        return np.array(parts, dtype=np.float64).reshape(self._count, stop - start)

    def _read(self, start: int, count: int) -> FloatArray:
        self._file.seek(start * _BYTES, os.SEEK_SET)
        return np.frombuffer(self._file.read(count * _BYTES), dtype=np.float64)


class Arranged:
    """Rows in another order, or some of them."""

    def __init__(self, rows: Rows, order: Sequence[int]) -> None:
        self._rows = rows
        self._order = order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, row: int) -> FloatArray:
        return self._rows[self._order[row]]
