"""The Ladder announces nothing but significant improvements."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.analysis.ladder import Ladder, on_steps

UNITS = 12

# Each run is a number whose bits are its losses.
losses = st.lists(st.integers(0, 2**UNITS - 1), min_size=1, max_size=12).map(
    lambda runs: [np.array([run >> unit & 1 for unit in range(UNITS)], float) for run in runs]
)


@given(losses, st.sampled_from((None, 0.05, 0.2)))
def test_what_is_announced_never_rises(runs: list[np.ndarray], step: float | None) -> None:
    ladder = Ladder(step)
    told = [ladder.announce(run) for run in runs]
    assert all(after <= before + 1e-12 for before, after in pairwise(told))


@given(losses, st.sampled_from((0.05, 0.2)))
def test_the_steps_of_the_paper_are_taken_one_by_one(runs: list[np.ndarray], step: float) -> None:
    # A second way to write Figure 1 of the paper.
    best, told = None, []
    for run in runs:
        loss = run.mean()
        if best is None or loss < best - step:
            best = on_steps(loss, step)
        told.append(best)
    ladder = Ladder(step)
    assert [ladder.announce(run) for run in runs] == told


def test_a_run_like_the_best_one_changes_nothing() -> None:
    generator = np.random.default_rng(1)
    first = (generator.random(1000) < 0.3).astype(float)
    nearly = first.copy()
    nearly[np.flatnonzero(first)[:1]] = 0.0
    ladder = Ladder()
    before = ladder.announce(first)
    # One unit better differs by 1/n, and so does one standard error of that difference.
    assert ladder.announce(nearly) == before
    assert ladder.announce(np.zeros(1000)) == 0.0


def test_the_step_without_a_parameter_is_the_standard_error_of_the_difference() -> None:
    first, better = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    needed = np.std(better - first, ddof=1) / np.sqrt(6)
    ladder = Ladder()
    ladder.announce(first)
    told = ladder.announce(better)
    assert better.mean() < first.mean() - needed
    assert told == pytest.approx(1 / 6)


def test_without_units_there_is_nothing_to_announce() -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        Ladder().announce(np.array([]))
