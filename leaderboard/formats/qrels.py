"""Reading qrels, the gold of a task with topics: ``topic 0 docno value``, one judged item a line."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, FormatError, say
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.fields import (
    as_utf8,
    broken_line,
    column_of,
    finite_number,
    lines_of,
    not_a_number,
    shown,
    split_fields,
)
from leaderboard.formats.regular import NUMBER, REPEATED, TEXT, first_appearance, numbers, read_regular_table

_TYPES = {"topic": REPEATED, "iteration": REPEATED, "docno": TEXT, "value": NUMBER}


@dataclass(frozen=True, slots=True, eq=False)
class QrelsFile:
    """Judged items, one entry per topic and docno, in order of first appearance.

    `topics` and `docnos` hold each name once, in order of first appearance; `topic` and `docno` are the
    codes of every item into them; `value` is its grade or preference level, negative ones kept as given.
    A docno given twice in a topic has the greatest of its values.
    """

    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    docnos: pa.Array
    docno: NDArray[np.int32]
    value: FloatArray

    def __len__(self) -> int:
        return len(self.value)

    def by_topic(self) -> dict[str, dict[str, float]]:
        """The value of each docno of each topic, in the order of the file."""
        docnos = self.docnos.to_pylist()
        found: dict[str, dict[str, float]] = {topic: {} for topic in self.topics}
        for topic, docno, value in zip(
            self.topic.tolist(), self.docno.tolist(), self.value.tolist(), strict=True
        ):
            found[self.topics[topic]][docnos[docno]] = value
        return found


def write_qrels(values: Mapping[str, Mapping[str, float]], stream: TextIO) -> None:
    """Writes the value of each docno of each topic in the order given; whole ones without a fraction, any
    other as the shortest number that reads back the same."""
    for topic, of_topic in values.items():
        for docno, value in of_topic.items():
            written = str(int(value)) if float(value).is_integer() else repr(float(value))
            stream.write(f"{topic} Q0 {docno} {written}\n")


def read_qrels(path: Path, *, integer_grades: bool) -> QrelsFile:
    """The qrels in the file at `path`, by the rules of `leaderboard.formats.fields`.

    Values are finite numbers; `integer_grades` refuses those with a fraction (2.5, but not 2.0). Raises
    FormatError with every fault by line, for an empty file as well, and OSError where there is no file.
    """
    try:
        lines, _ = as_utf8(path.read_bytes())
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from refused
    items = _regular(lines)
    if items is None or (integer_grades and not _are_whole(items.value)):
        items = _line_by_line(path.name, lines, integer_grades)
    return _unique(items)


def _regular(lines: bytes) -> QrelsFile | None:
    table = read_regular_table(lines, _TYPES)
    if table is None:
        return None
    value = numbers(table["value"])
    if not np.isfinite(value).all():
        return None
    topics, topic = first_appearance(table["topic"])
    docnos, docno = first_appearance(table["docno"])
    return QrelsFile(tuple(topics.to_pylist()), topic, docnos, docno, value)


def _line_by_line(name: str, lines: bytes, integer_grades: bool) -> QrelsFile:
    faults = FaultList()
    topics: dict[bytes, int] = {}
    docnos: dict[bytes, int] = {}
    topic_codes, docno_codes, values = array("i"), array("i"), array("d")
    for number, line in lines_of(lines):
        item = _item(number, line, integer_grades, faults)
        if item is None:
            continue
        topic, docno, value = item
        topic_codes.append(topics.setdefault(topic, len(topics)))
        docno_codes.append(docnos.setdefault(docno, len(docnos)))
        values.append(value)
    if not values and not faults.count:
        faults.add(None, None, say("The file is empty. Qrels have one judged item a line."), "empty")
    if faults.count:
        raise FormatError(name, faults.all_told())
    return QrelsFile(
        topics=tuple(name.decode() for name in topics),
        topic=np.array(topic_codes, dtype=np.int32),
        docnos=pa.array([name.decode() for name in docnos], pa.string()),
        docno=np.array(docno_codes, dtype=np.int32),
        value=np.array(values, dtype=np.float64),
    )


def _item(
    number: int, line: bytes, integer_grades: bool, faults: FaultList
) -> tuple[bytes, bytes, float] | None:
    broken = broken_line(line)
    if broken is not None:
        faults.add(number, *broken)
        return None
    fields = split_fields(line)
    if len(fields) != 4:
        message = say(
            "Found {count} fields where qrels have four: topic, 0, docno, value. Please give all four and "
            "nothing else, separated by spaces or TABs.",
            count=len(fields),
        )
        column = column_of(line, 4) if len(fields) > 4 else None
        faults.add(number, column, message, "wrong-field-count")
        return None
    value = finite_number(fields[3])
    if value is None:
        faults.add(number, *not_a_number(fields[3], line, 3))
        return None
    if integer_grades and not value.is_integer():
        message = say(
            "The grade {value} is not a whole number, which this track's measures need. "
            "Please write whole grades such as 2 (2.0 will do).",
            value=shown(fields[3]),
        )
        faults.add(number, column_of(line, 3), message, "not-a-grade")
        return None
    return fields[0], fields[2], value


def _are_whole(value: FloatArray) -> bool:
    return bool((value == np.floor(value)).all())


def _unique(items: QrelsFile) -> QrelsFile:
    """The same items, each once, with the greatest of its values."""
    pairs = items.topic.astype(np.int64) * len(items.docnos) + items.docno
    different, first, pair = np.unique(pairs, return_index=True, return_inverse=True)
    if len(different) == len(pairs):
        return items
    greatest = np.full(len(different), -np.inf)
    np.maximum.at(greatest, pair, items.value)
    order = np.argsort(first)
    kept = first[order]
    return QrelsFile(items.topics, items.topic[kept], items.docnos, items.docno[kept], greatest[order])
