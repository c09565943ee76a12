"""From who is better than whom to the levels of preference qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STEP = 10.0
"""A better item lies so much higher."""


class GradesTooHigh(ValueError):
    """A grade is as high as a level, so that it could not be told which of the two it is."""

    def __init__(self, grade: float) -> None:
        self.grade = grade
        super().__init__(f"a grade of {grade:g} is not below the lowest level, {STEP:g}")


def levels_by_wins(wins: Mapping[str, float], k: int) -> dict[str, float]:
    """The best k items by wins, with all that are tied at rank k: 10·k for the best, minus 10 for each item
    with strictly more wins. They stand by level, then by docno."""
    found: dict[str, float] = {}
    for docno in sorted(wins, key=lambda docno: (-wins[docno], docno)):
        better = sum(other > wins[docno] for other in wins.values())
        if better < k:
            found[docno] = STEP * (k - better)
    return found


def levels_by_order(order: Sequence[str], k: int) -> dict[str, float]:
    """The levels of the first k items of a ranking without ties: 10·k, 10·(k − 1), …"""
    return {docno: STEP * (k - place) for place, docno in enumerate(order[:k])}


def combined(grades: Mapping[str, float], levels: Mapping[str, float]) -> dict[str, float]:
    """The grades of a topic with levels in place of the grades of its best items; items of the levels that
    have no grade follow behind. Raises GradesTooHigh."""
    highest = max(grades.values(), default=0.0)
    if levels and highest >= STEP:
        raise GradesTooHigh(highest)
    return {**grades, **levels}


def preferred_items(values: Mapping[str, float]) -> dict[str, float]:
    """The items of combined qrels that have a level."""
    return {docno: value for docno, value in values.items() if value >= STEP}
