"""Resampled measures are those of the pairs repeated."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.resampling import draw
from leaderboard.measures import relatedness
from leaderboard.measures import resampled as in_draws
from leaderboard.measures.names import parse
from leaderboard.measures.resampled import MEASURES, resampled

FEWER = settings(max_examples=settings().max_examples // 4)


@st.composite
def tied_pairs(draw_: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = draw_(st.integers(4, 25))
    dice = np.random.default_rng(draw_(st.integers(0, 2**32)))
    values = np.round(dice.normal(size=count), draw_(st.sampled_from([0, 1, 8])))
    gold = (dice.random(count) < 0.5).astype(float)
    gold[:2] = 0.0, 1.0
    return values, gold, dice.integers(0, max(1, count // 3), count)


@FEWER
@given(tied_pairs(), st.sampled_from(sorted(MEASURES)), st.integers(0, 99))
def test_each_draw_is_the_measure_of_the_pairs_repeated(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], measure: str, seed: int
) -> None:
    values, gold, unit = pairs
    drawn = draw(int(unit.max()) + 1, seed, 8)

    found = resampled(parse(measure), values, gold, unit, drawn)

    for number, times in enumerate(drawn):
        repeated = np.repeat(np.arange(len(values)), times[unit])
        if len(np.unique(gold[repeated])) < 2:
            assert math.isnan(found[number])
            continue
        expected = relatedness.evaluate(parse(measure), values[repeated], gold[repeated])
        assert found[number] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_average_precision_of_a_draw_is_scikit_learns_with_weights() -> None:
    dice = np.random.default_rng(1)
    values, gold = np.round(dice.normal(size=50), 1), (dice.random(50) < 0.4).astype(float)
    drawn = draw(50, 2, 10)

    found = resampled(parse("AveP"), values, gold, np.arange(50), drawn)

    for number, times in enumerate(drawn):
        expected = sklearn.metrics.average_precision_score(gold, values, sample_weight=times)
        assert found[number] == pytest.approx(expected)


def test_spearman_of_a_draw_is_scipys() -> None:
    dice = np.random.default_rng(3)
    values, gold = np.round(dice.normal(size=40), 1), dice.normal(size=40)
    drawn = draw(40, 4, 10)

    found = resampled(parse("spearman"), values, gold, np.arange(40), drawn)

    for number, times in enumerate(drawn):
        repeated = np.repeat(np.arange(40), times)
        expected = scipy.stats.spearmanr(values[repeated], gold[repeated]).statistic
        assert found[number] == pytest.approx(expected)


def test_a_constant_run_stays_undefined_in_every_draw() -> None:
    found = resampled(parse("spearman"), np.full(9, 0.3), np.arange(9.0), np.arange(9), draw(9, 1, 20))

    assert np.isnan(found).all()


def test_parts_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(5)
    values, gold, unit = dice.normal(size=30), (dice.random(30) < 0.5).astype(float), np.arange(30) // 3
    drawn = draw(10, 6, 25)
    whole = resampled(parse("AveP"), values, gold, unit, drawn)

    monkeypatch.setattr(in_draws, "AT_ONCE", 70)

    assert resampled(parse("AveP"), values, gold, unit, drawn).tolist() == whole.tolist()


def test_a_measure_that_cannot_be_resampled_is_named() -> None:
    with pytest.raises(ValueError, match="accuracy cannot be resampled"):
        resampled(parse("accuracy"), np.ones(2), np.ones(2), np.arange(2), draw(2, 1, 2))
