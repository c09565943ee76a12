"""The tolerant way to read a TREC run: line by line, by the rules of `leaderboard.formats.fields`."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pyarrow as pa

from leaderboard.contract import MAX_FAULTS, Message, say, say_count
from leaderboard.formats.faults import FaultList
from leaderboard.formats.fields import (
    broken_line,
    column_of,
    finite_number,
    lines_of,
    not_a_number,
    shown,
    split_fields,
)
from leaderboard.formats.trec_columns import ReadRun, TrecRun

MANY_FAULTS = 100_000
"""A file with so many faulty lines is no run with faults but something else."""


def read_lines(content: bytes) -> ReadRun:
    """The run in UTF-8 without a byte order mark, or every fault by line, in one pass.

    After `MANY_FAULTS` faulty lines the rest of the file is not looked at, and a note says so.
    """
    reader = _LineReader()
    for number, line in lines_of(content):
        reader.read(number, line)
        if reader.faults.count >= MANY_FAULTS:
            return ReadRun(None, reader.faults, notes=(_given_up(number),))
    faults = _in_file_order(reader.faults, reader.duplicates())
    if not reader.score and not faults.count:
        message = say("The file holds no results. Please send one line per retrieved item.")
        faults.add(None, None, message, "empty")
    return ReadRun(None if faults.count else reader.columns(), faults)


class _LineReader:
    """Grows the columns line by line; a topic and docno have one code however often they come."""

    def __init__(self) -> None:
        self.faults = FaultList()
        self.topics: dict[bytes, int] = {}
        self.docnos: dict[bytes, int] = {}
        self.tags: dict[bytes, None] = {}
        # Arrays of plain numbers keep a file of millions of lines within bounds.
        self.line, self.topic, self.docno = array("q"), array("i"), array("i")
        self.score, self.rank = array("d"), array("d")

    def read(self, number: int, line: bytes) -> None:
        broken = broken_line(line)
        if broken is not None:
            self.faults.add(number, *broken)
            return
        fields = split_fields(line)
        if len(fields) < 6:
            self.faults.add(number, None, _too_few(fields), "too-few-fields")
            return
        if len(fields) > 6:
            self.faults.add(number, column_of(line, 6), _too_many(fields), "too-many-fields")
            return
        topic, _, docno, rank, score, tag = fields
        value = finite_number(score)
        if value is None:
            self.faults.add(number, *not_a_number(score, line, 4))
            value = math.nan
        place = finite_number(rank)
        self.line.append(number)
        self.topic.append(self.topics.setdefault(topic, len(self.topics)))
        self.docno.append(self.docnos.setdefault(docno, len(self.docnos)))
        self.score.append(value)
        self.rank.append(math.nan if place is None else place)
        self.tags.setdefault(tag)

    def duplicates(self) -> FaultList:
        """A fault for every row whose docno stood in its topic before, in the order of the file."""
        faults = FaultList()
        topic, docno = np.array(self.topic, dtype=np.int64), np.array(self.docno, dtype=np.int64)
        pairs = topic * max(len(self.docnos), 1) + docno
        items, first, item = np.unique(pairs, return_index=True, return_inverse=True)
        if len(items) == len(pairs):
            return faults
        topics, docnos = list(self.topics), list(self.docnos)
        copies = np.flatnonzero(first[item] != np.arange(len(pairs)))
        for row in copies[:MAX_FAULTS].tolist():
            message = say(
                "{docno} stands in topic {topic} twice, first in line {line}. Please keep one of the two.",
                docno=shown(docnos[docno[row]]),
                topic=shown(topics[topic[row]]),
                line=self.line[int(first[item[row]])],
            )
            faults.add(self.line[row], None, message, "duplicate")
        faults.count = len(copies)
        return faults

    def columns(self) -> TrecRun:
        return TrecRun(
            topics=tuple(name.decode() for name in self.topics),
            topic=np.array(self.topic, dtype=np.int32),
            docnos=pa.array([name.decode() for name in self.docnos], pa.string()),
            docno=np.array(self.docno, dtype=np.int32),
            score=np.array(self.score, dtype=np.float64),
            rank=np.array(self.rank, dtype=np.float64),
            tags=tuple(name.decode() for name in self.tags),
        )


def _in_file_order(some: FaultList, others: FaultList) -> FaultList:
    merged = FaultList()
    merged.first = sorted(some.first + others.first, key=lambda fault: fault.line or 0)[:MAX_FAULTS]
    merged.count = some.count + others.count
    return merged


def _given_up(number: int) -> Message:
    return say(
        "Line {line} is the last that was looked at, because {count} lines had faults. Is this a run?",
        line=number,
        count=MANY_FAULTS,
    )


def _too_few(fields: list[bytes]) -> Message:
    if len(fields) != 5:
        return say_count(
            "{count} field instead of six (topic Q0 docno rank score tag). "
            "Please give all six, separated by spaces or TABs.",
            "{count} fields instead of six (topic Q0 docno rank score tag). "
            "Please give all six, separated by spaces or TABs.",
            len(fields),
        )
    are_numbers = [finite_number(field) is not None for field in fields]
    if are_numbers[3] and are_numbers[4]:
        return say(
            "Five fields instead of six (topic Q0 docno rank score tag): the tag is missing. "
            "Please put a name for your run at the end of every line."
        )
    if are_numbers[2] and are_numbers[3]:
        return say(
            "Five fields instead of six (topic Q0 docno rank score tag): Q0 is missing. "
            "Please put Q0 after the topic on every line."
        )
    return say(
        "Five fields instead of six (topic Q0 docno rank score tag): the tag or Q0 is missing. "
        "Please give all six."
    )


def _too_many(fields: list[bytes]) -> Message:
    return say(
        "{count} fields instead of six (topic Q0 docno rank score tag): too many. "
        "Is there a space inside a docno or the tag?",
        count=len(fields),
    )
