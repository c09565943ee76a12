"""Published results of others: a CSV file with a line for each run and a column for each measure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.contract import Fault, FormatError, say
from leaderboard.formats.cells import listed, number_in
from leaderboard.formats.faults import FaultList
from leaderboard.measures.names import parse

RUN, PARTICIPANT, DESCRIPTION = "run", "participant", "description"

_WHOLE = {"map": "AP", "recip_rank": "RR", "ndcg": "nDCG", "bpref": "Bpref", "Rprec": "Rprec"}
_AT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
_CUT = re.compile(r"([A-Za-z_]+)_([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One line: `values` maps measures, written as in a task.toml, to numbers; an empty cell has no entry."""

    run: str
    participant: str
    description: str
    values: Mapping[str, float]


def measure_of(column: str) -> str | None:
    """The measure that trec_eval calls by this name (``ndcg_cut_3`` → ``nDCG@3``), None for other names."""
    if column in _WHOLE:
        return _WHOLE[column]
    cut = _CUT.fullmatch(column)
    if cut is None or cut[1] not in _AT:
        return None
    return f"{_AT[cut[1]]}@{int(cut[2])}"


def read_published(path: Path, columns: Mapping[str, str] | None = None) -> tuple[PublishedRun, ...]:
    """Reads published results.

    `columns` maps the file's column names to ``run``, ``participant``, ``description`` or a measure, and
    whatever it does not name is left out; None takes the columns of those names and those that trec_eval
    has a name for. Raises FormatError with every fault by line, and ValueError for a measure that is none.
    """
    faults = FaultList()
    try:
        rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True))
    except UnicodeDecodeError as error:
        message = say("The file is not UTF-8 text (byte {offset}); save it as UTF-8.", offset=error.start)
        raise FormatError(path.name, (Fault(None, None, message, "not-utf-8"),)) from error
    except csv.Error as error:
        message = say("The file is not CSV: {reason}.", reason=str(error))
        raise FormatError(path.name, (Fault(None, None, message, "not-csv"),)) from error
    meanings = _meanings(rows[0] if rows else [], columns)
    if RUN not in meanings:
        message = say(
            "The first line names no column `run`; it has: {columns}.",
            columns=listed(rows[0] if rows else ()),
        )
        raise FormatError(path.name, (Fault(1, None, message, "no-run-column"),))
    runs = tuple(_read_rows(rows, meanings, faults))
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return runs


def _meanings(header: Sequence[str], columns: Mapping[str, str] | None) -> tuple[str | None, ...]:
    plain = {RUN, PARTICIPANT, DESCRIPTION}
    if columns is None:
        return tuple(name if name in plain else measure_of(name) for name in header)
    meanings = {
        name: meaning if meaning in plain else str(parse(meaning)) for name, meaning in columns.items()
    }
    return tuple(meanings.get(name) for name in header)


def _read_rows(
    rows: Sequence[Sequence[str]], meanings: Sequence[str | None], faults: FaultList
) -> Iterator[PublishedRun]:
    for line, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(meanings):
            faults.add(
                line,
                None,
                say(
                    "The line has {found} fields, the first line {expected}.",
                    found=len(row),
                    expected=len(meanings),
                ),
                "field-count",
            )
            continue
        words = {RUN: "", PARTICIPANT: "", DESCRIPTION: ""}
        values: dict[str, float] = {}
        for column, (meaning, cell) in enumerate(zip(meanings, row, strict=True), 1):
            if meaning in words:
                words[meaning] = cell.strip()
            elif meaning is not None and cell.strip():
                values[meaning] = number_in(cell, line, column, faults)
        if not words[RUN]:
            faults.add(line, None, say("The run has no name."), "no-run-name")
        yield PublishedRun(words[RUN], words[PARTICIPANT], words[DESCRIPTION], values)
