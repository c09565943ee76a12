"""Groups of runs that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.groups import groups, letter, letters, reaches, told_apart
from leaderboard.analysis.pairwise import Pairs, paired_t
from leaderboard.analysis.tables import pairs_of

FEWER = settings(max_examples=settings().max_examples // 4)


@st.composite
def relations(draw: st.DrawFn) -> np.ndarray:
    runs = draw(st.integers(0, 12))
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    apart = np.triu(dice.random((runs, runs)) < draw(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])), 1)
    return apart | apart.T


@FEWER
@given(relations())
def test_two_runs_share_a_group_exactly_if_they_are_not_told_apart(apart: np.ndarray) -> None:
    found = groups(apart)

    for one in range(len(apart)):
        for other in range(len(apart)):
            shared = any(one in group and other in group for group in found)
            assert shared == (one == other or not apart[one, other])


@FEWER
@given(relations())
def test_a_run_reaches_as_far_as_its_groups(apart: np.ndarray) -> None:
    found = groups(apart)

    of = [[group for group in found if run in group] for run in range(len(apart))]
    assert reaches(apart) == tuple((min(g[0] for g in its), max(g[-1] for g in its)) for its in of)


@FEWER
@given(relations())
def test_no_group_could_be_left_out(apart: np.ndarray) -> None:
    found = groups(apart)

    for left_out in found:
        others = [group for group in found if group is not left_out]
        pairs = [(one, other) for one in left_out for other in left_out if one <= other]
        assert any(not any(one in group and other in group for group in others) for one, other in pairs)


def test_a_ranking_that_fades_out_gets_overlapping_groups() -> None:
    places = np.arange(5)
    apart = np.abs(places[:, np.newaxis] - places) > 2

    assert groups(apart) == ((0, 1, 2), (1, 2, 3), (2, 3, 4))


def test_a_run_apart_from_all_others_is_a_group_of_its_own() -> None:
    apart = np.array([[False, True, True], [True, False, False], [True, False, False]])

    assert groups(apart) == ((0,), (1, 2))


@pytest.mark.parametrize(("number", "name"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba")])
def test_groups_are_lettered_as_columns_of_a_spreadsheet(number: int, name: str) -> None:
    assert letter(number) == name


@pytest.mark.parametrize(
    ("numbers", "said"),
    [([], ""), ([0], "a"), ([1, 2], "bc"), ([2, 3, 4, 6], "c–e, g"), ([0, 2], "ac"), ([25, 26], "z, aa")],
)
def test_letters_are_said_shortly(numbers: list[int], said: str) -> None:
    assert letters(numbers) == said


def test_runs_are_told_apart_by_holms_correction_over_all_pairs() -> None:
    dice = np.random.default_rng(1)
    matrix = dice.random((4, 60))
    matrix[0] += 0.5

    apart = told_apart(paired_t(matrix), 4)

    assert apart[0].tolist() == [False, True, True, True]
    assert not apart[1:, 1:].any()
    assert (apart == apart.T).all()


def test_a_pair_exactly_at_the_level_is_not_told_apart() -> None:
    first, second = pairs_of(2)
    at, below = (
        Pairs(first, second, np.ones(1), np.ones(1), np.array([p])) for p in (0.05, np.nextafter(0.05, 0))
    )

    assert [told_apart([pairs], 2)[0, 1] for pairs in (at, below)] == [False, True]
