"""Rows of numbers on the disk."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.resources.rows import Arranged, RowsOnDisk


def test_rows_come_back_as_they_went_in_bit_by_bit() -> None:
    values = np.array([[0.1, -0.0, np.nan], [1e-310, np.inf, 1 / 3]])
    with RowsOnDisk(3) as rows:
        for row in values:
            rows.append(row)
        assert [rows[1].tobytes(), rows[0].tobytes()] == [values[1].tobytes(), values[0].tobytes()]
        assert rows.columns(1, 9).tobytes() == np.ascontiguousarray(values[:, 1:]).tobytes()
        assert Arranged(rows, [1])[0].tobytes() == values[1].tobytes()


def test_a_row_that_was_read_can_be_followed_by_another() -> None:
    with RowsOnDisk(2) as rows:
        rows.append(np.array([1.0, 2.0]))
        assert rows[0].tolist() == [1.0, 2.0]
        rows.append(np.array([3.0, 4.0]))
        assert (len(rows), rows[0].tolist(), rows[1].tolist()) == (2, [1.0, 2.0], [3.0, 4.0])


def test_a_row_of_another_length_and_one_that_is_not_there_are_refused() -> None:
    with RowsOnDisk(2) as rows:
        with pytest.raises(ValueError, match="2 numbers, not 3"):
            rows.append(np.zeros(3))
        with pytest.raises(IndexError):
            rows[0]


def test_a_slice_of_rows_is_an_array() -> None:
    values = np.random.default_rng(1).random((5, 3))
    with RowsOnDisk(3) as rows:
        for row in values:
            rows.append(row)
        assert rows.shape == values.shape
        assert rows[1:4].tobytes() == values[1:4].tobytes()
        assert rows[3:9].tobytes() == values[3:].tobytes()
