"""The measures of relatedness equal scipy's and scikit-learn's, with ties, and state what is undefined."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.measures import relatedness
from leaderboard.measures.names import parse
from leaderboard.measures.relatedness import Words, evaluate, evaluate_each

TIED = st.sampled_from([-2.0, -0.5, -0.0, 0.0, 0.25, 0.25000000000000006, 1.0, 3e8])
ANY = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def correlated(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    number = st.one_of(TIED, ANY)
    pairs = draw(st.lists(st.tuples(number, number), min_size=2, max_size=40))
    return tuple(np.array(side, dtype=float) for side in zip(*pairs, strict=True))  # type: ignore[return-value]


@st.composite
def binary(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    values = draw(st.lists(st.one_of(TIED, ANY), min_size=2, max_size=40))
    gold = draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(values) - 2, max_size=len(values) - 2))
    return np.array(values), np.array(draw(st.permutations([0.0, 1.0, *gold])))


def steps_by_hand(values: np.ndarray, gold: np.ndarray) -> list[tuple[float, float]]:
    """(recall, precision) at each distinct value, from the greatest down."""
    points = []
    for threshold in sorted(set(values.tolist()), reverse=True):
        taken = values >= threshold
        points.append((gold[taken].sum() / gold.sum(), gold[taken].sum() / taken.sum()))
    return points


@given(correlated())
def test_spearman_equals_scipys_with_ties(sides: tuple[np.ndarray, np.ndarray]) -> None:
    values, gold = sides
    found = relatedness.spearman(values, gold)
    if len(set(values)) == 1 or len(set(gold)) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(scipy.stats.spearmanr(values, gold).statistic, abs=1e-12)


@given(correlated())
def test_average_ranks_equal_scipys(sides: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_array_equal(relatedness.average_ranks(sides[0]), scipy.stats.rankdata(sides[0]))


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=40))
def test_pearson_equals_scipys(pairs: list[tuple[int, int]]) -> None:
    values, gold = (np.array(side, dtype=float) / 8 for side in zip(*pairs, strict=True))
    found = relatedness.pearson(values, gold)
    if len(set(values)) == 1 or len(set(gold)) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(scipy.stats.pearsonr(values, gold).statistic, abs=1e-12)


def test_pearson_does_not_overflow() -> None:
    values = np.array([-1e308, 0.0, 1e308])
    assert relatedness.pearson(values, np.array([1.0, 2.0, 3.0])) == pytest.approx(1.0)


def test_the_smallest_of_numbers_are_no_constant() -> None:
    assert relatedness.spearman(np.array([0.0, 5e-324]), np.array([1.0, 2.0])) == pytest.approx(1.0)


@given(binary())
def test_average_precision_equals_scikit_learns_with_ties(sides: tuple[np.ndarray, np.ndarray]) -> None:
    values, gold = sides
    expected = sklearn.metrics.average_precision_score(gold, values)
    assert relatedness.average_precision(values, gold) == pytest.approx(expected, abs=1e-12)


@given(binary())
def test_area_under_roc_equals_scikit_learns_with_ties(sides: tuple[np.ndarray, np.ndarray]) -> None:
    values, gold = sides
    expected = sklearn.metrics.roc_auc_score(gold, values)
    assert relatedness.area_under_roc(values, gold) == pytest.approx(expected, abs=1e-12)


@given(binary())
def test_average_precision_of_2015_is_the_trapezoid_over_distinct_values(
    sides: tuple[np.ndarray, np.ndarray],
) -> None:
    values, gold = sides
    area, before = 0.0, (0.0, 1.0)
    for point in steps_by_hand(values, gold):
        area += (point[0] - before[0]) * (point[1] + before[1]) / 2
        before = point
    assert relatedness.average_precision_2015(values, gold) == pytest.approx(area, abs=1e-12)


@given(binary(), st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_cannot_matter(sides: tuple[np.ndarray, np.ndarray], random: Random) -> None:
    values, gold = sides
    mixed = list(range(len(values)))
    random.shuffle(mixed)
    for measure in (
        relatedness.average_precision,
        relatedness.average_precision_2015,
        relatedness.area_under_roc,
    ):
        assert measure(values[mixed], gold[mixed]) == measure(values, gold)


@given(binary())
def test_without_ties_average_precision_is_the_papers_sum_of_precisions(
    sides: tuple[np.ndarray, np.ndarray],
) -> None:
    gold = sides[1]
    values = -np.arange(len(gold), dtype=float)
    precisions = [gold[: place + 1].mean() for place in np.flatnonzero(gold)]
    assert relatedness.average_precision(values, gold) == pytest.approx(np.sum(precisions) / gold.sum())


def test_a_constant_run_gets_the_base_rate_and_three_quarters_by_the_rule_of_2015() -> None:
    values, gold = np.zeros(6), np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    assert relatedness.average_precision(values, gold) == 0.5
    assert relatedness.average_precision_2015(values, gold) == 0.75
    assert relatedness.area_under_roc(values, gold) == 0.5


def accuracy_by_hand(values: np.ndarray, gold: np.ndarray, words: Words) -> float:
    right = 0
    for source in set(words.word1.tolist()):
        own = [place for place in range(len(values)) if words.word1[place] == source]
        own.sort(key=lambda place: (-values[place], words.word2[place]))
        for place, pair in enumerate(own):
            right += (place < len(own) // 2) == (gold[pair] == 1)
    return right / len(values)


@given(binary(), st.data())
def test_accuracy_takes_the_upper_half_of_each_source_word(
    sides: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    values, gold = sides
    count = len(values)
    word1 = data.draw(st.lists(st.sampled_from(["кот", "дом", "яма"]), min_size=count, max_size=count))
    word2 = data.draw(st.permutations([f"слово{number:02}" for number in range(count)]))
    words = Words(np.array(word1), np.array(word2))
    assert relatedness.accuracy(values, gold, words) == pytest.approx(accuracy_by_hand(values, gold, words))


def test_accuracy_breaks_ties_by_the_second_word() -> None:
    words = Words(np.array(["кот", "кот"]), np.array(["пёс", "мышь"]))
    assert relatedness.accuracy(np.zeros(2), np.array([0.0, 1.0]), words) == 1.0
    assert relatedness.accuracy(np.zeros(2), np.array([1.0, 0.0]), words) == 0.0


def test_several_measures_at_once_are_the_single_ones() -> None:
    values, gold = np.array([0.3, 0.1, 0.3, 0.9]), np.array([1.0, 0.0, 0.0, 1.0])
    words = Words(np.array(["а", "а", "б", "б"]), np.array(["в", "г", "д", "е"]))
    measures = [parse(text) for text in (*relatedness.CORRELATIONS, *relatedness.BINARY)]
    together = evaluate_each(measures, values, gold, words)
    assert together == {str(measure): evaluate(measure, values, gold, words) for measure in measures}
    assert together["AveP"] == relatedness.average_precision(values, gold)
    assert together["AveP_2015"] == relatedness.average_precision_2015(values, gold)
    assert together["AUC"] == relatedness.area_under_roc(values, gold)
    assert together["spearman"] == relatedness.spearman(values, gold)
    assert together["pearson"] == relatedness.pearson(values, gold)
    assert together["accuracy"] == relatedness.accuracy(values, gold, words)


@pytest.mark.parametrize("text", ["nDCG@3", "kendall", "AveP@5", "spearman(p=2)"])
def test_an_unknown_measure_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=text.partition("(")[0].partition("@")[0]):
        evaluate(parse(text), np.array([1.0, 2.0]), np.array([0.0, 1.0]))


def test_accuracy_without_words_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs the words"):
        evaluate(parse("accuracy"), np.array([1.0, 2.0]), np.array([0.0, 1.0]))


@pytest.mark.parametrize("name", ["spearman", "pearson", "AveP", "AUC"])
def test_a_value_that_is_not_finite_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        evaluate(parse(name), np.array([np.nan, 2.0]), np.array([0.0, 1.0]))


def test_a_gold_of_one_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="related and unrelated"):
        evaluate(parse("AveP"), np.array([1.0, 2.0]), np.ones(2))
