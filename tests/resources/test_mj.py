"""MJ beside a slow evaluation of its formula, pair by pair in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.resources.mj import (
    WEIGHTINGS,
    Combination,
    Row,
    Scale,
    Thesaurus,
    TrackValues,
    long_rows,
    unique_rows,
    weights_of,
)

Run = list[float | None]


def slow_scaled(run: Run, listed: Sequence[float]) -> list[float]:
    """The values of one run in [0, 1], as the rules say it."""
    if not listed or min(listed) == max(listed):
        return [0.0 for _ in run]
    least, greatest = min(listed), max(listed)
    if least >= 0 and greatest <= 1:
        least, greatest = 0.0, 1.0
    scaled = [0.0 if value is None else (value - least) / (greatest - least) for value in run]
    return [min(max(value, 0.0), 1.0) for value in scaled]


def slow_weight(place: int, n: int, weighting: str) -> float:
    rank = n + 1 - place
    return {"rank": float(rank), "exp": math.exp(rank), "sqrt": math.sqrt(rank)}[weighting]


def slow_mj(runs: list[Run], places: list[int], weighting: str) -> list[tuple[float, float]]:
    """For each pair the weighted mean and the paper's sum, with the paper's own weights."""
    n = len(runs)
    weights = [slow_weight(place, n, weighting) for place in places]
    scaled = [slow_scaled(run, [value for value in run if value is not None]) for run in runs]
    sums = [math.fsum(w * s[i] for w, s in zip(weights, scaled, strict=True)) for i in range(len(runs[0]))]
    return [(total / math.fsum(weights), total / n) for total in sums]


def combine(runs: list[Run], places: list[int], weighting: str) -> Combination:
    combination = Combination(len(runs[0]))
    for run, weight in zip(runs, weights_of(places, weighting), strict=True):
        values = np.array([np.nan if value is None else value for value in run])
        combination.add(Scale.of(values[~np.isnan(values)]).apply(values), float(weight))
    return combination


def places_of(scores: Sequence[int]) -> list[int]:
    """Places 1, 1, 3 of scores, the higher the better."""
    return [1 + sum(other > score for other in scores) for score in scores]


VALUES = st.one_of(st.none(), st.floats(0, 1), st.floats(-1000, 1000), st.sampled_from([0.0, 0.5, 1.0]))


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[Run], list[int]]:
    """Runs over the same pairs, of any scale, with gaps, some constant, and places with ties."""
    pairs = draw(st.integers(1, 8))
    run = st.lists(VALUES, min_size=pairs, max_size=pairs) | VALUES.map(lambda value: [value] * pairs)
    runs = draw(st.lists(run, min_size=1, max_size=7))
    scores = draw(st.lists(st.integers(0, 4), min_size=len(runs), max_size=len(runs)))
    return runs, places_of(scores)


@given(fields(), st.sampled_from(WEIGHTINGS))
def test_mj_and_the_sum_are_what_a_slow_evaluation_gives(
    field: tuple[list[Run], list[int]], weighting: str
) -> None:
    runs, places = field
    combination = combine(runs, places, weighting)
    slow = slow_mj(runs, places, weighting)
    np.testing.assert_allclose(combination.mj, [mean for mean, _ in slow], rtol=0, atol=1e-12)
    factor = math.exp(len(runs)) if weighting == "exp" else 1.0
    np.testing.assert_allclose(
        combination.paper_sum * factor, [total for _, total in slow], rtol=1e-12, atol=1e-12
    )


@given(fields(), st.sampled_from(WEIGHTINGS))
def test_mj_lies_between_0_and_1_and_is_the_sum_times_a_constant(
    field: tuple[list[Run], list[int]], weighting: str
) -> None:
    runs, places = field
    combination = combine(runs, places, weighting)
    assert ((combination.mj >= 0) & (combination.mj <= 1)).all()
    constant = len(runs) / weights_of(places, weighting).sum()
    np.testing.assert_allclose(combination.mj, combination.paper_sum * constant, rtol=1e-12, atol=1e-15)


@given(fields(), st.sampled_from(WEIGHTINGS), st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(
    field: tuple[list[Run], list[int]], weighting: str, chance: object
) -> None:
    runs, places = field
    order = list(range(len(runs)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    other = combine([runs[i] for i in order], [places[i] for i in order], weighting)
    np.testing.assert_allclose(other.mj, combine(runs, places, weighting).mj, rtol=0, atol=1e-12)


def test_weights_follow_the_rank_counted_from_below() -> None:
    assert weights_of([1, 2, 3, 4], "rank").tolist() == [4, 3, 2, 1]
    assert weights_of([1, 2, 3, 4], "sqrt").tolist() == [2, math.sqrt(3), math.sqrt(2), 1]
    assert weights_of([1, 2, 3], "exp").tolist() == [1, math.exp(-1), math.exp(-2)]


def test_runs_that_share_a_place_share_the_better_weight() -> None:
    assert weights_of([1, 1, 3], "rank").tolist() == [3, 3, 1]


def test_the_weights_of_ten_thousand_runs_do_not_overflow() -> None:
    weights = weights_of(range(1, 10_001), "exp")
    assert np.isfinite(weights).all()
    assert weights[0] == 1.0


@pytest.mark.parametrize("places", [[0], [2], [2, 2], [1, 3]])
def test_places_that_no_ranking_gives_are_refused(places: list[int]) -> None:
    with pytest.raises(ValueError, match="places"):
        weights_of(places, "rank")


def test_an_unknown_weighting_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'cube' is no weighting; these are: rank, exp, sqrt"):
        weights_of([1], "cube")


def test_a_run_within_0_and_1_stays_as_it_is() -> None:
    values = np.array([0.2, 0.4, np.nan])
    assert Scale.of(np.array([0.2, 0.4])).apply(values).tolist() == [0.2, 0.4, 0.0]


def test_another_scale_is_brought_to_0_and_1_by_the_listed_pairs() -> None:
    scale = Scale.of(np.array([-5.0, 15.0, 5.0]))
    assert scale.apply(np.array([5.0, -5.0, 15.0, np.nan])).tolist() == [0.5, 0.0, 1.0, 0.0]


def test_a_pair_beyond_the_listed_ones_takes_the_end_of_the_scale() -> None:
    assert Scale.of(np.array([0.0, 2.0])).apply(np.array([-1.0, 3.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("constant", [0.0, 0.5, 1.0, 7.0, -3.0])
def test_a_constant_run_becomes_0(constant: float) -> None:
    scale = Scale.of(np.array([constant, constant]))
    assert scale.apply(np.array([constant, np.nan])).tolist() == [0.0, 0.0]


def test_a_run_over_the_whole_range_of_doubles_is_scaled_without_overflow() -> None:
    greatest = np.finfo(np.float64).max
    assert Scale.of(np.array([-greatest, greatest])).apply(np.array([-greatest, 0.0, greatest])).tolist() == [
        0.0,
        0.5,
        1.0,
    ]


def test_a_mean_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs a run"):
        _ = Combination(2).mj


def track(name: str, pairs: list[tuple[str, str]], mj: list[float], runs: str) -> TrackValues:
    return TrackValues(name, pairs, np.array(mj), np.array(mj) * 10, frozenset(runs))


TRACKS = (
    track("hj", [("b", "x"), ("a", "y")], [0.5, 0.25], "12"),
    track("rt", [("b", "x"), ("b", " x"), ("b", "x")], [0.75, 1.0, 0.75], "234"),
)


def test_a_pair_of_two_tracks_stands_once_a_track_in_the_long_file() -> None:
    assert list(long_rows(TRACKS)) == [
        Row("a", "y", 0.25, 2.5, "hj", 2),
        Row("b", " x", 1.0, 10.0, "rt", 3),
        Row("b", "x", 0.5, 5.0, "hj", 2),
        Row("b", "x", 0.75, 7.5, "rt", 3),
    ]


def test_a_pair_of_two_tracks_stands_once_with_its_mean_in_the_unique_file() -> None:
    assert list(unique_rows(long_rows(TRACKS), TRACKS)) == [
        Row("a", "y", 0.25, 2.5, "hj", 2),
        Row("b", " x", 1.0, 10.0, "rt", 3),
        Row("b", "x", 0.625, 6.25, "hj+rt", 4),
    ]


def test_the_most_and_least_related_words_share_none() -> None:
    thesaurus = Thesaurus([("w", word, value) for word, value in zip("abcde", range(5), strict=True)])
    found = thesaurus.of("w", 3)
    assert [word for word, _ in found.most] == ["e", "d", "c"]
    assert [word for word, _ in found.least] == ["b", "a"]
    assert found.total == 5


def test_equally_related_words_stand_in_the_order_of_the_words() -> None:
    assert Thesaurus([("w", "b", 1.0), ("w", "a", 1.0)]).of("w").most == (("a", 1.0),)


def test_a_pair_given_twice_is_related_by_its_mean() -> None:
    assert Thesaurus([("w", "a", 0.25), ("w", "a", 0.75)]).of("w").most == (("a", 0.5),)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 12))
def test_no_listed_word_is_less_related_than_an_unlisted_one_above_it(values: list[float], most: int) -> None:
    found = Thesaurus([("w", f"{i:02}", value) for i, value in enumerate(values)]).of("w", most)
    shown = [value for _, value in (*found.most, *found.least)]
    assert shown == sorted(shown, reverse=True)
    assert [value for _, value in found.most] == sorted(values, reverse=True)[: len(found.most)]
    assert len({word for word, _ in (*found.most, *found.least)}) == min(len(values), 2 * most)


def test_a_word_that_is_no_source_is_not_found() -> None:
    with pytest.raises(KeyError):
        Thesaurus([("w", "a", 1.0)]).of("a")
