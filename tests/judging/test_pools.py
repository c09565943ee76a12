"""Pools from grades and from runs, and how large they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.judging.pools import extent, pool_of_grades, pool_of_runs, pools_of_grades, steps_below_top

GRADES = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.integers(-1, 4).map(float), max_size=30
)


def test_the_highest_grade_comes_first_then_the_next_until_k_are_in() -> None:
    grades = {"a": 1.0, "b": 4.0, "c": 3.0, "d": 3.0, "e": 0.0}
    assert pool_of_grades(grades, 1) == ("b",)
    assert pool_of_grades(grades, 2) == ("b", "c", "d")
    assert pool_of_grades(grades, 4) == ("b", "c", "d", "a")


def test_items_without_a_positive_grade_are_never_in() -> None:
    assert pool_of_grades({"a": 0.0, "b": -1.0, "c": 2.0}, 5) == ("c",)
    assert pool_of_grades({"a": 0.0}, 5) == ()


@given(GRADES, st.integers(1, 8))
def test_a_grade_is_in_as_a_whole_and_only_while_k_are_not_reached(grades: dict[str, float], k: int) -> None:
    pool = pool_of_grades(grades, k)
    lowest = min((grades[docno] for docno in pool), default=5.0)
    assert set(pool) == {docno for docno, grade in grades.items() if grade >= lowest}
    assert sum(grades[docno] > lowest for docno in pool) < k
    positive = sum(grade > 0 for grade in grades.values())
    assert len(pool) >= min(k, positive)


def test_k_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="k is at least 1"):
        pool_of_grades({}, 0)
    with pytest.raises(ValueError, match="depth is at least 1"):
        pool_of_runs([], 0, ())


def test_runs_give_what_has_no_grade_by_its_best_place() -> None:
    rankings = [["a", "b", "c"], ["c", "d", "e"]]
    assert pool_of_runs(rankings, 2, {"a"}) == ("c", "b", "d")


def test_the_extent_names_where_most_and_fewest_are() -> None:
    pools = {"1": ("a", "b"), "2": (), "3": ("c", "d"), "4": ("e",)}
    found = extent(pools, 2)
    assert (found.candidates, found.most, found.largest) == (5, 2, ("1", "3"))
    assert (found.fewer, found.empty) == (("2", "4"), ("2",))


def test_steps_are_counted_from_the_highest_grade_of_each_topic() -> None:
    grades = {"1": {"a": 3.0, "b": 1.0}, "2": {"c": 2.0}}
    assert steps_below_top(grades, pools_of_grades(grades, 2)) == {0.0: 2, 2.0: 1}
