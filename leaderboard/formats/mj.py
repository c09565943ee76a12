"""MJ files: CSV with a value for each pair of words, as written here and as RUSSE released them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from unicodedata import normalize

import numpy as np

from leaderboard.contract import Fault, FloatArray, FormatError, say
from leaderboard.formats.cells import listed, number_in
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.text import decode
from leaderboard.formats.upload import unpack
from leaderboard.resources.mj import TRACKS_JOINED, Row

MAX_BYTES = 1 << 30
"""So many bytes of one MJ file; a line has about 90."""

VALUE_COLUMNS = ("mj", "wmean")
"""Where the value stands: in the files of this program, in those released in 2015."""


@dataclass(frozen=True, eq=False)
class MjFile:
    """The lines of an MJ file in file order: words in NFC, values, and the tracks of each line.

    `tracks` is None where the file has no such column: every line is then of every track.
    """

    word1: Sequence[str]
    word2: Sequence[str]
    value: FloatArray
    tracks: Sequence[tuple[str, ...]] | None

    def of_track(self, track: str) -> Iterable[tuple[str, str, float]]:
        """The pairs of one track with their values."""
        for row, value in enumerate(self.value.tolist()):
            if self.tracks is None or track in self.tracks[row]:
                yield self.word1[row], self.word2[row], value


def write_mj(rows: Iterable[Row], stream: TextIO) -> None:
    """Writes the rows with their header. Numbers are the shortest that read back as the same double, so the
    file gives exactly the values it was made from, and the same rows are the same bytes."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(rows)


def write_run(pairs: Iterable[tuple[str, str, float]], stream: TextIO) -> None:
    """Writes pairs as a run (word1, word2, sim), for scoring MJ as runs are scored."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("word1", "word2", "sim"))
    writer.writerows(pairs)


def read_mj(path: Path) -> MjFile:
    """Reads an MJ file, plain, gzip or zip, with the columns word1, word2 and mj or wmean, and perhaps track.

    Other columns do not matter; `sim`, which is the gold in the released files, is never taken. Raises
    FormatError naming file and line, and OSError.
    """
    try:
        text = decode(unpack(path, max_bytes=MAX_BYTES).content).text
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from None
    separator = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return _read(path.name, reader)
    except csv.Error as error:
        fault = Fault(reader.line_num, None, say("This is not CSV: {reason}.", reason=str(error)), "not-csv")
        raise FormatError(path.name, (fault,)) from None


def _read(name: str, reader: csv._reader) -> MjFile:  # type: ignore[name-defined]  # the only name it has
    header = [cell.strip().casefold() for cell in next(reader, [])]
    columns = _columns(name, header)
    width = max(columns.values()) + 1
    faults = FaultList()
    word1: list[str] = []
    word2: list[str] = []
    values: list[float] = []
    tracks: list[str] = []
    for row in reader:
        if not row:
            continue
        if len(row) < width:
            message = say(
                "The line has {found} fields, the header {wanted}.", found=len(row), wanted=len(header)
            )
            faults.add(reader.line_num, None, message, "field-count")
            continue
        word1.append(normalize("NFC", row[columns["word1"]]))
        word2.append(normalize("NFC", row[columns["word2"]]))
        values.append(number_in(row[columns["value"]], reader.line_num, columns["value"] + 1, faults))
        tracks.append(row[columns["track"]] if "track" in columns else "")
    if not faults.count and not values:
        faults.add(None, None, say("The file has a header but no pairs."), "empty")
    if faults.count:
        raise FormatError(name, faults.all_told())
    split = [tuple(names.split(TRACKS_JOINED)) for names in tracks] if "track" in columns else None
    return MjFile(word1, word2, np.array(values, dtype=np.float64), split)


def _columns(name: str, header: Sequence[str]) -> dict[str, int]:
    found = {column: header.index(column) for column in ("word1", "word2", "track") if column in header}
    for column in VALUE_COLUMNS:
        if column in header:
            found["value"] = header.index(column)
            break
    if {"word1", "word2", "value"} <= found.keys():
        return found
    message = say(
        "The first line has to name the columns word1, word2 and mj (or wmean); it has: {columns}.",
        columns=listed(header) or "—",
    )
    raise FormatError(name, (Fault(1, None, message, "header"),))
