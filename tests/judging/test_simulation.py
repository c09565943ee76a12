"""Noisy judges: what the procedures find and cost."""

from __future__ import annotations

from leaderboard.judging.crowd import CrowdSettings
from leaderboard.judging.simulation import Procedure, simulate
from leaderboard.judging.tournament import bound

ONE, THREE, STAGES = Procedure("tournament"), Procedure("tournament", 3), Procedure("two-stage")


def test_faultless_judges_find_the_true_top_by_tournament_within_the_bound() -> None:
    (row,) = simulate([20], [0.0], CrowdSettings(), 20, 1, [ONE])
    assert (row.found, row.best, row.overlap, row.answers) == (1, 1, 1, 5)
    assert row.judgments <= bound(20, 5)


def test_errors_cost_and_more_judges_help() -> None:
    found = {
        (row.procedure, row.error): row
        for row in simulate([20], [0.0, 0.2], CrowdSettings(), 60, 1, [ONE, THREE, STAGES])
    }
    assert found[ONE, 0.2].found < found[THREE, 0.2].found < found[ONE, 0.0].found
    assert found[ONE, 0.2].overlap < found[STAGES, 0.2].overlap
    assert found[THREE, 0.2].judgments > 2.5 * found[ONE, 0.2].judgments


def test_the_finalists_alone_cost_all_their_pairs() -> None:
    (row,) = simulate([9], [0.1], CrowdSettings(), 10, 1, [STAGES])
    assert row.judgments == 36


def test_a_seed_gives_the_same_numbers_whatever_else_is_simulated() -> None:
    alone = simulate([12], [0.1], CrowdSettings(), 20, 5, [ONE])
    among = simulate([10, 12], [0.0, 0.1], CrowdSettings(), 20, 5)
    assert set(alone) < set(among)
    assert simulate([12], [0.1], CrowdSettings(), 20, 6, [ONE]) != alone
