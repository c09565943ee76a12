"""Assignments drawn by inverse counts, and the means that become gold."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from leaderboard.judging.relatedness import MeanRating, PairRating, draw_assignment, mean_ratings

PAIRS, ASSIGNMENTS, SIZE = 398, 280, 15


def counts_after(assignments: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts = np.zeros(PAIRS, dtype=np.int64)
    for number in range(assignments):
        counts[list(draw_assignment(counts.tolist(), [seed, number]))] += 1
    return counts


def test_counts_differ_by_no_more_than_sampling_by_inverse_counts_predicts() -> None:
    counts = counts_after(ASSIGNMENTS, seed=20150)
    mean = ASSIGNMENTS * SIZE / PAIRS
    assert counts.sum() == ASSIGNMENTS * SIZE
    # With weights 1/c a count that is x above the mean m grows slower by x/m, so that the variance V obeys
    # dV/dm = 1 - 2V/m, V(1) = 0: V = m/3 - 1/(3m²). Equal weights would give V = m, three times as much.
    predicted = mean / 3 - 1 / (3 * mean**2)
    statistic = (PAIRS - 1) * counts.var(ddof=1) / predicted
    low, high = chi2.ppf([0.0005, 0.9995], PAIRS - 1)
    assert low < statistic < high
    # No pair is further from the mean than 4.5 standard deviations of that distribution.
    assert abs(counts - mean).max() < 4.5 * predicted**0.5


def test_pairs_without_a_rating_come_first() -> None:
    counts = counts_after(PAIRS // SIZE, seed=1)
    assert counts.max() == 1
    assert counts_after(PAIRS // SIZE + 1, seed=1).min() == 1


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 2**32))
def test_an_assignment_has_15_different_pairs_or_all(counts: list[int], seed: int) -> None:
    drawn = draw_assignment(counts, seed)
    assert len(drawn) == len(set(drawn)) == min(SIZE, len(counts))
    assert set(drawn) <= set(range(len(counts)))
    assert draw_assignment(counts, seed) == drawn


def test_a_pair_with_twice_the_ratings_is_drawn_half_as_often() -> None:
    drawn = Counter(draw_assignment([2, 4, 4], seed, size=1)[0] for seed in range(2000))
    # Binomial around 1,000 with a standard deviation of 22.
    assert abs(drawn[0] - 1000) < 100
    assert abs(drawn[1] - 500) < 90


def test_counts_below_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than no"):
        draw_assignment([1, -1], 1)


def test_the_mean_is_scaled_to_one_and_the_highest_comes_first() -> None:
    ratings = [PairRating("a", "b", judge, rating) for judge, rating in [("x", 3), ("y", 2), ("z", 1)]]
    ratings += [PairRating("c", "d", judge, 3) for judge in "xy"]
    assert mean_ratings(ratings) == (MeanRating("c", "d", 1.0, 2), MeanRating("a", "b", 2 / 3, 3))
    assert mean_ratings(ratings, at_least=3) == (MeanRating("a", "b", 2 / 3, 3),)


def test_a_rating_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="scale"):
        mean_ratings([PairRating("a", "b", "x", 4)])


def test_the_released_values_are_such_means(shared_data: Path) -> None:
    with (shared_data / "russe" / "full" / "hj.csv").open(encoding="utf-8", newline="") as stream:
        values = [row["sim"] for row in csv.DictReader(stream)]
    assert len(values) == PAIRS
    for value in values:
        # Six decimals of a sum of whole ratings over 3n, for as many ratings as a pair had.
        near = [Fraction(round(float(value) * 3 * n), 3 * n) for n in range(4, 35)]
        assert any(abs(float(mean) - float(value)) < 6e-7 for mean in near), value
