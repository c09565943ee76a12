"""The tolerant reader of word pairs: line by line, with every fault by line and column."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from leaderboard.contract import Message, say
from leaderboard.formats.faults import FaultList
from leaderboard.formats.pair_header import SEPARATORS, Header

MAX_WORD = 500
"""A longer word is a fault: it is a line that lost its separators."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_LINE = 1 << 20
"""What a line holds beyond is not looked at: no row has so much, and a field for each comma costs memory."""

_SHOWN = {",": "“,”", ";": "“;”", "\t": "TAB"}
_NOT_FINITE = re.compile(r"[+-]?(?:nan(?:\(.*\))?|inf|infinity|∞|na|n/a|null|none)", re.IGNORECASE)


@dataclass
class Columns:
    """The rows read so far; `sim` is nan where the field is empty."""

    word1: list[str] = field(default_factory=list)
    word2: list[str] = field(default_factory=list)
    sim: list[float] = field(default_factory=list)
    line: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Row:
    fields: list[str]
    line: int
    raw: str


class _Lines:
    """Hands out the physical lines of a text, remembering the number and text of the last one."""

    def __init__(self, text: str, first: int) -> None:
        self._stream = io.StringIO(text, newline="")
        self.number = first - 1
        self.started: str | None = None

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._stream.readline()
        if not line:
            raise StopIteration
        self.number += 1
        if self.started is None:
            self.started = line
        return line[:_LONGEST_LINE]


def read_lines(text: str, header: Header, faults: FaultList) -> Columns:
    """The rows below the header that have no fault; the faults of the others are added to `faults`."""
    columns = Columns()
    for row in _rows(text, header, faults):
        _read_row(row, header, columns, faults)
    return columns


def _rows(text: str, header: Header, faults: FaultList) -> Iterator[_Row]:
    """The rows that are not empty, each with its first line. Quotes that do not close are faults."""
    lines = _Lines(text[header.end :], header.line + 1)
    reader = csv.reader(lines, delimiter=header.separator, strict=True)
    while True:
        number = lines.number + 1
        lines.started = None
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(number, None, *_unsplit(error))
            continue
        # Excel leaves lines of separators alone below a table.
        if any(part.strip() for part in fields):
            yield _Row(fields, number, lines.started or "")


def _unsplit(error: csv.Error) -> tuple[Message, str]:
    """Sentence and kind of the fault of a line that has no fields."""
    if "field limit" in str(error):
        limit = csv.field_size_limit()
        return say("A field has more than {limit} characters. Are the separators right?", limit=limit), "word"
    message = say(
        "The quotes on this line do not match: a field that begins with a quotation mark has to "
        "end with one, and a mark inside it is written twice."
    )
    return message, "quotes"


def _read_row(row: _Row, header: Header, columns: Columns, faults: FaultList) -> None:
    width = len(row.fields)
    while width > header.width and not row.fields[width - 1].strip():
        width -= 1
    fields = row.fields[:width]
    if len(fields) != header.width:
        faults.add(row.line, None, _wrong_number_of_fields(fields, header), "fields")
        return
    before = faults.count
    word1 = _read_word(row, header.word1, "word1", header, faults)
    word2 = _read_word(row, header.word2, "word2", header, faults)
    sim = _read_sim(row, header, faults)
    if faults.count == before:
        columns.word1.append(word1)
        columns.word2.append(word2)
        columns.sim.append(sim)
        columns.line.append(row.line)


def _read_word(row: _Row, place: int, name: str, header: Header, faults: FaultList) -> str:
    word = row.fields[place]
    message = None
    if not word.strip():
        message = say("{name} is empty. Every row needs both words.", name=name)
    elif "\0" in word:
        message = say("{name} holds a NUL character. Please write the file again as text.", name=name)
    elif "\n" in word or "\r" in word:
        message = say("{name} holds a line break, perhaps because a quotation mark is not closed.", name=name)
    elif len(word.strip()) > MAX_WORD:
        message = say(
            "{name} has {length} characters. Are the separators right?", name=name, length=len(word)
        )
    if message is not None:
        faults.add(row.line, column_of(row.raw, place, header.separator), message, "word")
    return word


def _read_sim(row: _Row, header: Header, faults: FaultList) -> float:
    text = row.fields[header.sim].strip(" \t")
    if not text:
        return math.nan
    value = math.nan
    if _NUMBER.fullmatch(text):
        value = float(text.replace(",", "."))
        if math.isfinite(value):
            return value
    shown = text if len(text) <= 40 else text[:40] + "…"
    if math.isinf(value):
        kind, message = "not-finite", say("{value} is too large a number to compute with.", value=shown)
    elif _NOT_FINITE.fullmatch(text):
        kind, message = (
            "not-finite",
            say("“{value}” is not a finite number. Leave sim empty where there is no value.", value=shown),
        )
    else:
        kind, message = (
            "not-a-number",
            say("“{value}” is not a number. Write it with plain digits, like 0.75 or 1e-3.", value=shown),
        )
    faults.add(row.line, column_of(row.raw, header.sim, header.separator), message, kind)
    return math.nan


def _wrong_number_of_fields(fields: list[str], header: Header) -> Message:
    found, expected = len(fields), header.width
    other = _other_separator(fields, header)
    if other is not None:
        return say(
            "The header separates its columns with {header}, this row with {row}. Please use one of them "
            "throughout.",
            header=_SHOWN[header.separator],
            row=_SHOWN[other],
        )
    if header.separator == "," and found == expected + 1:
        before, after = fields[header.sim : header.sim + 2]
        if re.fullmatch(r"\s*[+-]?[0-9]+", before) and re.fullmatch(r"[0-9]+\s*", after):
            return say(
                "The row has {found} fields where the header has {expected}. If {before},{after} is one "
                "number, write it with a point or in quotation marks.",
                found=found,
                expected=expected,
                before=before[:20].strip(),
                after=after[:20].strip(),
            )
    return say(
        "Fields in this row: {found}, in the header: {expected}. A row without a value still ends with its "
        "separator, and a word that holds the separator stands in quotation marks.",
        found=found,
        expected=expected,
    )


def _other_separator(fields: list[str], header: Header) -> str | None:
    """The separator that would make the row as wide as the header, None where none would."""
    row = header.separator.join(fields)
    for separator in SEPARATORS:
        if separator != header.separator and row.count(separator) == header.width - 1:
            return separator
    return None


def column_of(raw: str, place: int, separator: str) -> int | None:
    """The column, from 1, at which the field at `place` begins in a line as sent; None on a later line."""
    quoted = False
    for column, character in enumerate(raw, start=1):
        if place == 0:
            return column
        if character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            place -= 1
    return len(raw.rstrip("\r\n")) + 1 if place == 0 else None
