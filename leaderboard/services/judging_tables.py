"""Tables of a campaign as CSV files, safe for spreadsheets: its topics, its judges, its quality."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from math import isnan

from leaderboard.services.export_cells import guarded
from leaderboard.services.judging_judges import JudgeView
from leaderboard.services.judging_previews import TopicProgress
from leaderboard.services.judging_quality import Quality

Cell = str | int | float | datetime | None


def topics(found: Iterable[TopicProgress]) -> str:
    """How far each topic is."""
    return _table(
        ("topic", "candidates", "judgments", "open", "at_most", "done_at"),
        (
            (
                each.name,
                each.items,
                each.spent,
                each.open,
                each.bound,
                each.done_at,
            )
            for each in found
        ),
    )


def judges(found: Iterable[JudgeView]) -> str:
    """How each judge works."""
    return _table(
        (
            *("judge", "name", "joined_at", "judgments", "median_seconds", "agreeing", "compared"),
            *("tests_right", "tests", "set_aside_at", "same_device"),
        ),
        (
            (
                *(
                    each.number,
                    each.name,
                    each.joined_at,
                    each.record.judgments,
                    each.record.pace,
                ),
                *(each.record.agreeing, each.record.compared, each.record.right, each.record.tested),
                each.set_aside_at,
                " ".join(map(str, each.same_device)),
            )
            for each in found
        ),
    )


def quality(found: Quality) -> str:
    """How far judges agree, a line for each number."""
    return _table(
        ("what", "value"),
        (
            (f"alpha {found.level}", found.alpha),
            ("agreeing pairs of judgments", found.equal.agreeing),
            ("pairs of judgments", found.equal.total),
            ("transitive triples", found.transitive),
            ("cycles", sum(map(len, found.cycles.values()))),
        ),
    )


def cycles(found: Quality) -> str:
    """The cycles of preferences: each item is preferred to the next, and the last to the first."""
    return _table(
        ("topic", "first", "second", "third"),
        ((topic, *cycle) for topic, of_topic in found.cycles.items() for cycle in of_topic),
    )


def _table(heads: tuple[str, ...], rows: Iterable[tuple[Cell, ...]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(heads)
    writer.writerows([guarded(_written(cell)) for cell in row] for row in rows)
    return out.getvalue()


def _written(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return ""
    if isinstance(cell, datetime):
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell)
