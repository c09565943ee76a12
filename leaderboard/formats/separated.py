"""Tables as people save them: commas, semicolons or TABs, quoted or not, byte order mark or none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.contract import Fault, FormatError, say
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.text import decode

SEPARATORS = ",;\t"
_COMMENT = "#"


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a line, trimmed, and the line (from 1) it ends on."""

    line: int
    cells: tuple[str, ...]


def read_rows(path: Path) -> tuple[tuple[Row, ...], str]:
    """The rows of a table that are neither blank nor comments (``# …``), the first of them perhaps a header,
    and the separator: that of which the first row has most.

    Raises FormatError for what is no text or no table, and for a file without rows; OSError.
    """
    try:
        text = decode(path.read_bytes()).text
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from None
    first = next((line for line in text.splitlines() if _counts(line)), "")
    separator = max(SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = tuple(_rows(reader))
    except csv.Error as error:
        message = say(
            'This cannot be read as a table: {reason}. Please look for a quotation mark (") without its '
            "second.",
            reason=str(error),
        )
        raise FormatError(path.name, (Fault(reader.line_num, None, message, "not-csv"),)) from None
    if not rows:
        message = say("The file is empty. Please choose a table with a line for each answer.")
        raise FormatError(path.name, (Fault(None, None, message, "empty"),))
    return rows, separator


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(_COMMENT)


def _rows(reader: csv._reader) -> Iterator[Row]:  # type: ignore[name-defined]  # the only name it has
    for cells in reader:
        if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith(_COMMENT):
            yield Row(reader.line_num, tuple(cell.strip() for cell in cells))


def names_in(row: Row) -> tuple[str, ...]:
    """The cells of a header, in lower case."""
    return tuple(cell.casefold() for cell in row.cells)


def well_filled(rows: Sequence[Row], width: int, faults: FaultList) -> Iterator[Row]:
    """The rows that have as many cells as the header; a fault for each other one. A blank cell can be an
    answer, so that no cell is made up for a short row."""
    for row in rows:
        if len(row.cells) == width:
            yield row
            continue
        message = say(
            "The line has {found} fields where {wanted} are expected. Please put a field that holds the "
            "separator into quotation marks, and leave none out.",
            found=len(row.cells),
            wanted=width,
        )
        faults.add(row.line, None, message, "field-count")
