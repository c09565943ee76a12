"""What each run brings to MJ."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.resources.mj import WEIGHTINGS, weights_of
from leaderboard.resources.mj_shares import COMPARED, shares, without_each

PLACES = [2, 1, 3, 3]


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(1).random((4, 50)).round(1)


def rho(left: np.ndarray, right: np.ndarray) -> float:
    return float(scipy.stats.spearmanr(left, right).statistic)


def mean(values: np.ndarray, weighting: str) -> np.ndarray:
    return np.average(values, axis=0, weights=weights_of(PLACES, weighting))


def undefined(_rest: np.ndarray) -> float:
    return math.nan


def slow_without_each(values: np.ndarray, places: list[int], weighting: str) -> list[np.ndarray]:
    """As it is said: whoever is behind moves up a place, and all weights are made anew."""
    found = []
    for left_out, place in enumerate(places):
        rest = [run for run in range(len(places)) if run != left_out]
        moved = [places[run] - (places[run] > place) for run in rest]
        found.append(np.average(values[rest], axis=0, weights=weights_of(moved, weighting)))
    return found


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.sampled_from(WEIGHTINGS))
def test_without_a_run_mj_is_that_of_the_others(scores: list[int], weighting: str) -> None:
    places = [1 + sum(other > score for other in scores) for score in scores]
    values = np.random.default_rng(len(scores)).random((len(scores), 9))
    wanted = slow_without_each(values, places, weighting)

    found = dict(without_each(values, places, weighting))
    assert sorted(found) == list(range(len(scores)))
    for run, rest in found.items():
        assert rest is not None
        np.testing.assert_allclose(rest, wanted[run], rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_pairs_that_only_the_run_left_out_tells_apart_are_equal_without_it(weighting: str) -> None:
    values = np.random.default_rng(2).random((7, 20))
    values[:3] = values[4:] = 0.3
    rest = dict(without_each(values, [3, 1, 5, 2, 6, 7, 4], weighting))[3]

    assert rest is not None
    assert len(set(rest.tolist())) == 1


def test_of_many_runs_the_first_are_compared_with_each_other() -> None:
    values = np.random.default_rng(3).random((COMPARED + 2, 5))
    found = shares(values, list(range(1, COMPARED + 3)), "rank", undefined)

    assert found.between.shape == (COMPARED, COMPARED)
    assert found.between[0, COMPARED - 1] == pytest.approx(rho(values[0], values[COMPARED - 1]))
    assert found.with_all[COMPARED + 1] == pytest.approx(
        rho(values[-1], np.average(values, axis=0, weights=range(COMPARED + 2, 0, -1)))
    )


def test_correlations_are_scipys(values: np.ndarray) -> None:
    found = shares(values, PLACES, "rank", undefined)
    whole = mean(values, "rank")

    for run in range(4):
        assert found.with_all[run] == pytest.approx(rho(values[run], whole))
        for other in range(4):
            assert found.between[run, other] == pytest.approx(rho(values[run], values[other]))


def test_without_a_run_those_behind_it_move_up(values: np.ndarray) -> None:
    rest = dict(without_each(values, PLACES, "rank"))
    first, second, third = rest[0], rest[1], rest[2]

    # Places 2, 1, 3, 3 without the second place: 1, 2, 2 of three; without the first: 1, 2, 2.
    assert first == pytest.approx(np.average(values[[1, 2, 3]], axis=0, weights=[3, 2, 2]))
    assert second == pytest.approx(np.average(values[[0, 2, 3]], axis=0, weights=[3, 2, 2]))
    assert third == pytest.approx(np.average(values[[0, 1, 3]], axis=0, weights=[2, 3, 1]))


def test_a_run_is_compared_with_the_others_alone(values: np.ndarray) -> None:
    found = shares(values, PLACES, "rank", lambda rest: float(rest[0]))
    whole = mean(values, "rank")

    for run, others in without_each(values, PLACES, "rank"):
        assert others is not None
        assert found.with_others[run] == pytest.approx(rho(values[run], others))
        assert found.changed[run] == pytest.approx(rho(whole, others))
        assert found.with_others[run] < found.with_all[run]
        assert found.without[run] == others[0]


def test_an_only_run_has_no_others() -> None:
    found = shares(np.array([[0.1, 0.5, 0.9]]), [1], "rank", undefined)

    assert found.with_all.tolist() == pytest.approx([1.0])
    assert math.isnan(found.with_others[0])
    assert math.isnan(found.changed[0])


def test_a_constant_run_agrees_with_nothing() -> None:
    found = shares(np.array([[0.1, 0.5, 0.9], [0.0, 0.0, 0.0]]), [1, 2], "rank", undefined)

    assert math.isnan(found.with_all[1])
    assert math.isnan(found.between[0, 1])
    assert found.between[0, 0] == pytest.approx(1.0)
