"""What is told of a team's runs, by each rule."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.analysis.public_values import Rule, Scored, Told, told
from leaderboard.formats.public_values import parse

units = st.lists(st.floats(0, 1, width=16), min_size=7, max_size=7).map(np.array)
runs = st.lists(units, min_size=1, max_size=10).map(
    lambda found: [Scored({"P": float(one.mean()), "Q": float(one.max())}, one) for one in found]
)
rules = st.sampled_from(("ladder", "ladder 0.1", "ladder 0.03"))


def all_told(rule: str, scored: list[Scored], higher: bool = True) -> list[Told]:
    return list(told(parse(rule), "P", higher_is_better=higher, runs=scored))


@given(rules, runs)
def test_on_a_ladder_what_a_team_is_told_never_falls(rule: str, scored: list[Scored]) -> None:
    values = [each.values["P"] for each in all_told(rule, scored)]
    assert all(before <= after for before, after in pairwise(values))  # type: ignore[operator]


@given(rules, runs)
def test_what_is_told_of_a_run_depends_on_no_later_one(rule: str, scored: list[Scored]) -> None:
    whole = all_told(rule, scored)
    assert [all_told(rule, scored[: count + 1])[-1] for count in range(len(scored))] == whole


@given(runs)
def test_measures_of_one_run_stand_together(scored: list[Scored]) -> None:
    for each in all_told("ladder 0.1", scored):
        assert each.of is not None
        assert each.values["Q"] == pytest.approx(scored[each.of].values["Q"], abs=0.0501)


def test_less_is_better_where_the_track_says_so() -> None:
    scored = [Scored({"P": value}) for value in (0.8, 0.9, 0.75, 0.31)]
    assert [each.values["P"] for each in all_told("ladder 0.1", scored, higher=False)] == [0.8, 0.8, 0.8, 0.3]


def test_rounding_is_each_runs_own() -> None:
    scored = [Scored({"P": 0.126, "Q": None}), Scored({"P": -0.001, "Q": 0.5})]
    assert [dict(each.values) for each in all_told("rounded 2", scored)] == [
        {"P": 0.13, "Q": None},
        {"P": 0.0, "Q": 0.5},
    ]


def test_exact_values_are_told_as_they_are() -> None:
    assert (
        next(told(Rule("exact"), "P", higher_is_better=True, runs=[Scored({"P": 1 / 3})])).values["P"]
        == 1 / 3
    )


def test_a_run_without_a_value_shows_what_was_announced_before() -> None:
    scored = [Scored({"P": None, "Q": 0.7}), Scored({"P": 0.5, "Q": 0.6}), Scored({"P": None, "Q": 0.9})]
    found = all_told("ladder 0.1", scored)
    assert [dict(each.values) for each in found] == [
        {"P": None, "Q": None},
        {"P": 0.5, "Q": 0.6},
        {"P": 0.5, "Q": 0.6},
    ]


def test_a_baseline_is_no_step_of_its_team() -> None:
    scored = [Scored({"P": 0.5}), Scored({"P": 0.9}, alone=True), Scored({"P": 0.7})]
    assert [each.values["P"] for each in all_told("ladder 0.1", scored)] == [0.5, 0.9, 0.7]


def test_without_units_the_parameter_free_ladder_announces_nothing() -> None:
    known = np.array([0.25, 0.5, 0.75, 0.5])
    scored = [Scored({"P": 0.4}), Scored({"P": 0.5}, known), Scored({"P": 0.9})]
    assert [each.values["P"] for each in all_told("ladder", scored)] == [None, 0.5, 0.5]


def test_a_unit_that_one_run_has_no_value_on_compares_nothing() -> None:
    first = np.array([0.2, 0.4, np.nan, 0.6])
    # Better by 0.1 on each common unit: their differences have no spread.
    better = np.array([0.3, 0.5, 0.9, np.nan])
    found = all_told("ladder", [Scored({"P": 0.4}, first), Scored({"P": 0.6}, better)])
    assert found[1].of == 1
