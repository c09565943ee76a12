"""Where the bars of a plot stand."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.web.plots import HEIGHT, WIDTH, ordered_bars

values = st.lists(st.floats(0, 1), min_size=1, max_size=300)


@given(values)
def test_bars_fall_from_left_to_right_within_the_drawing(given_values: list[float]) -> None:
    found = ordered_bars([str(number) for number in range(len(given_values))], given_values)
    assert found is not None
    assert [bar.value for bar in found.bars] == sorted(given_values, reverse=True)
    for bar in found.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH + 0.02
        assert math.isclose(bar.y + bar.height, HEIGHT, abs_tol=0.02)
        assert bar.width > 0


def test_equal_values_stand_in_the_order_of_their_names() -> None:
    found = ordered_bars(["b", "c", "a"], [0.5, 1.0, 0.5])
    assert found is not None
    assert [bar.name for bar in found.bars] == ["c", "a", "b"]


def test_the_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    found = ordered_bars(["a", "b", "c", "d"], [0.0, 0.2, 0.4, 1.0])
    assert found is not None
    assert math.isclose(found.median, 0.3)
    assert found.zeros == 1


def test_larger_values_stretch_the_scale() -> None:
    found = ordered_bars(["a"], [4.0])
    assert found is not None
    assert (found.top, found.bars[0].height) == (4.0, HEIGHT)


def test_there_is_no_drawing_without_values_or_with_negative_ones() -> None:
    assert ordered_bars([], []) is None
    assert ordered_bars(["a"], [-0.1]) is None
    assert ordered_bars(["a"], [math.nan]) is None
