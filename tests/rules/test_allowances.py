"""What one team may do beyond what a phase allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import PhaseSpec, Text
from leaderboard.rules import Grant, granted, window, window_of_team

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TITLE = Text({"en": "Phase"})
EVALUATION = PhaseSpec("evaluation", TITLE, None, NOON, 2, 10, 20)
AFTER = PhaseSpec("after", TITLE, NOON, None, None, None, None)


def hours(number: float) -> datetime:
    return NOON + timedelta(hours=number)


def test_a_team_with_a_later_deadline_stays_in_the_phase_that_closed_for_others() -> None:
    grants = {"evaluation": Grant(closes_at=hours(2))}
    assert window((EVALUATION, AFTER), hours(1)).phase.name == "after"
    found = window_of_team((EVALUATION, AFTER), grants, hours(1))
    assert (found.phase.name, found.late, found.phase.closes_at) == ("evaluation", False, hours(2))
    assert window_of_team((EVALUATION, AFTER), grants, hours(2)).phase.name == "after"


def test_without_a_later_phase_the_run_is_late_only_after_the_own_deadline() -> None:
    grants = {"evaluation": Grant(closes_at=hours(2))}
    assert not window_of_team((EVALUATION,), grants, hours(1)).late
    assert window_of_team((EVALUATION,), grants, hours(2)).late


limits = st.none() | st.integers(0, 50)
moments = st.none() | st.integers(-48, 48).map(hours)


@given(moments, limits, limits, limits, moments, limits)
def test_a_grant_never_takes_anything_away(
    closes: datetime | None,
    day: int | None,
    own_day: int | None,
    in_all: int | None,
    own: datetime | None,
    faulty: int | None,
) -> None:
    phase = replace(EVALUATION, closes_at=closes, runs_per_day=day, runs_in_all=in_all)
    found = granted(phase, Grant(own, own_day, None, faulty))
    assert found.runs_in_all == in_all
    assert found.closes_at is None if closes is None else found.closes_at >= closes  # type: ignore[operator]
    assert found.runs_per_day is None if day is None else found.runs_per_day >= day  # type: ignore[operator]


@given(st.lists(st.tuples(moments, moments), min_size=1, max_size=4), st.integers(-50, 50).map(hours))
def test_without_grants_it_is_the_window_of_everybody(
    times: list[tuple[datetime | None, datetime | None]], moment: datetime
) -> None:
    phases = [
        replace(EVALUATION, name=f"p{n}", opens_at=opens, closes_at=closes)
        for n, (opens, closes) in enumerate(times)
    ]
    assert window_of_team(phases, {}, moment) == window(phases, moment)
