"""What each run brings to MJ."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from leaderboard.resources.mj import Combination, weights_of
from leaderboard.resources.mj_shares import mean, shares, without_each

PLACES = [2, 1, 3, 3]


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(1).random((4, 50)).round(1)


def rho(left: np.ndarray, right: np.ndarray) -> float:
    return float(scipy.stats.spearmanr(left, right).statistic)


@pytest.mark.parametrize("weighting", ["rank", "exp", "sqrt"])
def test_the_mean_is_that_of_the_resource(values: np.ndarray, weighting: str) -> None:
    weights = weights_of(PLACES, weighting)
    combination = Combination(50)
    for row, weight in zip(values, weights, strict=True):
        combination.add(row, weight)

    assert mean(values, weights) == pytest.approx(combination.mj)


def test_correlations_are_scipys(values: np.ndarray) -> None:
    found = shares(values, PLACES, "rank")
    whole = mean(values, weights_of(PLACES, "rank"))

    for run in range(4):
        assert found.with_all[run] == pytest.approx(rho(values[run], whole))
        for other in range(4):
            assert found.between[run, other] == pytest.approx(rho(values[run], values[other]))


def test_without_a_run_those_behind_it_move_up(values: np.ndarray) -> None:
    first, second, third, _ = without_each(values, PLACES, "rank")

    # Places 2, 1, 3, 3 without the second place: 1, 2, 2 of three; without the first: 1, 2, 2.
    assert first == pytest.approx(np.average(values[[1, 2, 3]], axis=0, weights=[3, 2, 2]))
    assert second == pytest.approx(np.average(values[[0, 2, 3]], axis=0, weights=[3, 2, 2]))
    assert third == pytest.approx(np.average(values[[0, 1, 3]], axis=0, weights=[2, 3, 1]))


def test_a_run_is_compared_with_the_others_alone(values: np.ndarray) -> None:
    found = shares(values, PLACES, "rank")
    rest = list(without_each(values, PLACES, "rank"))
    whole = mean(values, weights_of(PLACES, "rank"))

    for run, others in enumerate(rest):
        assert others is not None
        assert found.with_others[run] == pytest.approx(rho(values[run], others))
        assert found.changed[run] == pytest.approx(rho(whole, others))
        assert found.with_others[run] < found.with_all[run]


def test_an_only_run_has_no_others() -> None:
    found = shares(np.array([[0.1, 0.5, 0.9]]), [1], "rank")

    assert found.with_all.tolist() == pytest.approx([1.0])
    assert math.isnan(found.with_others[0])
    assert math.isnan(found.changed[0])


def test_a_constant_run_agrees_with_nothing() -> None:
    found = shares(np.array([[0.1, 0.5, 0.9], [0.0, 0.0, 0.0]]), [1, 2], "rank")

    assert math.isnan(found.with_all[1])
    assert math.isnan(found.between[0, 1])
    assert found.between[0, 0] == pytest.approx(1.0)
