"""Corrections of p-values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.analysis.corrections import found, holm

FEWER = settings(max_examples=settings().max_examples // 4)

P_VALUES = st.lists(st.floats(0, 1), max_size=30).map(np.array)


def holm_by_the_book(p: np.ndarray, alpha: float) -> list[bool]:
    """As Holm writes it: from the smallest p-value on, until the first that is too large."""
    rejected = [False] * len(p)
    for step, index in enumerate(np.argsort(p, kind="stable")):
        if p[index] * (len(p) - step) > alpha:
            break
        rejected[index] = True
    return rejected


@FEWER
@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_what_its_steps_reject(p: np.ndarray, alpha: float) -> None:
    assert (holm(p) <= alpha).tolist() == holm_by_the_book(p, alpha)


@FEWER
@given(P_VALUES)
def test_holm_lies_between_the_plain_value_and_bonferronis(p: np.ndarray) -> None:
    assert (holm(p) >= p).all()
    assert (holm(p) <= np.minimum(p * len(p), 1.0)).all()


def test_holm_gives_the_values_of_its_textbook_example() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@FEWER
@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.2]), st.integers(1, 4))
def test_those_found_are_counted_some_at_a_time(p: np.ndarray, alpha: float, parts: int) -> None:
    small = np.array_split(p[p < alpha], parts)

    counted = found(lambda: small, len(p), alpha)

    assert counted == (int(np.sum(p * len(p) < alpha)), int(np.sum(holm(p) < alpha)))


def test_each_one_found_leaves_less_to_correct_for() -> None:
    p = np.array([0.016, 0.024, 0.012, 0.049])

    assert found(lambda: [p], 4, 0.05) == (1, 4)
