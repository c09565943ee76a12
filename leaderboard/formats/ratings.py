"""Ratings of several judges, for their agreement: a line for each rating, or a column for each judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from leaderboard.contract import Fault, FormatError, say
from leaderboard.formats.faults import FaultList
from leaderboard.formats.separated import Row, names_in, read_rows, well_filled
from leaderboard.judging.agreement import Rating

JUDGE_COLUMNS = ("judge", "annotator", "rater", "worker", "assessor", "coder", "user")
VALUE_COLUMNS = ("rating", "value", "score", "grade", "related", "sim")
UNIT_COLUMNS = (
    "unit",
    "item",
    "pair",
    "id",
    "word1",
    "word2",
    "topic",
    "turn_id",
    "docno",
    "docno1",
    "docno2",
    "passage_id",
)
"""Names of columns that are understood, in any letter case."""


def read_ratings(path: Path, *, numbers: bool) -> tuple[Rating, ...]:
    """The ratings in a table with a header, in its order; an empty cell is no rating.

    With a column for the judge (`JUDGE_COLUMNS`) and one for the value (`VALUE_COLUMNS`) each line is a
    rating, of what the `UNIT_COLUMNS` name. Else each line is a unit, named by its `UNIT_COLUMNS` or, where
    there are none, by the first column, and every other column is a judge.

    Values that are not all numbers are categories, coded by their order in the alphabet, unless `numbers`
    are wanted. Where commas do not separate, 2,5 is a number. Raises FormatError with every fault by line,
    and OSError.
    """
    return tuple(rating for _, rating in numbered_ratings(path, numbers=numbers))


def numbered_ratings(path: Path, *, numbers: bool) -> tuple[tuple[int, Rating], ...]:
    """The same, each with its line."""
    rows, separator = read_rows(path)
    header, names = rows[0], names_in(rows[0])
    faults = FaultList()
    filled = list(well_filled(rows[1:], len(names), faults))
    judge, value = (_first(names, known) for known in (JUDGE_COLUMNS, VALUE_COLUMNS))
    if judge is not None and value is not None:
        written = list(_line_each(path, filled, names, judge, value))
    else:
        written = list(_column_each(filled, header.cells, names))
    ratings = tuple(_valued(written, separator != ",", numbers, faults))
    if not ratings and not faults.count:
        faults.add(None, None, say("The table has a header, but no ratings."), "empty")
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return ratings


_Written = tuple[int, tuple[str, ...], str, str]
"""The line, the unit, the judge, and the value as it is written."""


def _first(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _units(names: Sequence[str]) -> list[int]:
    return [number for number, name in enumerate(names) if name in UNIT_COLUMNS]


def _line_each(
    path: Path, rows: Sequence[Row], names: Sequence[str], judge: int, value: int
) -> Iterator[_Written]:
    units = _units(names)
    if not units:
        message = say(
            "The header has a judge and a value, but does not say of what; name that column {names}.",
            names=" / ".join(UNIT_COLUMNS[:4]),
        )
        raise FormatError(path.name, (Fault(1, None, message, "header"),))
    for row in rows:
        yield row.line, tuple(row.cells[number] for number in units), row.cells[judge], row.cells[value]


def _column_each(rows: Sequence[Row], header: Sequence[str], names: Sequence[str]) -> Iterator[_Written]:
    units = _units(names) or [0]
    judges = [number for number in range(len(names)) if number not in units]
    for row in rows:
        unit = tuple(row.cells[number] for number in units)
        yield from ((row.line, unit, header[number], row.cells[number]) for number in judges)


def _valued(
    written: Sequence[_Written], decimal_comma: bool, numbers: bool, faults: FaultList
) -> Iterator[tuple[int, Rating]]:
    given = [rating for rating in written if rating[3]]
    values = {text: _number(text, decimal_comma) for *_, text in given}
    if not numbers and None in values.values():
        values = {text: float(code) for code, text in enumerate(sorted(values))}
    for line, unit, judge, text in given:
        value = values[text]
        if value is None:
            message = say(
                'The rating "{value}" is not a number, which this level of measurement needs.',
                value=text[:40],
            )
            faults.add(line, None, message, "not-a-number")
            continue
        # What has no name is told apart by its line.
        yield line, Rating(unit if any(unit) else (str(line),), judge, value)


def _number(text: str, decimal_comma: bool) -> float | None:
    try:
        value = float(text.replace(",", ".", 1) if decimal_comma else text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
