"""A manifest: a CSV file with a line for each run that is to be submitted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.contract import Message, say
from leaderboard.formats.cells import shown
from leaderboard.formats.faults import FaultList

NEEDED = ("file", "team")
COLUMNS = (*NEEDED, "name", "description", "submitted_at", "baseline", "contrastive")

_SEPARATORS = ",;\t"
_YES = {"yes", "true", "1"}
_NO = {"no", "false", "0", ""}


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """A run that is to be submitted; `line` is where the manifest says so. `file` is as written there.

    An empty `name` or `description` and a `submitted_at` of None were not given.
    """

    line: int
    file: str
    team: str
    name: str = ""
    description: str = ""
    submitted_at: datetime | None = None
    baseline: bool = False
    contrastive: bool = False


def read_manifest(content: bytes) -> tuple[tuple[ManifestLine, ...], FaultList]:
    """Reads a manifest: its good lines, and the faults of all others.

    The first line names the columns, `file` and `team` among them, in any order; commas, semicolons or tabs
    separate them. Empty lines are passed over.
    """
    faults = FaultList()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = say("The file is not UTF-8 text (byte {offset}); save it as UTF-8.", offset=error.start)
        faults.add(None, None, message, "not-utf-8")
        return (), faults
    numbered = list(_numbered_rows(text, faults))
    if not numbered or not _header_is_good(numbered[0][1], faults):
        if not faults.count:
            faults.add(1, None, _needs_header(), "no-header")
        return (), faults
    names = [name.strip() for name in numbered[0][1]]
    lines = []
    for number, row in numbered[1:]:
        before = faults.count
        line = _read_line(number, names, row, faults)
        if faults.count == before and line is not None:
            lines.append(line)
    if not lines and not faults.count:
        faults.add(None, None, say("The manifest names no run; give each a line below the first."), "no-runs")
    return tuple(lines), faults


def read_time(text: str) -> datetime | None:
    """A time as ISO 8601 writes it, in UTC, which is meant where it names no offset; None for other text."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _numbered_rows(text: str, faults: FaultList) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with the line each begins in: a quoted cell may span several."""
    header = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        faults.add(begins, None, say("The line is not CSV: {reason}.", reason=str(error)), "not-csv")


def _header_is_good(header: Sequence[str], faults: FaultList) -> bool:
    names = [name.strip() for name in header]
    if not set(NEEDED) <= set(names):
        faults.add(1, None, _needs_header(), "no-header")
        return False
    for column, name in enumerate(names, 1):
        if name not in COLUMNS:
            message = say(
                'There is no column "{name}"; there are {names}.', name=shown(name), names=", ".join(COLUMNS)
            )
            faults.add(1, column, message, "unknown-column")
        elif name in names[: column - 1]:
            faults.add(1, column, say('The column "{name}" stands twice.', name=shown(name)), "column-twice")
    return faults.count == 0


def _needs_header() -> Message:
    return say(
        "The first line must name the columns: file and team, and those of {names} that are wanted.",
        names=", ".join(COLUMNS[len(NEEDED) :]),
    )


def _read_line(
    number: int, names: Sequence[str], row: Sequence[str], faults: FaultList
) -> ManifestLine | None:
    if len(row) != len(names):
        message = say(
            "The line has {found} fields, the first line {expected}.", found=len(row), expected=len(names)
        )
        faults.add(number, None, message, "field-count")
        return None
    cells = {name: cell.strip() for name, cell in zip(names, row, strict=True)}
    for name in NEEDED:
        if not cells[name]:
            message = say("The {column} is missing.", column=name)
            faults.add(number, names.index(name) + 1, message, "empty-cell")
    baseline = _flag("baseline", cells, names, number, faults)
    contrastive = _flag("contrastive", cells, names, number, faults)
    if baseline and contrastive:
        message = say("A run is either a baseline or contrastive, not both.")
        faults.add(number, names.index("contrastive") + 1, message, "two-kinds")
    return ManifestLine(
        line=number,
        file=cells["file"],
        team=cells["team"],
        name=cells.get("name", ""),
        description=cells.get("description", ""),
        submitted_at=_time(cells, names, number, faults),
        baseline=baseline,
        contrastive=contrastive,
    )


def _flag(
    column: str, cells: Mapping[str, str], names: Sequence[str], number: int, faults: FaultList
) -> bool:
    cell = cells.get(column, "").lower()
    if cell not in _YES | _NO:
        message = say('"{cell}" is neither yes nor no.', cell=shown(cell))
        faults.add(number, names.index(column) + 1, message, "not-yes-or-no")
    return cell in _YES


def _time(cells: Mapping[str, str], names: Sequence[str], number: int, faults: FaultList) -> datetime | None:
    cell = cells.get("submitted_at", "")
    if not cell:
        return None
    moment = read_time(cell)
    if moment is None:
        message = say('"{cell}" is not a time; write it like 2026-03-02T09:00:00Z.', cell=shown(cell))
        faults.add(number, names.index("submitted_at") + 1, message, "not-a-time")
    return moment
