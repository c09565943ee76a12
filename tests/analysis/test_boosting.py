"""The boosting attack works on a plain board, and the defences leave little of it."""

from __future__ import annotations

import pytest

from leaderboard.analysis.boosting import Boosted, Setting, simulate

SMALL = Setting(public=1000, private=1000, quota=20)


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, int], Boosted]:
    return {(each.defence, each.runs): each for each in simulate((20, 400), SMALL, trials=5, seed=1)}


def test_on_a_plain_board_the_attacker_seems_far_better_than_chance(
    found: dict[tuple[str, int], Boosted],
) -> None:
    # The paper: better than chance in the order of the root of runs by units.
    assert 0.5 - found["plain", 400].claimed > 0.2 * (400 / SMALL.public) ** 0.5
    assert found["plain", 400].claimed < found["plain", 20].claimed


def test_in_truth_the_attacker_is_no_better_than_chance(found: dict[tuple[str, int], Boosted]) -> None:
    assert all(abs(each.true - 0.5) < 0.03 for each in found.values())


@pytest.mark.parametrize("defence", ["ladder", "split", "quota"])
def test_a_defence_takes_most_of_it_away(found: dict[tuple[str, int], Boosted], defence: str) -> None:
    gained = 0.5 - found["plain", 400].claimed
    assert 0.5 - found[defence, 400].claimed < 0.5 * gained


def test_the_same_seed_gives_the_same_numbers() -> None:
    tiny = Setting(public=50, private=50)
    assert simulate((5,), tiny, 2, seed=3) == simulate((5,), tiny, 2, seed=3)
    assert simulate((5,), tiny, 2, seed=3) != simulate((5,), tiny, 2, seed=4)


def test_nothing_to_simulate_is_refused() -> None:
    with pytest.raises(ValueError, match="needs runs"):
        simulate((), SMALL, 1, seed=1)
