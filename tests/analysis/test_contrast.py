"""Two runs by their own values alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.contrast import contrast, distribution, grid, most_unlike, relative_ranks

FEWER = settings(max_examples=settings().max_examples // 4)
VALUES = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.5]), st.floats(-1e9, 1e9)), min_size=2, max_size=30)


@FEWER
@given(VALUES)
def test_the_correlation_is_spearmans(pairs: list[tuple[float, float]]) -> None:
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    constant = np.ptp(first) == 0 or np.ptp(second) == 0
    expected = math.nan if constant else scipy.stats.spearmanr(first, second).statistic

    assert contrast(first, second).correlation == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_items_that_one_run_lacks_are_left_out() -> None:
    found = contrast(np.array([1.0, np.nan, 3.0, 4.0]), np.array([4.0, 3.0, np.nan, 1.0]))

    assert (found.items, found.rows.tolist()) == (4, [0, 3])
    assert (found.first.tolist(), found.second.tolist()) == ([0.0, 1.0], [1.0, 0.0])


def test_relative_ranks_go_from_0_to_1_and_equal_ones_share() -> None:
    assert relative_ranks(np.array([5.0, 1.0, 1.0, 9.0])).tolist() == [2 / 3, 1 / 6, 1 / 6, 1.0]
    assert relative_ranks(np.array([7.0])).tolist() == [0.5]


def test_groups_come_by_how_far_apart_they_are_ranked() -> None:
    first = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    second = np.array([0.0, 1.0, 4.0, 3.0, 2.0])
    group = np.array([0, 0, 1, 2, 1])

    found = most_unlike(contrast(first, second), group, most=2)

    assert [(one.group, one.count, one.distance) for one in found] == [(1, 2, 0.5), (0, 2, 0.0)]
    assert found[0].widest in (2, 4)
    assert [one.group for one in most_unlike(contrast(first, second), group, 9, at_least=2)] == [1, 0]


def test_a_grid_counts_every_item_once() -> None:
    dice = np.random.default_rng(1)
    found = contrast(dice.random(500), dice.random(500))

    assert grid(found, 10).sum() == 500
    assert np.trace(grid(contrast(found.first, found.first), 10)) == 500


def test_a_distribution_is_of_shares_on_a_runs_own_scale() -> None:
    assert distribution(np.array([-1e308, 1e308, 1e308, np.nan]), 4).tolist() == [1 / 3, 0, 0, 2 / 3]
    assert distribution(np.full(3, 7.0), 3).tolist() == [0, 1, 0]
    assert distribution(np.array([np.nan]), 3).tolist() == [0, 0, 0]
