"""Teams that take turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from leaderboard.analysis.probing_turns import turns

START = datetime(2026, 3, 1, tzinfo=UTC)


def moments(*hours: float) -> list[datetime]:
    return [START + timedelta(hours=hour) for hour in hours]


def test_one_that_begins_when_the_other_has_ended_takes_turns() -> None:
    one = moments(*(24 * day + hour for day in range(6) for hour in (8, 9)))
    other = moments(*(24 * day + hour for day in range(6) for hour in (9.25, 10)))
    found = turns(one, other)
    assert found is not None
    assert (found.days, found.apart, found.minutes) == (6, 6, 15)
    # Two and two: 2 of the 6 orders of a day.
    assert found.p_value == pytest.approx((1 / 3) ** 6)
    assert turns(other, one) == found


def test_of_few_common_days_nothing_is_said() -> None:
    assert turns(moments(1, 25), moments(2, 26)) is None


def test_teams_whose_runs_are_mixed_take_no_turns() -> None:
    generator = np.random.default_rng(1)
    p_values = []
    for _ in range(100):
        one, other = (
            [24 * day + hour for day in range(8) for hour in generator.random(3) * 20] for _ in "ab"
        )
        found = turns(moments(*one), moments(*other))
        assert found is not None
        p_values.append(found.p_value)
    assert np.mean(np.array(p_values) < 0.05) < 0.1


def test_a_run_each_at_any_hour_says_nothing() -> None:
    found = turns(moments(1, 25, 49), moments(2, 26, 50))
    assert found is not None
    assert found.p_value == 1
