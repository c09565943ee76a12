"""The tournament finds the true top k within its bound, asks nothing twice, and can be resumed anywhere."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.judging.preferences import Pair
from leaderboard.judging.tournament import Tournament, bound

ORDERS = st.integers(0, 40).flatmap(
    lambda size: st.permutations([f"d{number:02d}" for number in range(size)])
)


def play(tournament: Tournament, truth: list[str], chance: random.Random | None = None) -> list[Pair]:
    """Judges as the true order says, whichever open pair comes first or by chance; returns what was asked."""
    asked = []
    while not (now := tournament.standing()).done:
        pair = chance.choice(now.open) if chance else now.open[0]
        tournament.record(pair, min(pair, key=truth.index))
        asked.append(pair)
    return asked


@given(ORDERS, st.integers(1, 12), st.randoms(use_true_random=False))
def test_a_consistent_judge_finds_the_true_top_k_within_the_bound(
    truth: list[str], k: int, chance: random.Random
) -> None:
    tournament = Tournament(sorted(truth), k)
    asked = play(tournament, truth, chance)
    now = tournament.standing()
    assert list(now.top) == truth[:k]
    assert len(asked) == len(set(asked)) == now.spent
    assert now.spent <= now.bound == bound(len(truth), k)


@given(ORDERS, st.integers(1, 6), st.randoms(use_true_random=False))
def test_whatever_judges_say_no_pair_is_asked_twice_and_it_ends_within_the_bound(
    items: list[str], k: int, chance: random.Random
) -> None:
    tournament = Tournament(items, k)
    asked: set[Pair] = set()
    while not (now := tournament.standing()).done:
        pair = chance.choice(now.open)
        assert pair not in asked
        asked.add(pair)
        tournament.record(pair, chance.choice(pair))
    assert len(asked) <= now.bound
    assert len(set(now.top)) == len(now.top) == min(k, len(items))


@given(ORDERS, st.integers(1, 6), st.integers(0, 60), st.randoms(use_true_random=False))
def test_resumed_from_recorded_judgments_it_goes_on_where_it_was(
    items: list[str], k: int, stop: int, chance: random.Random
) -> None:
    first = Tournament(items, k)
    recorded: dict[Pair, str | None] = {}
    while not (now := first.standing()).done and len(recorded) < stop:
        pair = chance.choice(now.open)
        recorded[pair] = chance.choice(pair)
        first.record(pair, recorded[pair] or "")
    resumed = Tournament(items, k, recorded)
    assert set(resumed.standing().open) == set(first.standing().open)
    assert resumed.standing().top == first.standing().top
    assert resumed.standing().spent == len(recorded)


def test_open_pairs_are_independent_so_that_several_judges_can_work_on_a_topic() -> None:
    pairs = Tournament([f"d{number}" for number in range(8)], 1).standing().open
    assert len(pairs) == 4
    assert len({item for pair in pairs for item in pair}) == 8


def test_a_tied_outcome_is_still_to_be_judged() -> None:
    assert Tournament(["a", "b"], 1, {("a", "b"): None}).standing().open == (("a", "b"),)


def test_only_open_pairs_are_taken() -> None:
    tournament = Tournament(["a", "b", "c"], 1)
    (pair,) = tournament.standing().open
    absent = next(other for other in [("a", "b"), ("a", "c"), ("b", "c")] if other != pair)
    with pytest.raises(KeyError):
        tournament.record(absent, absent[0])
    with pytest.raises(ValueError, match="not in the pair"):
        tournament.record(pair, "z")


@pytest.mark.parametrize("candidates", [["a", "a"], [""]])
def test_candidates_are_different_and_have_names(candidates: list[str]) -> None:
    with pytest.raises(ValueError, match="different"):
        Tournament(candidates, 1)


@given(st.integers(1, 10_000), st.integers(1, 20))
def test_the_bound_is_the_formula(size: int, k: int) -> None:
    assert bound(size, k) == size + (k - 1) * math.ceil(math.log2(size))


def test_an_empty_pool_needs_no_judgment() -> None:
    assert bound(0, 5) == 0
    assert Tournament([], 5).standing().done
