"""How alike two rankings are."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.agreement import overlap, ranking, tau_b

FEWER = settings(max_examples=settings().max_examples // 4)

VALUES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1)), min_size=2, max_size=15)


def tau_by_counting(left: np.ndarray, right: np.ndarray) -> float:
    """Kendall's own definition, pair by pair."""
    concordant = 0
    untied = [0, 0]
    for one in range(len(left)):
        for other in range(one):
            signs = np.sign(left[one] - left[other]), np.sign(right[one] - right[other])
            concordant += int(signs[0] * signs[1])
            untied[0] += signs[0] != 0
            untied[1] += signs[1] != 0
    whole = math.sqrt(untied[0] * untied[1])
    return concordant / whole if whole else math.nan


@FEWER
@given(VALUES)
def test_tau_b_counts_pairs_in_the_same_order(pairs: list[tuple[float, float]]) -> None:
    left, right = (np.array(side) for side in zip(*pairs, strict=True))

    assert tau_b(left, right) == pytest.approx(tau_by_counting(left, right), abs=1e-12, nan_ok=True)


def test_tau_of_a_single_run_is_undefined() -> None:
    assert math.isnan(tau_b(np.array([1.0]), np.array([1.0])))


def overlap_by_sets(left: list[int], right: list[int], p: float) -> float:
    """Webber, Moffat and Zobel's sum, a set at each depth."""
    total = 0.0
    for depth in range(1, len(left) + 1):
        total += (1 - p) / p * p**depth * len(set(left[:depth]) & set(right[:depth])) / depth
    return total + p ** len(left) * len(set(left) & set(right)) / len(left)


@FEWER
@given(st.integers(1, 30), st.integers(0, 10**6), st.sampled_from([0.5, 0.9, 0.98]))
def test_overlap_is_the_sum_over_depths(runs: int, seed: int, p: float) -> None:
    left, right = list(range(runs)), list(range(runs))
    Random(seed).shuffle(right)

    assert overlap(left, right, p) == pytest.approx(overlap_by_sets(left, right, p), abs=1e-12)
    assert overlap(left, right, p) == pytest.approx(overlap(right, left, p))


def test_a_ranking_overlaps_wholly_with_itself() -> None:
    assert overlap([3, 1, 2], [3, 1, 2]) == pytest.approx(1.0)


@pytest.mark.parametrize("right", [[1, 2], [1, 2, 4], [1, 1, 2]])
def test_rankings_of_other_things_are_refused(right: list[int]) -> None:
    with pytest.raises(ValueError, match="same things"):
        overlap([1, 2, 3], right)


def test_a_persistence_beyond_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        overlap([1], [1], 1.0)


def test_equal_values_keep_their_order_in_a_ranking() -> None:
    assert ranking(np.array([0.5, 0.9, 0.5])) == (1, 0, 2)
