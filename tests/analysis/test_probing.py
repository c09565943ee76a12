"""What gives those away who read a benchmark off a board, and what honest teams have in common with them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from leaderboard.analysis.probing import coins, flips, strangers
from leaderboard.analysis.probing_climbs import at_least, climb, records
from leaderboard.contract import FloatArray
from tests.analysis.probing_runs import (
    answers,
    boosting,
    climbing,
    one_at_a_time,
    sketched,
    steps,
    systems,
    told,
    tuning,
)

UNITS = 1000
GOLD = np.random.default_rng(7).random(UNITS)
TOLD = told(GOLD)
BASE = GOLD + np.random.default_rng(8).normal(0, 0.4, UNITS)
POOR = GOLD + np.random.default_rng(9).normal(0, 2, UNITS)
SEEDS = range(12)


def exact(runs: Iterable[FloatArray]) -> NDArray[np.uint32]:
    return np.array([each.exact for each in sketched(list(runs))])


def values(runs: Iterable[FloatArray]) -> FloatArray:
    return np.array([each.values for each in sketched(list(runs))])


@pytest.mark.parametrize("around", [None, BASE])
def test_boosting_chooses_between_two_answers_by_chance(around: FloatArray | None) -> None:
    found = [coins(exact(boosting(TOLD, UNITS, 20, seed, around=around))) for seed in SEEDS]
    assert all(each is not None and each.strength == "strong" for each in found)


def test_boosting_with_random_answers_gives_runs_that_have_nothing_in_common() -> None:
    found = strangers(values(boosting(TOLD, UNITS, 20, 1)))
    assert found is not None
    assert found.strength == "strong"
    assert found.share > 0.95


def test_random_runs_are_found_among_others_of_their_team() -> None:
    runs = [*systems(GOLD, 3, 1), *boosting(TOLD, UNITS, 12, 1)]
    found = coins(exact(runs))
    assert found is not None
    assert set(found.runs) <= set(range(3, 15))
    assert len(found.runs) >= 10


def test_one_change_at_a_time_is_seen_with_the_units_that_it_touches() -> None:
    found = flips(steps([answers(run) for run in one_at_a_time(BASE, 15, 1)]))
    assert found is not None
    assert (len(found.runs), found.most, found.units, found.different) == (14, 1, UNITS, 14)
    assert found.strength == "strong"


@pytest.mark.parametrize(("runs", "strength"), [(3, None), (4, "weak"), (6, "moderate"), (11, "strong")])
def test_the_more_flips_the_stronger(runs: int, strength: str | None) -> None:
    found = flips(steps([answers(run) for run in one_at_a_time(BASE, runs, 1)]))
    assert (found and found.strength) == strength


def test_a_climber_keeps_what_was_better_and_undoes_what_was_worse() -> None:
    for seed in SEEDS:
        runs = list(climbing(TOLD, POOR, 40, seed))
        found = climb(steps([answers(run) for run in runs]), np.array([TOLD(run) for run in runs]))
        assert found is not None
        assert found.strength() == "strong"
        assert found.kept_better > 0.9 * found.better
        assert found.kept_worse == 0
        assert found.rise > 0


def test_changes_that_are_kept_whatever_they_do_are_no_climb() -> None:
    generator = np.random.default_rng(3)
    runs = [BASE]
    for _ in range(30):
        chosen = generator.choice(UNITS, 40, replace=False)
        following = runs[-1].copy()
        following[chosen] = generator.random(40)
        runs.append(following)
    assert climb(steps([answers(run) for run in runs]), np.array([TOLD(run) for run in runs])) is None


def test_a_team_that_tunes_a_weight_is_not_flagged() -> None:
    for seed in SEEDS:
        runs = list(tuning(GOLD, 12, seed))
        made = steps([answers(run) for run in runs])
        assert flips(made) is None
        assert climb(made, np.array([TOLD(run) for run in runs])) is None
        assert coins(exact(runs)) is None
        assert strangers(values(runs)) is None


@pytest.mark.parametrize("decide", [False, True])
def test_honest_systems_are_not_flagged(decide: bool) -> None:
    for seed in SEEDS:
        runs = list(systems(GOLD, 12, seed, decide=decide))
        assert coins(exact(runs)) is None
        assert strangers(values(runs)) is None
        assert flips(steps([answers(run) for run in runs])) is None


def test_of_few_units_nothing_is_said() -> None:
    few = BASE[:19]
    assert flips(steps([answers(run) for run in one_at_a_time(few, 15, 1)])) is None
    assert coins(exact(boosting(told(GOLD[:19]), 19, 20, 1))) is None


def test_runs_that_only_repeat_each_other_are_no_coins() -> None:
    one, other = systems(GOLD, 2, 1)
    assert coins(exact([one, other] * 6)) is None


def test_constant_runs_are_no_strangers() -> None:
    assert strangers(np.zeros((12, 500))) is None


def test_records_are_counted_and_as_rare_as_chance_makes_them() -> None:
    assert records(np.array([3.0, 1.0, 2.0])) == (0, 1.0)
    count, p_value = records(np.array([1.0, 2.0, 3.0, 4.0]))
    # All four in ascending order: one of 4! ways.
    assert count == 3
    assert p_value == pytest.approx(1 / 24)
    assert records(np.array([])) == (0, 1.0)


def test_how_likely_so_many_independent_things_are() -> None:
    assert at_least(0, [0.5]) == pytest.approx(1)
    assert at_least(2, [0.5, 0.5]) == pytest.approx(0.25)
    assert at_least(1, [0.2, 0.5]) == pytest.approx(0.6)
