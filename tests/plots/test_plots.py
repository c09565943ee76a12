"""Plots as specifications, drawings, SVG, PDF and tables."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import Message, say
from leaderboard.plots import Axis, Plot, Series, Size, Words, pdf, scales, svg
from leaderboard.plots.drawing import draw
from leaderboard.plots.shapes import Bar, Dot, Letters, Stroke
from leaderboard.plots.specification import ordered, table

WORDS = Words(
    str,
    lambda value, digits: f"{value:.{digits}f}",
    lambda seconds, _: f"{datetime.fromtimestamp(seconds, UTC):%d.%m.}",
)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def plot(*series: Series, scale: str = "order", **axis: float) -> Plot:
    own = Series(say("own <run>"), "own", "bars", (0, 1, 2), (0.9, 0.5, 0.0), ("a", "b", 'c"&'))
    x = Axis(say("topics"), scale)  # type: ignore[arg-type]
    return Plot(say("Title"), say("What is seen"), x, Axis(say("nDCG"), **axis), series or (own,))  # type: ignore[arg-type]


def median() -> Series:
    return Series(say("median"), "median", "points", (0, 1), (0.4, 0.6))


def test_a_series_has_as_many_positions_as_values() -> None:
    with pytest.raises(ValueError, match="as many positions"):
        Series(say("x"), "own", "line", (0, 1), (1,))
    with pytest.raises(ValueError, match="as many names"):
        Series(say("x"), "own", "line", (0,), (1,), ("a", "b"))


def test_a_plot_shows_something() -> None:
    with pytest.raises(ValueError, match="shows something"):
        plot(Series(say("x"), "own", "line", (), ()))


def test_bars_stand_on_zero_and_are_as_high_as_their_values() -> None:
    drawing = draw(plot(low=0, high=1), Size(), WORDS)
    first, second, third = [shape for shape in drawing.shapes if isinstance(shape, Bar) and shape.tip]
    assert first.height == pytest.approx(1.8 * second.height)
    assert first.y + first.height == pytest.approx(second.y + second.height) == pytest.approx(third.y)
    assert (third.height, third.tip) == (0, 'c"&: 0.00')


def test_negative_bars_hang_from_zero() -> None:
    own = Series(say("difference"), "own", "bars", (0, 1), (0.5, -0.5))
    up, down = [
        shape for shape in draw(plot(own), Size(), WORDS).shapes if isinstance(shape, Bar) and shape.tip
    ]
    assert up.y + up.height == pytest.approx(down.y)
    assert up.height == pytest.approx(down.height)


def test_a_step_holds_its_value_until_the_next_and_to_the_end() -> None:
    steps = Series(say("best"), "own", "steps", (0, 10), (1, 2))
    drawing = draw(plot(steps, scale="number"), Size(), WORDS)
    (line,) = [s for s in drawing.shapes if isinstance(s, Stroke) and s.look == "own" and len(s.points) > 2]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line.points
    assert (y0, y2) == (y1, y3)
    assert y2 < y0
    assert x0 < x1 == x2 <= x3


def test_equal_values_stand_in_the_order_of_their_names() -> None:
    assert ordered(("b", "a", "c"), (1.0, 1.0, 2.0)) == (2, 1, 0)


def test_the_table_has_all_numbers_of_all_series() -> None:
    found = table(plot(*plot().series, median()))
    assert [str(head) for head in found.heads] == ["own <run>", "median"]
    assert found.rows == (("a", (0.9, 0.4)), ("b", (0.5, 0.6)), ('c"&', (0.0, None)))


def test_on_a_page_colours_are_classes_alone() -> None:
    text = svg.for_page(draw(plot(*plot().series, median()), Size(), WORDS))
    root = ET.fromstring(text)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Title. What is seen"
    assert "style" not in {name for element in root.iter() for name in element.attrib}
    assert not re.search(r"#[0-9a-f]{6}", text)
    assert {"mark-own", "mark-median", "mark-quiet"} <= {element.get("class", "") for element in root.iter()}


def test_for_a_paper_the_file_stands_alone() -> None:
    root = ET.fromstring(svg.for_paper(draw(plot(), Size(), WORDS)))
    assert root.tag == f"{NAMESPACE}svg"
    assert [root.findtext(f"{NAMESPACE}{part}") for part in ("title", "desc")] == ["Title", "What is seen"]
    assert "class" not in {name for element in root.iter() for name in element.attrib}
    assert 'c"&: 0.00' in {element.text for element in root.iter(f"{NAMESPACE}title")}


def test_a_pdf_holds_its_letters_and_their_font() -> None:
    document = pdf.for_print(draw(plot(), Size(), WORDS))
    assert document.startswith(b"%PDF-")
    assert b"/BaseFont" in document


def test_russian_words_are_drawn() -> None:
    russian = Words(
        lambda message: "Медиана" if message.template == "median" else str(message), WORDS.number, WORDS.time
    )
    assert "Медиана" in svg.for_page(draw(plot(*plot().series, median()), Size(), russian))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 9))
def test_ticks_are_round_in_order_and_within(low: float, span: float, about: int) -> None:
    high = low + span
    found = scales.ticks(low, high, about)
    assert list(found) == sorted(set(found))
    assert all(low - span * 1e-6 <= value <= high + span * 1e-6 for value in found)
    assert len(found) <= about + 2


def test_times_are_marked_at_full_hours_and_midnights() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
    assert {value % 3600 for value in scales.time_ticks(noon, noon + 5 * 3600 + 60)} == {0}
    assert {value % 86400 for value in scales.time_ticks(noon, noon + 9 * 86400)} == {0}


def test_a_single_moment_stands_in_the_middle_of_its_day() -> None:
    moment = 1_780_000_000.0
    low, high = scales.widened_time(moment, moment)
    assert (moment - low, high - moment) == (43_200, 43_200)
    assert len(scales.time_ticks(low, high)) > 1
    assert scales.widened_time(moment - 30, moment + 30) == (moment - 300, moment + 300)
    assert scales.widened_time(moment, moment + 9 * 86400) == (moment, moment + 9 * 86400)


@given(
    st.lists(st.tuples(st.floats(0, 1e9), st.floats(-10, 10)), min_size=1, max_size=30),
    st.sampled_from(["order", "number", "time"]),
    st.integers(280, 900),
)
def test_everything_stays_on_the_drawing(points: list[tuple[float, float]], scale: str, width: int) -> None:
    xs = tuple(float(n) for n in range(len(points))) if scale == "order" else tuple(x for x, _ in points)
    drawn = Series(say("x"), "own", "points", xs, tuple(y for _, y in points))
    size = Size(width)
    for shape in draw(plot(drawn, scale=scale), size, WORDS).shapes:
        if isinstance(shape, (Dot, Letters)):
            assert -0.5 <= shape.x <= size.width + 0.5
            assert -0.5 <= shape.y <= size.height + 0.5


def test_a_message_says_what_a_plot_shows() -> None:
    assert isinstance(plot().words, Message)


def test_a_span_is_a_line_from_its_low_to_its_high_end() -> None:
    own = Series(say("value"), "own", "points", (0, 1), (0.5, 0.2), ("a", "b"), ((0.4, 0.6), (0.1, 0.3)))
    drawing = draw(plot(own, low=0, high=1), Size(), WORDS)
    dots = [shape for shape in drawing.shapes if isinstance(shape, Dot) and shape.tip]
    lines = [shape for shape in drawing.shapes if isinstance(shape, Stroke) and shape.look == "own"]
    for dot, line in zip(dots, lines, strict=True):
        (x, low), (same, high) = line.points
        assert x == same == dot.x
        assert low - dot.y == pytest.approx(dot.y - high)
    assert dots[0].tip == "a: 0.50 (0.40 … 0.60)"
    found = table(plot(own))
    assert [str(head) for head in found.heads] == ["value", "value, from", "to"]
    assert found.rows[0] == ("a", (0.5, 0.4, 0.6))


def cells(names: tuple[str, ...] = ("a", "b")) -> Plot:
    grid = Series(
        say("r"),
        "own",
        "cells",
        (0, 1, 0, 1),
        (0, 0, 1, 1),
        ("aa", "ab", "ba", "bb"),
        amounts=(1.0, 0.2, 0.2, 1.0),
    )
    axis = Axis(say("runs"), "order", names=names)
    return Plot(say("Title"), say("What is seen"), axis, axis, (grid,))


def test_a_greater_amount_has_a_darker_cell() -> None:
    found = [shape for shape in draw(cells(), Size(), WORDS).shapes if isinstance(shape, Bar) and shape.tip]
    assert [shape.look for shape in found] == ["shade-8", "shade-0", "shade-0", "shade-8"]
    assert [shape.tip for shape in found] == ["aa: 1.00", "ab: 0.20", "ba: 0.20", "bb: 1.00"]
    assert found[0].y < found[2].y, "the first name is the topmost"
    assert table(cells()).rows[1] == ("ab", (1, 0.2))
    assert "#f4f8f7" in svg.for_paper(draw(cells(), Size(), WORDS))


def test_names_stand_along_an_order_where_there_is_room() -> None:
    long = ("a name that is much longer than there is room for", "b")
    written = [
        s.text for s in draw(cells(long), Size(), WORDS).shapes if isinstance(s, Letters) and s.upwards
    ]
    assert written == ["a name that is much l…", "b"]
    narrow = draw(cells(), Size(width=40), WORDS)
    assert not [s for s in narrow.shapes if isinstance(s, Letters) and s.upwards]
    assert 'transform="rotate(-90' in svg.for_page(draw(cells(), Size(), WORDS))


def test_cells_have_amounts_and_nothing_else_has() -> None:
    with pytest.raises(ValueError, match="cells have amounts"):
        Series(say("x"), "own", "cells", (0,), (1,))
    with pytest.raises(ValueError, match="cells have amounts"):
        Series(say("x"), "own", "points", (0,), (1,), amounts=(1.0,))
    with pytest.raises(ValueError, match="a span and an amount"):
        Series(say("x"), "own", "points", (0, 1), (1, 1), spans=((0, 1),))
