"""Agreement of sources and of judges; triples; each judge's work; test pairs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.judging.agreement import (
    Rating,
    alpha,
    compare_sources,
    grades_of_answers,
    pairwise_agreement,
    pairwise_agreement_of_ratings,
    ratings_of,
)
from leaderboard.judging.preferences import Preference
from leaderboard.judging.quality import below_threshold, judge_records
from leaderboard.judging.triples import triples

# Krippendorff, Computing Krippendorff's alpha-reliability (2011), section C: four judges, twelve units.
PUBLISHED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""

RATINGS = st.lists(
    st.builds(Rating, st.integers(0, 5), st.sampled_from("xyz"), st.integers(0, 3).map(float)),
    unique_by=lambda rating: (rating.unit, rating.judge),
    max_size=18,
)


def published() -> list[Rating]:
    return [
        Rating(unit, str(judge), float(cell))
        for judge, line in enumerate(PUBLISHED.split("\n")[1:-1])
        for unit, cell in enumerate(line.split())
        if cell != "."
    ]


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_is_that_of_the_published_example(level: str, value: float) -> None:
    assert round(alpha(published(), level), 3) == value  # type: ignore[arg-type]


def slow_nominal_alpha(ratings: list[Rating]) -> float:
    """1 minus observed over expected disagreement, pair by pair of values."""
    by_unit = defaultdict(list)
    for rating in ratings:
        by_unit[rating.unit].append(rating.value)
    units = [values for values in by_unit.values() if len(values) > 1]
    values = [value for of_unit in units for value in of_unit]
    observed = sum(
        2 * sum(one != other for one, other in combinations(of_unit, 2)) / (len(of_unit) - 1)
        for of_unit in units
    )
    expected = 2 * sum(one != other for one, other in combinations(values, 2)) / max(len(values) - 1, 1)
    return 1 - observed / expected if expected else math.nan


@given(RATINGS)
def test_nominal_alpha_is_that_of_a_slow_evaluation(ratings: list[Rating]) -> None:
    found, expected = alpha(ratings, "nominal"), slow_nominal_alpha(ratings)
    assert (math.isnan(found) and math.isnan(expected)) or math.isclose(found, expected, abs_tol=1e-12)


def test_alpha_is_undefined_where_nothing_was_rated_twice_or_all_is_the_same() -> None:
    assert math.isnan(alpha([], "ordinal"))
    assert math.isnan(alpha([Rating("a", "x", 1.0), Rating("b", "x", 2.0)], "ordinal"))
    assert math.isnan(alpha([Rating("a", "x", 1.0), Rating("a", "y", 1.0)], "ordinal"))


def vote(judge: str, winner: str, loser: str, seconds: float | None = None, topic: str = "1") -> Preference:
    return Preference(topic, winner, loser, winner, judge, seconds)


def test_preferences_are_rated_by_which_item_of_the_sorted_pair_won() -> None:
    same = ratings_of([vote("x", "a", "b"), vote("y", "a", "b"), vote("x", "d", "c"), vote("y", "d", "c")])
    assert alpha(same, "nominal") == 1.0
    assert ratings_of([Preference("1", "b", "a", "b", "x")]) == (Rating(("1", ("a", "b")), "x", 1.0),)


def test_pairwise_agreement_counts_pairs_of_judgments() -> None:
    topic = [vote("x", "a", "b"), vote("y", "a", "b"), vote("z", "b", "a"), vote("x", "a", "c")]
    found = pairwise_agreement([topic])
    assert (found.agreeing, found.total) == (1, 3)
    assert math.isnan(pairwise_agreement([]).share)


@given(RATINGS)
def test_pairwise_agreement_of_ratings_counts_pairs_of_ratings(ratings: list[Rating]) -> None:
    found = pairwise_agreement_of_ratings(ratings)
    same_unit = [(a.value, b.value) for a, b in combinations(ratings, 2) if a.unit == b.unit]
    assert (found.agreeing, found.total) == (sum(a == b for a, b in same_unit), len(same_unit))


def test_sources_are_compared_by_topic_of_the_second_and_ties_count() -> None:
    crowd = {
        "1": {"a": 50.0, "b": 50.0, "c": 30.0},
        "2": {"a": 50.0, "b": 40.0},
        "3": {"a": 50.0, "b": 4.0},
    }
    local = {topic: {"b": 1.0} for topic in "1234"}
    found = compare_sources(crowd, local)
    assert (found.at_top, found.among, found.absent) == (("1",), ("1", "2"), ("3", "4"))


def test_grades_of_answers_are_steps_below_the_topics_highest() -> None:
    crowd = {"1": {"a": 50.0, "b": 40.0, "c": 3.0}, "2": {"x": 50.0}}
    found = grades_of_answers(crowd, {"1": {"a": 2.0, "b": 3.0, "c": 3.0}, "2": {"y": 1.0}})
    assert found.first == {1.0: 1, None: 1}
    assert found.all == {1.0: 1, 0.0: 1, None: 1}
    assert found.share_of_all == pytest.approx(1 / 3)


def test_a_triple_is_transitive_or_a_cycle() -> None:
    found = triples({("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c", ("a", "d"): "a", ("b", "d"): "b"})
    assert found.cycles == (("a", "b", "c"),)
    assert (found.transitive, found.share) == (1, 0.5)


def test_tied_pairs_are_in_no_triple() -> None:
    assert triples({("a", "b"): None, ("b", "c"): "b", ("a", "c"): "c"}).total == 0


@given(st.lists(st.sampled_from([0, 1, None]), min_size=15, max_size=15))
def test_triples_are_those_of_a_slow_count(winners: list[int | None]) -> None:
    pairs = list(combinations("abcdef", 2))
    outcomes = {pair: None if n is None else pair[n] for pair, n in zip(pairs, winners, strict=True)}
    beats = {(a, b) for (a, b), won in outcomes.items() if won == a}
    beats |= {(b, a) for (a, b), won in outcomes.items() if won == b}
    cycles = sum({(a, b), (b, c), (c, a)} <= beats for a, b, c in product("abcdef", repeat=3)) // 3
    transitive = sum({(a, b), (b, c), (a, c)} <= beats for a, b, c in product("abcdef", repeat=3))
    found = triples(outcomes)
    assert (len(set(found.cycles)), found.transitive) == (cycles, transitive)
    assert all({(a, b), (b, c), (c, a)} <= beats for a, b, c in found.cycles)


def test_each_judge_has_a_pace_and_an_agreement_with_the_others() -> None:
    work = [
        *(vote(judge, "a", "b", seconds) for judge, seconds in [("x", 4.0), ("y", 8.0), ("z", None)]),
        *(vote("x", "c", "d", 6.0), vote("y", "d", "c", 10.0)),
    ]
    x, y, z = judge_records(work)
    assert (x.judge, x.judgments, x.pace, x.agreeing, x.compared) == ("x", 2, 5.0, 1, 2)
    assert (y.pace, y.agreement) == (9.0, 0.5)
    assert (z.pace, z.agreement, z.accuracy) == (None, 1.0, None)


def test_a_judge_is_compared_with_the_majority_of_the_others_alone() -> None:
    # Without its own vote the others are divided: nobody can say whether x is right.
    x, *_ = judge_records([vote("x", "a", "b"), vote("y", "a", "b"), vote("z", "b", "a")])
    assert x.compared == 0


def test_test_pairs_give_an_accuracy_and_are_in_no_other_number() -> None:
    known = {("1", ("a", "b")): "a", ("1", ("c", "d")): "d"}
    work = [vote("x", "a", "b"), vote("x", "c", "d"), vote("y", "a", "b"), vote("x", "e", "f")]
    x, y = judge_records(work, known)
    assert (x.right, x.tested, x.accuracy, x.judgments) == (1, 2, 0.5, 1)
    assert (y.accuracy, y.judgments, y.compared) == (1.0, 0, 0)
    assert below_threshold([x, y], 0.75) == (x,)
    assert below_threshold([x, y], 0.5) == ()
    assert below_threshold([x, y], 0.75, at_least=3) == ()


def test_a_judge_without_test_pairs_is_never_below_the_threshold() -> None:
    assert below_threshold(judge_records([vote("x", "a", "b")]), 1.0, at_least=0) == ()


@pytest.mark.parametrize("seed", range(5))
def test_random_answers_make_three_quarters_of_triples_transitive(seed: int) -> None:
    chance = np.random.default_rng(seed)
    pairs = list(combinations([f"{n:02d}" for n in range(30)], 2))
    found = triples({pair: pair[chance.integers(2)] for pair in pairs})
    # 4,060 triples; a standard deviation of .0068 when they are pairwise independent, as they are.
    assert found.total == 4060
    assert abs(found.share - 0.75) < 6 * 0.0068


def test_nobody_is_forgotten() -> None:
    judges = Counter(record.judge for record in judge_records([vote("x", "a", "b"), vote("y", "a", "b")]))
    assert judges == {"x": 1, "y": 1}
