"""Cells of the CSV files that organisers provide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice

from leaderboard.contract import say
from leaderboard.formats.faults import FaultList

_SHOWN = 40
_LISTED = 12


def shown(cell: str) -> str:
    """A cell as it is quoted in a sentence, cut off where it is long."""
    return cell if len(cell) <= _SHOWN else cell[: _SHOWN - 1] + "…"


def listed(cells: Iterable[str]) -> str:
    """Cells as they are listed in a sentence, the first dozen of them."""
    first = [shown(cell) for cell in islice(cells, _LISTED + 1)]
    return ", ".join([*first[:_LISTED], *("…" for _ in first[_LISTED:])])


def is_text(text: str) -> bool:
    """Whether a string is text that can be kept: JSON can write halves of characters (``"\\ud800"``)."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def number_in(cell: str, line: int, column: int, faults: FaultList) -> float:
    """The finite number in a cell; nan, and a fault, where there is none."""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    faults.add(line, column, say('"{cell}" is not a number.', cell=shown(cell)), "not-a-number")
    return math.nan
