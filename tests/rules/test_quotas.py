"""How many runs a team may send, and when the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import PhaseSpec, Text
from leaderboard.rules import Attempts, day_of, quota

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


def phase(**limits: object) -> PhaseSpec:
    return PhaseSpec("evaluation", Text({"en": "Evaluation"}), **limits)  # type: ignore[arg-type]


def at(*hours: float) -> tuple[datetime, ...]:
    return tuple(NOON + timedelta(hours=each) for each in hours)


def test_without_limits_a_team_may_always_send() -> None:
    found = quota(phase(), Attempts(at(0, 0, 0), at(0)), NOON)
    assert (found.reached, found.left_today, found.left_in_all) == (None, None, None)


def test_the_last_slot_of_a_day_is_there_to_be_used() -> None:
    found = quota(phase(runs_per_day=2), Attempts(at(-1)), NOON)
    assert (found.reached, found.left_today) == (None, 1)


def test_a_full_day_opens_again_at_midnight_utc() -> None:
    found = quota(phase(runs_per_day=2), Attempts(at(-1, -2)), NOON)
    assert (found.reached, found.next_slot, found.left_today) == ("runs today", MIDNIGHT, 0)


def test_runs_of_yesterday_cost_nothing_today() -> None:
    found = quota(phase(runs_per_day=1), Attempts(at(-12.001)), NOON)
    assert (found.reached, found.today, found.in_all) == (None, 0, 1)


def test_an_attempt_at_midnight_is_of_the_new_day() -> None:
    assert quota(phase(runs_per_day=1), Attempts((MIDNIGHT,)), MIDNIGHT).reached == "runs today"
    assert quota(phase(runs_per_day=1), Attempts((MIDNIGHT,)), NOON).reached is None


def test_a_day_is_the_same_for_every_time_zone() -> None:
    tokyo = NOON.astimezone(timezone(timedelta(hours=14)))
    assert day_of(tokyo) == day_of(NOON) == (MIDNIGHT - timedelta(days=1), MIDNIGHT)


def test_a_phase_that_is_used_up_opens_no_slot_again() -> None:
    found = quota(phase(runs_in_all=2, runs_per_day=1), Attempts(at(-48, -24)), NOON)
    assert (found.reached, found.next_slot, found.left_in_all, found.left_today) == (
        "runs in all",
        None,
        0,
        0,
    )


def test_what_is_left_today_is_never_more_than_what_is_left_in_all() -> None:
    assert quota(phase(runs_per_day=5, runs_in_all=4), Attempts(at(-48, -24, 0)), NOON).left_today == 1


def test_faulty_files_have_a_limit_of_their_own() -> None:
    limits = phase(runs_per_day=1, rejected_per_day=3)
    two = quota(limits, Attempts((), at(-1, -2)), NOON)
    three = quota(limits, Attempts((), at(-1, -2, -3)), NOON)
    assert (two.reached, two.rejected_left_today, two.left_today) == (None, 1, 1)
    assert (three.reached, three.next_slot) == ("rejected today", MIDNIGHT)


def test_before_the_opening_the_next_slot_is_the_opening() -> None:
    opening = NOON + timedelta(hours=1)
    found = quota(phase(opens_at=opening), Attempts(), NOON)
    assert (found.reached, found.next_slot) == ("not open yet", opening)
    assert quota(phase(opens_at=opening), Attempts(), opening).reached is None


def test_no_slot_opens_after_the_closing() -> None:
    full = Attempts(at(-1))
    assert quota(phase(runs_per_day=1, closes_at=MIDNIGHT), full, NOON).next_slot is None
    later = MIDNIGHT + timedelta(seconds=1)
    assert quota(phase(runs_per_day=1, closes_at=later), full, NOON).next_slot == MIDNIGHT


def test_late_runs_have_slots_day_by_day_too() -> None:
    found = quota(phase(runs_per_day=1, closes_at=NOON - timedelta(days=3)), Attempts(at(-1)), NOON)
    assert (found.reached, found.next_slot) == ("runs today", MIDNIGHT)


@given(st.lists(st.floats(-60, 0), max_size=12), st.integers(1, 4), st.integers(1, 9))
def test_whoever_waits_for_the_next_slot_gets_it(hours: list[float], daily: int, in_all: int) -> None:
    limits, attempts = phase(runs_per_day=daily, runs_in_all=in_all), Attempts(at(*hours))
    found = quota(limits, attempts, NOON)
    if found.next_slot is not None:
        assert quota(limits, attempts, found.next_slot).reached is None
    if found.reached is None:
        assert found.left_today is not None
        assert found.left_today > 0
