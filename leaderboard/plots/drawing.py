"""A plot as shapes at places: the same for a page and for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from leaderboard.plots.scales import DAY, Linear, decimals, ticks, time_ticks, widened, widened_time
from leaderboard.plots.shapes import LETTER, Anchor, Bar, Dot, Drawing, Letters, Shape, Size, Stroke, Words
from leaderboard.plots.specification import SHADES, Axis, Plot, Series

LONGEST_NAME = 22
"""Of the names along an axis no more letters are drawn."""


def draw(plot: Plot, size: Size, words: Words) -> Drawing:
    """The shapes of a plot."""
    frame = _Frame(plot, size, words)
    marks = [shape for series in plot.series for shape in frame.marks(series)]
    shapes = (*frame.legend(), *frame.up(), *frame.along(), *marks)
    return Drawing(size, words.told(plot.title), words.told(plot.words), shapes)


class _Frame:
    """Where the data area lies, and the scales that lead there."""

    def __init__(self, plot: Plot, size: Size, words: Words) -> None:
        self.plot, self.size, self.words = plot, size, words
        line = size.letters * 1.5
        xs = [x for series in plot.series for x in series.x]
        ys = [y for series in plot.series for y in series.y]
        ys += [end for series in plot.series for span in series.spans for end in span]
        if any(series.mark == "bars" for series in plot.series):
            ys.append(0.0)
        self.bottom_value, self.top_value = _span(plot.y, ys)
        self.marked = ticks(self.bottom_value, self.top_value, 4) if plot.y.scale != "order" else ()
        self.digits = decimals(self.marked)
        self.low, self.high = _span(plot.x, xs)
        self.right = size.width - 4
        self.top = self._legend_rows() * line + line * 1.15
        self.left = LETTER * size.letters * self._widest() + 10
        self.named = self._names_fit()
        below = LETTER * size.letters * _longest(plot.x.names) + 8 if self.named else 0.0
        self.bottom = size.height - line * (1.1 if plot.x.scale == "order" else 2.1) - below
        self.x = Linear(self.low, self.high, self.left, self.right)
        falls = plot.y.scale == "order" and not plot.y.rising
        ends = (self.top, self.bottom) if falls else (self.bottom, self.top)
        self.y = Linear(self.bottom_value, self.top_value, *ends)

    def _widest(self) -> int:
        """How many letters stand beside the vertical axis."""
        if self.plot.y.scale == "order":
            return _longest(self.plot.y.names)
        return max((len(self.words.number(value, self.digits)) for value in self.marked), default=1)

    def _names_fit(self) -> bool:
        """Whether there is a line's height for each name along the horizontal axis."""
        each = (self.right - self.left) / (self.high - self.low)
        return bool(self.plot.x.names) and each >= self.size.letters * 0.95

    def legend(self) -> Iterator[Shape]:
        """A line of samples, each with its words; what the vertical axis shows stands below it."""
        height = self.size.letters
        y = height
        for x, row, series in self._legend_places():
            base = y + row * height * 1.5
            middle = base - height * 0.33
            if series.mark == "bars":
                yield Bar(series.role, x, middle - 5, 16, 10)
            elif series.mark == "cells":
                width = 18 / SHADES
                for shade in range(SHADES):
                    yield Bar(f"shade-{shade}", x + shade * width, middle - 5, width, 10)
            elif series.mark == "points":
                yield Dot(series.role, x + 8, middle)
            else:
                yield Stroke(series.role, ((x, middle), (x + 16, middle)))
            yield Letters("words", x + 22, base, self.words.told(series.label))
        above = self.top - height * 0.75
        yield Letters("quiet", 0, above, self.words.told(self.plot.y.label))

    def up(self) -> Iterator[Shape]:
        """Lines across at round numbers."""
        for value in self.marked:
            y = self.y(value)
            yield Stroke("zero" if value == 0 else "grid", ((self.left, y), (self.right, y)))
            label = self.words.number(value, self.digits)
            yield Letters("quiet", self.left - 8, y + self.size.letters * 0.33, label, "end")
        for place, name in enumerate(self.plot.y.names):
            base = self.y(place) + self.size.letters * 0.33
            yield Letters("quiet", self.left - 8, base, _shortened(name), "end")

    def along(self) -> Iterator[Shape]:
        """What stands below: the label, and the times or numbers of an axis that has some."""
        base = self.bottom + self.size.letters * 1.35
        axis = self.plot.x
        places = self._times() if axis.scale == "time" else self._numbers() if axis.scale == "number" else ()
        for x, text in places:
            yield Stroke("grid", ((x, self.bottom), (x, self.bottom + 4)))
            yield Letters(
                "quiet", x, base, text, _anchor(x, self.left, self.right, len(text) * self.size.letters)
            )
        for place, name in enumerate(axis.names if self.named else ()):
            x = self.x(place) + self.size.letters * 0.33
            yield Letters("quiet", x, self.bottom + 6, _shortened(name), "end", upwards=True)
        below = self.size.height - self.size.letters * 0.4
        label = self.words.told(axis.label)
        yield Letters("quiet", self.right, below if places or self.named else base, label, "end")

    def marks(self, series: Series) -> Iterator[Shape]:
        """A series, as it is to be drawn."""
        points = [(self.x(x), self.y(y)) for x, y in zip(series.x, series.y, strict=True)]
        if not points:
            return
        for (x, _), (low, high) in zip(points, series.spans, strict=False):
            yield Stroke(series.role, ((x, self.y(low)), (x, self.y(high))))
        if series.mark == "bars":
            yield from self._bars(series)
        elif series.mark == "cells":
            yield from self._cells(series)
        elif series.mark == "line":
            yield Stroke(series.role, tuple(points))
        elif series.mark == "steps":
            yield Stroke(series.role, tuple(self._steps(points)))
        if series.mark in ("steps", "points"):
            radius = max(1.75, min(4.0, (self.right - self.left) / len(points) / 2))
            for (x, y), tip in zip(points, self._tips(series), strict=True):
                yield Dot(series.role, x, y, tip, radius)

    def _bars(self, series: Series) -> Iterator[Shape]:
        step = abs(self.x(1) - self.x(0))
        width = step - min(2.0, step / 4)
        zero = self.y(min(max(0.0, self.bottom_value), self.top_value))
        for x, value, tip in zip(series.x, series.y, self._tips(series), strict=True):
            y = self.y(value)
            yield Bar(series.role, self.x(x) - width / 2, min(y, zero), width, abs(zero - y), tip)

    def _cells(self, series: Series) -> Iterator[Shape]:
        width, height = abs(self.x(1) - self.x(0)), abs(self.y(1) - self.y(0))
        # A hair wider than their place, so that nothing shines through between them.
        for x, y, shade, tip in zip(series.x, series.y, series.shades(), self._tips(series), strict=True):
            left, top = self.x(x) - width / 2, self.y(y) - height / 2
            yield Bar(f"shade-{shade}", left, top, width + 0.3, height + 0.3, tip)

    def _steps(self, points: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
        yield points[0]
        for (_, before), (x, y) in pairwise(points):
            yield (x, before)
            yield (x, y)
        # The last value holds to the end of the axis, or to the end of its own place in an order.
        half = abs(self.x(1) - self.x(0)) / 2 if self.plot.x.scale == "order" else self.right - points[-1][0]
        yield (points[-1][0] + half, points[-1][1])

    def _tips(self, series: Series) -> Iterator[str]:
        names = series.names or ("",) * len(series.y)
        spans = series.spans or (None,) * len(series.y)
        for name, value, span in zip(names, series.amounts or series.y, spans, strict=True):
            number = self.words.number(value, self.plot.y.digits)
            if span is not None:
                low, high = (self.words.number(end, self.plot.y.digits) for end in span)
                number = f"{number} ({low} … {high})"
            yield f"{name}: {number}" if name else number

    def _numbers(self) -> tuple[tuple[float, str], ...]:
        marked = ticks(self.low, self.high, self._room(6))
        return tuple((self.x(value), self.words.number(value, decimals(marked))) for value in marked)

    def _times(self) -> tuple[tuple[float, str], ...]:
        marked = time_ticks(self.low, self.high, self._room(11))
        within_days = len(marked) < 2 or marked[1] - marked[0] < DAY
        return tuple((self.x(value), self.words.time(value, within_days)) for value in marked)

    def _room(self, letters: int) -> int:
        """How many labels of so many letters have room along the axis."""
        return max(1, int((self.right - self.left) / (letters * self.size.letters * LETTER * 1.6)))

    def _legend_places(self) -> Iterator[tuple[float, int, Series]]:
        x, row = 0.0, 0
        for series in self.plot.series:
            width = 22 + LETTER * self.size.letters * len(self.words.told(series.label))
            if x and x + width > self.size.width:
                x, row = 0.0, row + 1
            yield x, row, series
            x += width + 18

    def _legend_rows(self) -> int:
        return 1 + max((row for _, row, _ in self._legend_places()), default=0)


def _span(axis: Axis, values: list[float]) -> tuple[float, float]:
    low = min(values) if axis.low is None else min(axis.low, *values)
    high = max(values) if axis.high is None else max(axis.high, *values)
    if axis.scale == "order":
        # Half a place is left at both ends, where bars reach out.
        return low - 0.5, high + 0.5
    return widened_time(low, high) if axis.scale == "time" else widened(low, high)


def _longest(names: tuple[str, ...]) -> int:
    return max((len(_shortened(name)) for name in names), default=0)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _anchor(x: float, left: float, right: float, width: float) -> Anchor:
    """Words near an end stay within the drawing."""
    half = width * LETTER / 2
    if x + half > right:
        return "end"
    return "start" if x - half < left - 30 else "middle"
