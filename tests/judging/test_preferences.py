"""Pairs, votes and wins; levels and combined qrels; an order drawn by a seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.judging.finals import aggregate
from leaderboard.judging.levels import (
    GradesTooHigh,
    combined,
    levels_by_order,
    levels_by_wins,
    preferred_items,
)
from leaderboard.judging.preferences import (
    Preference,
    by_topic,
    majorities,
    pair_of,
    wins_of_judgments,
    wins_of_pairs,
)
from leaderboard.judging.shuffling import coin, shuffled

WINS = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 6).map(float), max_size=15)


def prefer(winner: str, loser: str, times: int = 1, topic: str = "1") -> list[Preference]:
    return [Preference(topic, winner, loser, winner)] * times


def test_a_pair_has_no_sides() -> None:
    assert pair_of("b", "a") == pair_of("a", "b") == ("a", "b")
    with pytest.raises(ValueError, match="itself"):
        pair_of("a", "a")


def test_the_majority_decides_where_enough_have_judged() -> None:
    given_ = [
        *prefer("a", "b", 2),
        *prefer("b", "a"),
        *prefer("a", "c"),
        *prefer("c", "a"),
        *prefer("b", "c"),
    ]
    assert majorities(given_) == {("a", "b"): "a", ("a", "c"): None, ("b", "c"): "b"}
    assert majorities(given_, needed=3) == {("a", "b"): "a"}


def test_every_judgment_counts_or_every_pair_does() -> None:
    given_ = [*prefer("a", "b", 3), *prefer("b", "c"), *prefer("z", "a")]
    assert wins_of_judgments(given_) == {"a": 3, "b": 1, "c": 0, "z": 1}
    assert wins_of_judgments(given_, {"a", "b", "d"}) == {"a": 3, "b": 0, "d": 0}
    tied = {("a", "b"): None, ("b", "c"): "c", ("c", "z"): "z"}
    assert wins_of_pairs(tied, ["a", "b", "c"]) == {"a": 0.5, "b": 0.5, "c": 1}


def test_topics_keep_their_order() -> None:
    given_ = [*prefer("a", "b", topic="2"), *prefer("a", "b", topic="1"), *prefer("b", "a", topic="2")]
    assert {topic: len(found) for topic, found in by_topic(given_).items()} == {"2": 2, "1": 1}
    assert list(by_topic(given_)) == ["2", "1"]


def test_levels_fall_by_ten_for_each_strictly_better_item_and_ties_at_rank_k_stay() -> None:
    wins = {"a": 5.0, "b": 3.0, "c": 3.0, "d": 1.0, "e": 1.0, "f": 0.0}
    assert levels_by_wins(wins, 4) == {"a": 40, "b": 30, "c": 30, "d": 10, "e": 10}
    assert levels_by_wins(wins, 3) == {"a": 30, "b": 20, "c": 20}


@given(WINS, st.integers(1, 8))
def test_levels_order_items_as_wins_do_and_hold_at_least_k(wins: dict[str, float], k: int) -> None:
    levels = levels_by_wins(wins, k)
    assert len(levels) >= min(k, len(wins))
    cut = min((wins[item] for item in levels), default=0.0)
    assert {item for item in wins if wins[item] >= cut} == set(levels) or not wins
    for one in levels:
        assert levels[one] == 10 * k - 10 * sum(wins[other] > wins[one] for other in wins)


def test_a_ranking_without_ties_has_every_level() -> None:
    assert levels_by_order(["b", "a", "c"], 2) == {"b": 20, "a": 10}


def test_graded_items_keep_their_grades_below_the_levels() -> None:
    grades = {"a": 4.0, "b": 3.0, "c": 0.0}
    assert combined(grades, {"b": 50.0, "x": 40.0}) == {"a": 4.0, "b": 50.0, "c": 0.0, "x": 40.0}
    assert preferred_items({"a": 4.0, "b": 10.0}) == {"b": 10.0}


def test_a_grade_as_high_as_a_level_is_refused() -> None:
    with pytest.raises(GradesTooHigh, match="10"):
        combined({"a": 10.0}, {"b": 50.0})
    assert combined({"a": 10.0}, {}) == {"a": 10.0}


def test_with_many_items_wins_count_among_the_largest_set_that_met() -> None:
    # a, b, c met pairwise; d won most, but only against items of the first stage.
    given_ = [*prefer("a", "b"), *prefer("b", "c"), *prefer("a", "c")]
    given_ += [preference for loser in "efgh" for preference in prefer("d", loser)]
    found = aggregate(given_, k=2, finalists=3)
    assert (found.way, found.compared, found.missing_pairs) == ("finalists", ("a", "b", "c"), 0)
    assert found.levels == {"a": 20, "b": 10}


def test_with_few_items_all_count_and_missing_pairs_are_told() -> None:
    found = aggregate([*prefer("a", "b"), *prefer("a", "c")], k=2, finalists=9)
    assert (found.way, found.missing_pairs) == ("all", 1)
    assert found.levels == {"a": 20, "b": 10, "c": 10}


@given(st.lists(st.text("aбé 1", max_size=4), unique=True, max_size=20), st.integers(0, 2**70))
def test_a_drawn_order_has_every_item_once_and_depends_on_the_seed_alone(items: list[str], seed: int) -> None:
    drawn = shuffled(items, seed, "31_1", 2)
    assert Counter(drawn) == Counter(items)
    assert shuffled(reversed(items), seed, "31_1", 2) == drawn


def test_the_drawn_order_is_the_same_for_ever() -> None:
    # Campaigns are replayed from their seed: another order here would change them.
    assert shuffled("abcdefgh", 7, "31_1", 1) == ("g", "b", "f", "a", "d", "e", "c", "h")
    assert [coin(7, "31_1", name) for name in "abcdefgh"] == [
        False,
        True,
        True,
        True,
        True,
        False,
        False,
        True,
    ]


def test_names_are_kept_apart() -> None:
    orders = {shuffled("abcdefgh", 1, *names) for names in [("1", "11"), ("11", "1"), ("111",), (111, "")]}
    assert len(orders) == 4
