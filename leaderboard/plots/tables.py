"""The numbers of a plot as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime

from leaderboard.contract import Message
from leaderboard.plots.specification import Plot, table


def as_csv(plot: Plot, told: Callable[[Message], str]) -> str:
    """A line for each position: its name, its place on the horizontal axis, and the value of each series at
    full precision. Times are written as ISO 8601.

    Names begin with an apostrophe where a spreadsheet would take them for a formula.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    found = table(plot)
    writer.writerow(["name", told(plot.x.label), *(_safe(told(head)) for head in found.heads)])
    for position, (name, values) in zip(found.positions, found.rows, strict=True):
        written = ["" if value is None else repr(value) for value in values]
        writer.writerow([_safe(name), _position(plot, position), *written])
    return out.getvalue()


def _position(plot: Plot, position: float) -> str:
    if plot.x.scale == "time":
        return datetime.fromtimestamp(position, UTC).isoformat()
    return str(int(position) + 1) if plot.x.scale == "order" else repr(position)


def _safe(cell: str) -> str:
    return "'" + cell if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
