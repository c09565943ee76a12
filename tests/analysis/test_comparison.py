"""Two runs beside each other: every test against scipy or a second way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.comparison import EXACT, compare, randomisation

FEWER = settings(max_examples=settings().max_examples // 4)


def runs(seed: int, units: int, ties: int = 0) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    first, second = dice.random(units), dice.random(units) * 0.9
    second[:ties] = first[:ties]
    return first, second


@FEWER
@given(st.integers(0, 10**6), st.integers(5, 40), st.integers(0, 3))
def test_t_and_wilcoxon_are_scipys(seed: int, units: int, ties: int) -> None:
    first, second = runs(seed, units, ties)

    found = compare(first, second, seed=1)

    t = scipy.stats.ttest_rel(first, second)
    assert (found.t.statistic, found.t.p) == pytest.approx((t.statistic, t.pvalue), rel=1e-9)
    differ = (first - second)[first != second]
    signed_rank = scipy.stats.wilcoxon(differ)
    assert (found.wilcoxon.statistic, found.wilcoxon.p) == pytest.approx(
        (signed_rank.statistic, signed_rank.pvalue)
    )


@FEWER
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_few_units_are_randomised_in_all_ways(seed: int, units: int) -> None:
    first, second = runs(seed, units)
    differences = first - second
    observed = abs(differences.sum()) - 1e-12
    ways = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True))) >= observed
        for signs in itertools.product((-1, 1), repeat=units)
    ]

    assert randomisation(differences, seed=1).p == pytest.approx(sum(ways) / len(ways))


def test_many_units_are_randomised_as_scipy_does() -> None:
    first, second = runs(5, 60)
    differences = first - second
    expected = scipy.stats.permutation_test(
        (differences,),
        lambda found, axis: np.mean(found, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(2),
    )

    found = randomisation(differences, seed=3, flips=20_000)

    # Two estimates of one probability, each from 20,000 random assignments.
    assert found.p == pytest.approx(expected.pvalue, abs=5 * math.sqrt(expected.pvalue / 20_000))
    assert found.statistic == pytest.approx(expected.statistic)


def test_a_randomised_p_is_never_zero() -> None:
    assert randomisation(np.full(EXACT + 10, 1.0), seed=1, flips=100).p == 1 / 101


def test_the_same_seed_gives_the_same_comparison() -> None:
    first, second = runs(1, 50)

    assert compare(first, second, seed=7) == compare(first, second, seed=7)


def test_wins_losses_and_ties_add_up_over_the_units_that_both_have() -> None:
    first = np.array([1.0, 0.5, 0.2, np.nan, 0.0])
    second = np.array([0.5, 0.5, 0.4, 1.0, np.nan])

    found = compare(first, second, seed=1)

    assert (found.units, found.wins, found.losses, found.ties) == (3, 1, 1, 1)
    assert found.difference == pytest.approx((0.5 - 0.2) / 3)


def test_the_effect_is_the_mean_difference_in_standard_deviations() -> None:
    first, second = runs(2, 20)
    differences = (first - second).tolist()
    mean = sum(differences) / 20
    spread = math.sqrt(sum((one - mean) ** 2 for one in differences) / 19)

    assert compare(first, second, seed=1).effect == pytest.approx(mean / spread)


def test_a_run_beside_itself_shows_no_difference() -> None:
    first, _ = runs(3, 30)

    found = compare(first, first, seed=1)

    assert (found.t.p, found.wilcoxon.p, found.randomisation.p, found.effect) == (1.0, 1.0, 1.0, 0.0)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_runs_without_two_units_in_common_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="at least two units"):
        compare(np.array([1.0, np.nan]), np.array([1.0, 1.0]), seed=1)


def test_a_difference_that_varies_by_rounding_alone_is_the_same_everywhere() -> None:
    first = np.random.default_rng(4).random(30)
    second = first + 0.1
    assert len(set((first - second).tolist())) > 1

    found = compare(first, second, seed=1)

    assert found.same_everywhere
    assert (found.effect, found.t.statistic, found.t.p) == (-math.inf, -math.inf, 0.0)
    assert found.interval.low == pytest.approx(found.interval.high)


def test_values_that_differ_by_rounding_alone_are_ties() -> None:
    first = np.random.default_rng(5).random(30)

    found = compare(np.nextafter(first, 2.0), first, seed=1)

    assert (found.ties, found.effect, found.t.p, found.wilcoxon.p) == (30, 0.0, 1.0, 1.0)
    assert not found.same_everywhere
