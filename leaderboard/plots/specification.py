"""What a plot shows, and nothing of how it looks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from leaderboard.contract import Message, say

Mark = Literal["bars", "line", "steps", "points", "cells"]
"""How a series is drawn: bars from zero; a line through all points; steps that hold each value until the
next; points alone, with a line along the span of each where they have one; cells of a grid, the darker the
greater."""

Role = Literal["own", "other", "median", "best"]
"""What a series stands for; a role has the same look in every plot."""

SHADES = 9
"""Cells are drawn in so many shades, from 0 on."""

Scale = Literal["order", "number", "time"]
"""What positions mean: places in an order, from 0 on; numbers; seconds since 1970, in UTC."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along an axis. Without `low` and `high` the data decide; `digits` are those of its numbers.
    `names` stand at the places 0, 1, … of an order, where there is room. An order goes downwards from the
    top, or `rising` from the bottom."""

    label: Message
    scale: Scale = "number"
    low: float | None = None
    high: float | None = None
    digits: int = 2
    names: tuple[str, ...] = ()
    rising: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Values `y` at positions `x`, equally many. `names` say what each is, in a tip and in the table.

    `spans` are the low and high ends of each point's interval. `amounts` are what cells are shaded by; the
    least of all gets the lightest shade, the greatest the darkest.
    """

    label: Message
    role: Role
    mark: Mark
    x: tuple[float, ...]
    y: tuple[float, ...]
    names: tuple[str, ...] = ()
    spans: tuple[tuple[float, float], ...] = ()
    amounts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or (self.names and len(self.names) != len(self.x)):
            raise ValueError("a series has as many positions as values, and as many names or none")
        if any(of_each and len(of_each) != len(self.x) for of_each in (self.spans, self.amounts)):
            raise ValueError("a series has a span and an amount for each position, or none")
        if (self.mark == "cells") != bool(self.amounts) and self.x:
            raise ValueError("cells have amounts, and nothing else has")

    def shades(self) -> tuple[int, ...]:
        """The shade of each cell."""
        least, greatest = min(self.amounts), max(self.amounts)
        step = (greatest - least) / SHADES or 1.0
        return tuple(min(SHADES - 1, int((amount - least) / step)) for amount in self.amounts)


@dataclass(frozen=True, slots=True)
class Plot:
    """Several series on the same axes; drawn in order, the last on top.

    `title` says what is shown, `words` what there is to see, for those who do not see it.
    """

    title: Message
    words: Message
    x: Axis
    y: Axis
    series: tuple[Series, ...]

    def __post_init__(self) -> None:
        if not any(series.x for series in self.series):
            raise ValueError("a plot shows something")


@dataclass(frozen=True, slots=True)
class Data:
    """The numbers of a plot as a table: a head for each series, and for each of the `positions` a row, its
    name with its values."""

    heads: tuple[Message, ...]
    positions: tuple[float, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


def table(plot: Plot) -> Data:
    """All numbers of a plot, a row for each position; None where a series has nothing there.

    Positions have the names of the first series that names them. A series with spans has columns for their
    ends; cells have their own rows, of two positions and an amount.
    """
    if any(series.mark == "cells" for series in plot.series):
        return _table_of_cells(plot)
    positions = list(dict.fromkeys(x for series in plot.series for x in series.x))
    if plot.x.scale != "order":
        positions.sort()
    names: dict[float, str] = {}
    for series in plot.series:
        for x, name in zip(series.x, series.names, strict=False):
            names.setdefault(x, name)
    columns = [column for series in plot.series for column in _columns(series)]
    rows = tuple((names.get(x, ""), tuple(values.get(x) for _, values in columns)) for x in positions)
    return Data(tuple(head for head, _ in columns), tuple(positions), rows)


def _columns(series: Series) -> Iterator[tuple[Message, dict[float, float]]]:
    yield series.label, dict(zip(series.x, series.y, strict=True))
    if series.spans:
        for end, head in enumerate((say("{series}, from", series=series.label), say("to"))):
            yield head, {x: span[end] for x, span in zip(series.x, series.spans, strict=True)}


def _table_of_cells(plot: Plot) -> Data:
    # Places of an order are counted from 1, as along the horizontal axis.
    first = 1.0 if plot.y.scale == "order" else 0.0
    rows = tuple(
        (x, name, (y + first, amount))
        for series in plot.series
        for x, name, y, amount in zip(series.x, series.names, series.y, series.amounts, strict=True)
    )
    heads = (plot.y.label, plot.series[0].label)
    return Data(heads, tuple(x for x, _, _ in rows), tuple((name, values) for _, name, values in rows))


def ordered(names: Sequence[str], values: Sequence[float]) -> tuple[int, ...]:
    """The indices of the values from the highest to the lowest, of equal ones by name."""
    return tuple(sorted(range(len(values)), key=lambda i: (-values[i], names[i])))


def rounded(number: float, digits: int) -> Decimal | str:
    """A number within words, to be written as the reader's language does; a dash where it is undefined."""
    return "–" if math.isnan(number) else Decimal(f"{number:.{digits}f}")
