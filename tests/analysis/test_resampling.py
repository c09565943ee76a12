"""The bootstrap: equal to scipy's, and as often right as it says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from leaderboard.analysis.groups import told_apart
from leaderboard.analysis.pairwise import paired_t
from leaderboard.analysis.resampling import (
    NO_INTERVAL,
    Interval,
    draw,
    interval,
    intervals,
    means,
    paired_differences,
    tail_of,
)
from leaderboard.measures import relatedness
from leaderboard.measures.names import parse
from leaderboard.measures.resampled import resampled
from tests.analysis.all_pairs import joined
from tests.analysis.simulations import chance, samples


def test_a_draw_takes_as_many_units_as_there_are() -> None:
    drawn = draw(7, seed=1, count=50)

    assert drawn.shape == (50, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.min() == 0


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    assert (draw(9, seed=1) == draw(9, seed=1)).all()
    assert (draw(9, seed=1) != draw(9, seed=2)).any()


def test_every_unit_is_drawn_equally_often() -> None:
    drawn = draw(5, seed=3, count=4000).sum(axis=0)

    assert scipy.stats.chisquare(drawn).pvalue > 0.001


def test_resampled_means_are_those_of_the_repeated_values() -> None:
    matrix = np.random.default_rng(1).random((3, 8))
    drawn = draw(8, seed=2, count=20)

    found = means(matrix, drawn)

    for run in range(3):
        for number, times in enumerate(drawn):
            assert found[run, number] == pytest.approx(np.repeat(matrix[run], times).mean())


def test_a_unit_without_a_value_is_left_out_of_a_mean() -> None:
    matrix = np.array([[1.0, np.nan, 3.0]])

    found = means(matrix, np.array([[1, 1, 1], [0, 2, 1], [0, 3, 0]], dtype=np.int32))

    assert found[0, :2].tolist() == [2.0, 3.0]
    assert math.isnan(found[0, 2])


def test_an_interval_of_many_units_is_the_percentile_interval_of_scipy() -> None:
    values = np.random.default_rng(4).beta(0.5, 1, 400)
    expected = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval

    found = interval(means(values[np.newaxis], draw(400, seed=6, count=20_000))[0], 400)

    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.03 * width)
    assert found.high == pytest.approx(expected.high, abs=0.03 * width)


def test_the_tail_that_is_cut_off_is_hesterbergs() -> None:
    student = scipy.stats.t.ppf(0.975, 9)
    assert tail_of(10) == pytest.approx(scipy.stats.norm.cdf(-math.sqrt(10 / 9) * student))
    assert tail_of(10**7) == pytest.approx(0.025, rel=1e-5)


def test_one_unit_or_values_mostly_undefined_give_no_interval() -> None:
    assert interval(np.ones(10), 1) is NO_INTERVAL
    assert interval(np.array([1.0, np.nan, np.nan]), 5) is NO_INTERVAL
    assert interval(np.array([0.0, 1.0, np.nan]), 5) == Interval(
        *np.quantile([0.0, 1.0], [tail_of(5), 1 - tail_of(5)])
    )


def test_the_paired_bootstrap_of_means_is_nearly_the_paired_t_test() -> None:
    matrix = np.random.default_rng(8).random((4, 100))
    resampled_means = means(matrix, draw(100, seed=9, count=20_000))

    found = joined(paired_differences(matrix.mean(axis=1), resampled_means, 100))

    assert found.t == pytest.approx(joined(paired_t(matrix)).t, rel=0.03)


def test_equal_runs_and_runs_without_a_value_are_not_told_apart() -> None:
    drawn = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [np.nan, np.nan, np.nan]])

    found = joined(paired_differences(np.array([0.2, 0.2, np.nan]), drawn, 10))

    assert found.p.tolist() == [1.0, 1.0, 1.0]


def test_intervals_of_means_hold_the_truth_as_often_as_they_say() -> None:
    count = samples(quick=400, soak=4000)
    dice = np.random.default_rng(10)
    found = intervals(means(dice.beta(0.5, 1.0, (count, 60)), draw(60, seed=11)), 60)

    held = sum(one.low <= 1 / 3 <= one.high for one in found) / count

    assert held >= 0.95 - chance(0.95, count)


Sample = Callable[[np.random.Generator, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


def word_pairs(dice: np.random.Generator, words: int, runs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Source word and label of each pair, and the values that runs, equally good ones, give them. Pairs of a
    word are alike."""
    unit = np.repeat(np.arange(words), dice.integers(2, 12, words))
    gold = (dice.random(len(unit)) < 0.5).astype(float)
    base = 1.5 * gold + dice.normal(0, 0.5, words)[unit] + dice.normal(0, 0.8, len(unit))
    return unit, gold, base + dice.normal(0, 0.6, (runs, len(unit)))


def judged_pairs(
    dice: np.random.Generator, pairs: int, runs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for judgments, each pair a unit."""
    gold = dice.normal(size=pairs)
    return np.arange(pairs), gold, gold + dice.normal(0, 0.8, (runs, pairs))


@pytest.mark.parametrize(("measure", "sample"), [("AveP", word_pairs), ("spearman", judged_pairs)])
def test_intervals_of_relatedness_hold_the_truth_as_often_as_they_say(measure: str, sample: Sample) -> None:
    count, units = samples(quick=60, soak=1000), 100
    dice = np.random.default_rng(12)
    _, gold, values = sample(dice, 100_000, 1)
    truth = relatedness.evaluate(parse(measure), values[0], gold)
    held = 0
    for seed in range(count):
        unit, gold, values = sample(dice, units, 1)
        drawn = resampled(parse(measure), values[0], gold, unit, draw(units, seed, 300))
        found = interval(drawn, units)
        held += found.low <= truth <= found.high

    assert held / count >= 0.95 - chance(0.95, count)


def test_equal_runs_are_told_apart_by_the_t_test_once_in_twenty_rankings_at_most() -> None:
    count = samples(quick=400, soak=10_000)
    dice = np.random.default_rng(13)

    alarms = sum(told_apart(paired_t(dice.beta(0.5, 1.0, (6, 60))), 6).any() for _ in range(count))

    assert alarms / count <= 0.05 + chance(0.05, count)


@pytest.mark.parametrize(("measure", "sample"), [("AveP", word_pairs), ("spearman", judged_pairs)])
def test_equal_runs_are_told_apart_by_the_bootstrap_once_in_twenty_rankings_at_most(
    measure: str, sample: Sample
) -> None:
    count, units, runs = samples(quick=30, soak=1000), 60, 4
    dice = np.random.default_rng(14)
    alarms = 0
    for seed in range(count):
        unit, gold, values = sample(dice, units, runs)
        drawn = draw(units, seed, 300)
        own = np.array([relatedness.evaluate(parse(measure), row, gold) for row in values])
        varied = np.array([resampled(parse(measure), row, gold, unit, drawn) for row in values])
        alarms += bool(told_apart(paired_differences(own, varied, units), runs).any())

    assert alarms / count <= 0.05 + chance(0.05, count)


def test_a_real_difference_is_found_by_the_bootstrap() -> None:
    unit, gold, values = word_pairs(np.random.default_rng(15), 100, 2)
    values[1] += np.random.default_rng(16).normal(0, 2, len(unit))
    drawn = draw(100, seed=17, count=300)
    own = np.array([relatedness.evaluate(parse("AveP"), row, gold) for row in values])
    varied = np.array([resampled(parse("AveP"), row, gold, unit, drawn) for row in values])

    assert told_apart(paired_differences(own, varied, 100), 2)[0, 1]
