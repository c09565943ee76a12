"""A pair that is not in the list is led back to the one that was meant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.formats.near_pairs import NearPairs, Pair, edit_distance

LIST: list[Pair] = [
    ("среда", "новости"),
    ("ёлка", "праздник"),
    ("Москва", "город"),
    ("автомобиль", "машина"),
    ("кот", "дом"),
]


def nearest(given_pair: Pair, answered: tuple[int, ...] = ()) -> Pair | None:
    held = np.zeros(len(LIST), dtype=bool)
    held[list(answered)] = True
    suggestion = NearPairs(LIST).nearest(given_pair, held)
    return None if suggestion is None else suggestion.pair


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (("cреда", "новости"), ("среда", "новости")),
        (("елка", "праздник"), ("ёлка", "праздник")),
        (("москва", "Город"), ("Москва", "город")),
        (("автомобль", "машина"), ("автомобиль", "машина")),
        (("автомобиль", "мшиина"), ("автомобиль", "машина")),
        (("кит", "дом"), ("кот", "дом")),
    ],
)
def test_a_slip_is_led_back(written: Pair, meant: Pair) -> None:
    assert nearest(written) == meant


@pytest.mark.parametrize(
    "written",
    [("кот", "мир"), ("самолёт", "машина"), ("кит", "дым"), ("новости", "среда"), ("кот", "д" * 1000)],
)
def test_a_pair_far_from_all_gets_no_suggestion(written: Pair) -> None:
    assert nearest(written) is None


def test_a_pair_that_the_run_has_already_is_not_suggested() -> None:
    assert nearest(("кит", "дом"), answered=(4,)) is None


def test_letters_of_another_alphabet_are_told_apart_from_other_slips() -> None:
    near = NearPairs(LIST)
    nothing = np.zeros(len(LIST), dtype=bool)
    look_alike = near.nearest(("cреда", "новости"), nothing)
    other = near.nearest(("елка", "праздник"), nothing)
    assert look_alike is not None
    assert look_alike.look_alike
    assert other is not None
    assert not other.look_alike


def distance_by_definition(left: str, right: str) -> int:
    if not left or not right:
        return len(left) + len(right)
    return min(
        distance_by_definition(left[1:], right) + 1,
        distance_by_definition(left, right[1:]) + 1,
        distance_by_definition(left[1:], right[1:]) + (left[0] != right[0]),
    )


@given(st.text("абв", max_size=5), st.text("абв", max_size=5), st.integers(0, 4))
def test_the_edit_distance_is_the_least_number_of_edits_up_to_the_bound(
    left: str, right: str, bound: int
) -> None:
    assert edit_distance(left, right, bound) == min(distance_by_definition(left, right), bound + 1)
