"""Cells of the CSV files that organisers provide."""

from __future__ import annotations

import math

from leaderboard.contract import say
from leaderboard.formats.faults import FaultList


def number_in(cell: str, line: int, column: int, faults: FaultList) -> float:
    """The finite number in a cell; nan, and a fault, where there is none."""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    faults.add(line, column, say('"{cell}" is not a number.', cell=cell), "not-a-number")
    return math.nan
