"""Who rose, who fell, and who was overtaken."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.services.shifts import Move, Overtaken, Shift, settled_as, shift_between


@dataclass(frozen=True)
class Line:
    team_id: int
    place: int | None
    run_id: int | None
    runs: dict[str, int] = field(default_factory=dict)


def settled(*lines: tuple[int, int | None, int], version: int = 1) -> dict[str, object]:
    """Lines as (team, place, run)."""
    return settled_as({"near": version}, [Line(*line) for line in lines])


def shift(before: dict[str, object], after: dict[str, object]) -> Shift | None:
    return shift_between("near", before, after)


def test_the_same_places_are_no_shift() -> None:
    assert shift(settled((1, 1, 10), (2, 2, 20)), settled((1, 1, 10), (2, 2, 20))) is None


def test_the_first_run_is_new_and_overtakes_nobody() -> None:
    assert shift({}, settled((1, 1, 10))) == Shift("near", (Move(1, None, 1, 10),), ())


def test_a_better_run_overtakes_who_was_ahead() -> None:
    found = shift(settled((1, 1, 10), (2, 2, 20)), settled((2, 1, 21), (1, 2, 10)))
    assert found is not None
    assert found.moves == (Move(2, 2, 1, 21), Move(1, 1, 2, None))
    assert found.overtaken == (Overtaken(1, 1, 2, (2,)),)


def test_who_shared_a_place_and_is_passed_was_overtaken() -> None:
    found = shift(settled((1, 1, 10), (2, 1, 20)), settled((2, 1, 21), (1, 2, 10)))
    assert found is not None
    assert found.overtaken == (Overtaken(1, 1, 2, (2,)),)


def test_a_tie_overtakes_nobody() -> None:
    found = shift(settled((1, 1, 10), (2, 2, 20)), settled((1, 1, 10), (2, 1, 21)))
    assert found is not None
    assert found.overtaken == ()


def test_who_withdraws_the_own_run_is_not_overtaken() -> None:
    found = shift(settled((1, 1, 10), (2, 2, 20)), settled((2, 1, 20), (1, 2, 9)))
    assert found is not None
    assert found.overtaken == ()


def test_who_loses_every_run_is_not_overtaken() -> None:
    found = shift(settled((1, 1, 10), (2, 2, 20)), settled((2, 1, 20)))
    assert found is not None
    assert found.moves == (Move(2, 2, 1, None), Move(1, 1, None, None))
    assert found.overtaken == ()


def test_on_new_gold_another_run_may_count_and_the_team_is_overtaken_all_the_same() -> None:
    found = shift(settled((1, 1, 10), (2, 2, 20)), settled((2, 1, 20), (1, 2, 9), version=2))
    assert found is not None
    assert found.overtaken == (Overtaken(1, 1, 2, (2,)),)


def test_overall_boards_name_no_run() -> None:
    before = settled_as({"near": 1}, [Line(1, 1, None, {"near": 10}), Line(2, 2, None, {"near": 20})])
    after = settled_as({"near": 1}, [Line(2, 1, None, {"near": 21}), Line(1, 2, None, {"near": 10})])
    found = shift_between(None, before, after)
    assert found is not None
    assert {move.run for move in found.moves} == {None}
    assert [each.team for each in found.overtaken] == [1]


PLACES = st.dictionaries(st.integers(1, 6), st.integers(1, 6))


@given(PLACES, PLACES)
def test_who_is_overtaken_fell_and_those_ahead_now_were_not(
    before: dict[int, int], after: dict[int, int]
) -> None:
    found = shift(
        settled(*((team, place, team) for team, place in before.items())),
        settled(*((team, place, team) for team, place in after.items())),
    )
    for each in found.overtaken if found else ():
        assert before[each.team] == each.before < each.after == after[each.team]
        assert each.by
        for other in each.by:
            assert after[other] < each.after
            assert other not in before or before[other] >= each.before
