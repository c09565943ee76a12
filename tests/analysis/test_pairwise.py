"""The paired t-test of all pairs at once equals scipy's of each."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis import pairwise, tables
from leaderboard.analysis.pairwise import complete, paired_t
from leaderboard.analysis.tables import pairs_of
from tests.analysis.all_pairs import joined

FEWER = settings(max_examples=settings().max_examples // 4)


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray:
    runs, units = draw(st.integers(2, 6)), draw(st.integers(3, 20))
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    return dice.beta(0.5, 1.0, (runs, units)) * draw(st.sampled_from([1e-6, 1.0, 1e5]))


@FEWER
@given(matrices())
def test_every_pair_gets_scipys_statistic_and_p_value(matrix: np.ndarray) -> None:
    found = joined(paired_t(matrix))

    for row, (first, second) in enumerate(zip(*pairs_of(len(matrix)), strict=True)):
        expected = scipy.stats.ttest_rel(matrix[first], matrix[second])
        assert found.t[row] == pytest.approx(expected.statistic, rel=1e-9)
        assert found.p[row] == pytest.approx(expected.pvalue, rel=1e-9)
        assert found.difference[row] == pytest.approx(
            np.mean(matrix[first] - matrix[second]), rel=1e-9, abs=1e-15
        )


@pytest.mark.parametrize(("at_once", "together"), [(25, 256), (2**16, 2), (2**16, 8), (25, 9)])
def test_parts_of_any_size_give_the_same(
    monkeypatch: pytest.MonkeyPatch, at_once: int, together: int
) -> None:
    matrix = np.random.default_rng(3).random((29, 11))
    whole = joined(paired_t(matrix))

    monkeypatch.setattr(pairwise, "AT_ONCE", at_once)
    monkeypatch.setattr(tables, "TOGETHER", together)
    found = joined(paired_t(matrix))

    assert found.first.tolist() == whole.first.tolist()
    assert found.second.tolist() == whole.second.tolist()
    assert found.p.tolist() == whole.p.tolist()


def test_equal_runs_are_not_told_apart() -> None:
    row = np.random.default_rng(1).random(30)

    found = joined(paired_t(np.array([row, row])))

    assert (found.t[0], found.p[0]) == (0.0, 1.0)


def test_the_same_difference_everywhere_is_beyond_doubt() -> None:
    found = joined(paired_t(np.array([np.zeros(5), np.full(5, 0.1)])))

    assert (found.t[0], found.p[0]) == (-np.inf, 0.0)


def test_a_unit_that_one_run_lacks_counts_for_none() -> None:
    matrix = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 3.0]])

    assert complete(matrix)[:].tolist() == [[1.0, 3.0], [1.0, 3.0]]
    with pytest.raises(ValueError, match="not complete"):
        next(paired_t(matrix))


def test_one_unit_tells_nothing() -> None:
    with pytest.raises(ValueError, match="at least two units"):
        next(paired_t(np.ones((2, 1))))


def test_what_rounding_alone_makes_tells_nothing_apart() -> None:
    row = np.random.default_rng(2).random(40)
    # As sums of the same numbers in another order differ: always in the last bit, always upwards.
    rounded = np.nextafter(row, 2.0)

    found = joined(paired_t(np.array([rounded, row, row + 0.1])))

    assert found.t.tolist() == [0.0, -np.inf, -np.inf]
    assert found.p.tolist() == [1.0, 0.0, 0.0]
