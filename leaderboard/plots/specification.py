"""What a plot shows, and nothing of how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leaderboard.contract import Message

Mark = Literal["bars", "line", "steps", "points"]
"""How a series is drawn: bars from zero; a line through all points; steps that hold each value until the
next; points alone."""

Role = Literal["own", "other", "median", "best"]
"""What a series stands for; a role has the same look in every plot."""

Scale = Literal["order", "number", "time"]
"""What positions mean: places in an order, from 0 on; numbers; seconds since 1970, in UTC."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along an axis. Without `low` and `high` the data decide; `digits` are those of its numbers."""

    label: Message
    scale: Scale = "number"
    low: float | None = None
    high: float | None = None
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Series:
    """Values `y` at positions `x`, equally many. `names` say what each is, in a tip and in the table."""

    label: Message
    role: Role
    mark: Mark
    x: tuple[float, ...]
    y: tuple[float, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or (self.names and len(self.names) != len(self.x)):
            raise ValueError("a series has as many positions as values, and as many names or none")


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

    Positions have the names of the first series that names them.
    """
    positions = list(dict.fromkeys(x for series in plot.series for x in series.x))
    if plot.x.scale != "order":
        positions.sort()
    names: dict[float, str] = {}
    for series in plot.series:
        for x, name in zip(series.x, series.names, strict=False):
            names.setdefault(x, name)
    values = [dict(zip(series.x, series.y, strict=True)) for series in plot.series]
    rows = tuple((names.get(x, ""), tuple(of_series.get(x) for of_series in values)) for x in positions)
    return Data(tuple(series.label for series in plot.series), tuple(positions), rows)


def ordered(names: Sequence[str], values: Sequence[float]) -> tuple[int, ...]:
    """The indices of the values from the highest to the lowest, of equal ones by name."""
    return tuple(sorted(range(len(values)), key=lambda i: (-values[i], names[i])))
