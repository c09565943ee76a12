"""Runs are told apart by small pictures of them."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.analysis.probing_sketch import (
    HASHES,
    MOST_TEAMS,
    SAMPLE,
    Sketch,
    alike,
    bands,
    candidates,
    changed,
    sketch,
    unpack,
    whole,
)
from leaderboard.scorers import Answers
from tests.analysis.probing_runs import answers, sketched, systems, units

GENERATOR = np.random.default_rng(5)
GOLD = GENERATOR.random(3000)
ONE = GOLD + GENERATOR.normal(0, 0.3, 3000)


def ranked(items: np.ndarray) -> Answers:
    """Rankings of which these are the minhashes."""
    numbers = items.astype(np.uint64)
    return Answers(units(len(items)), numbers * np.uint64(3), items=numbers)


def found(sketches: list[Sketch], teams: list[int]) -> set[tuple[int, int]]:
    return set(candidates(np.array([bands(each) for each in sketches]), teams))


def test_a_sketch_comes_back_as_it_was() -> None:
    for run in (answers(ONE), answers(ONE[:40]), ranked(np.arange(90))):
        made = sketch(run)
        back = unpack(made.pack())
        assert (
            (back.units, back.is_items) == (made.units, made.is_items) == (len(run.units), run.values is None)
        )
        assert len(made.unit) == min(SAMPLE, len(run.units))
        for name in ("unit", "exact", "near"):
            np.testing.assert_array_equal(getattr(back, name), getattr(made, name))


@pytest.mark.parametrize("packed", [b"", b"\x00" * 10, sketch(answers(ONE)).pack()[:-1]])
def test_what_is_no_sketch_is_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="no sketch"):
        unpack(packed)


def test_runs_with_neither_values_nor_items_have_no_sketch() -> None:
    with pytest.raises(ValueError, match="neither"):
        sketch(Answers(["a"], np.array([1], np.uint64)))


def test_the_order_of_the_lines_is_of_no_account() -> None:
    order = GENERATOR.permutation(len(ONE))
    run = answers(ONE)
    turned = Answers([run.units[row] for row in order], run.exact[order], values=ONE[order])
    assert sketch(turned).pack() == sketch(run).pack()
    assert len(changed(whole(run), whole(turned))) == 0


def test_every_changed_or_missing_unit_is_counted() -> None:
    other = ONE.copy()
    other[[3, 700]] += 1
    assert len(changed(whole(answers(ONE)), whole(answers(other)))) == 2
    assert len(changed(whole(answers(ONE)), whole(answers(other[:-4])))) == 6


def test_the_share_of_equal_answers_is_estimated() -> None:
    other = np.where(GENERATOR.random(3000) < 0.2, GENERATOR.random(3000), ONE)
    measured = alike(*sketched([ONE, other]))
    assert measured.share == pytest.approx(0.8, abs=0.06)
    assert measured.beyond_chance == pytest.approx(measured.share, abs=0.01)


def test_runs_of_mostly_zeros_are_not_alike_by_that() -> None:
    some = [np.where(GENERATOR.random(3000) < 0.05, GENERATOR.random(3000), 0.0) for _ in range(2)]
    measured = alike(*sketched(some))
    assert measured.share > 0.85
    assert abs(measured.beyond_chance) < 0.1
    assert alike(*sketched([np.zeros(300), np.zeros(300)])).beyond_chance == 0


def test_scaled_values_have_no_answer_in_common_and_the_same_order() -> None:
    measured = alike(*sketched([ONE, 2 * ONE + 0.1]))
    assert measured.share == 0
    assert measured.near == pytest.approx(1)


@pytest.mark.parametrize("factor", [1e300, 1e-300])
def test_no_size_of_values_hides_their_order(factor: float) -> None:
    plain = sketch(answers(ONE))
    hidden = sketch(answers(ONE * factor))
    assert alike(plain, hidden).strength == "strong"
    assert found([plain, hidden], [1, 2]) == {(0, 1)}


def test_runs_without_a_common_unit_are_not_alike() -> None:
    other = Answers(["another"], np.array([1], np.uint64), values=np.array([1.0]))
    assert alike(sketch(answers(ONE)), sketch(other)).units == 0


@pytest.mark.parametrize(
    "copy", [ONE, 0.5 * ONE, np.where(GENERATOR.random(3000) < 0.05, 0.5, ONE)], ids=["same", "scaled", "few"]
)
def test_a_copy_is_found_among_many_runs(copy: np.ndarray) -> None:
    others = list(systems(GOLD, 30, 1))
    pairs = found(sketched([ONE, *others, copy]), list(range(32)))
    assert (0, 31) in pairs
    assert len(pairs) < 32 * 31 / 4


def test_rankings_with_the_same_passages_are_found() -> None:
    items = GENERATOR.integers(0, 2**60, 200)
    other = np.where(GENERATOR.random(200) < 0.1, 7, items)
    assert found([sketch(ranked(each)) for each in (items, other)], [1, 2]) == {(0, 1)}


def test_runs_of_one_team_are_no_pair() -> None:
    assert found(sketched([ONE, ONE, ONE]), [1, 1, 2]) == {(1, 2)}


def test_very_many_copies_make_no_very_many_pairs() -> None:
    hashes = np.ones((300, HASHES), dtype=np.uint64)
    assert len(set(candidates(hashes, list(range(300))))) <= 300 * MOST_TEAMS


def test_constant_runs_lead_nowhere() -> None:
    assert found(sketched([np.zeros(900), np.zeros(900)]), [1, 2]) == set()
