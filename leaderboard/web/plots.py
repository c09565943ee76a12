"""Where the bars of a plot stand; the templates draw them, and always put the numbers beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 1000.0, 180.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in units of the drawing, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from the highest value to the lowest on a scale from 0 to `top`, with a line at the median.

    `zeros` counts the values that are 0, whose bars cannot be seen.
    """

    bars: tuple[Bar, ...]
    top: float
    median: float
    median_y: float
    zeros: int


def ordered_bars(names: Sequence[str], values: Sequence[float]) -> Bars | None:
    """A bar for each value; None without values, and where one is negative or not finite, since such a
    measure has no such scale. Equal values stand in the order of their names."""
    if not values or not all(0 <= value < float("inf") for value in values):
        return None
    top = max(1.0, *values)
    step = WIDTH / len(values)
    gap = min(2.0, step / 4)
    in_order = sorted(zip(values, names, strict=True), key=lambda pair: (-pair[0], pair[1]))
    bars = tuple(
        Bar(
            x=round(number * step + gap / 2, 2),
            y=round(HEIGHT * (1 - value / top), 2),
            width=round(step - gap, 2),
            height=round(HEIGHT * value / top, 2),
            name=name,
            value=value,
        )
        for number, (value, name) in enumerate(in_order)
    )
    median = _median([value for value, _ in in_order])
    zeros = sum(value == 0 for value in values)
    return Bars(bars, top, median, round(HEIGHT * (1 - median / top), 2), zeros)


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
