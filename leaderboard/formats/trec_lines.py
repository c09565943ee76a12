"""The tolerant way to read a TREC run: line by line, knowing every rule, naming every fault.

Lines end at LF or CRLF. Fields are separated by spaces and TABs in any mix, and by nothing else: a no-break
space or a line separator (U+2028) is part of a field. White space at the ends of a line does not count,
and neither does a line that holds nothing else. A carriage return inside a line is a fault: trec_eval
takes it for white space, other programs for the end of a line.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from leaderboard.contract import MAX_FAULTS, Message, say, say_count
from leaderboard.formats.faults import FaultList
from leaderboard.formats.trec_columns import MAX_LINE, TrecRun

_FIELD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHOWN = 40


def read_lines(content: bytes) -> tuple[TrecRun | None, FaultList]:
    """The columns of a run in UTF-8 without a byte order mark, or every fault by line, in one pass."""
    # bytes.split() is the fastest split there is, but VT and FF, which belong to a field here, split it too.
    split = _FIELD.findall if b"\x0b" in content or b"\x0c" in content else bytes.split
    reader = _LineReader(split)
    for number, line in _lines(content):
        reader.read(number, line)
    faults = _in_file_order(reader.faults, reader.duplicates())
    if not reader.score and not faults.count:
        faults.add(None, None, say("The file holds no results. Send one line per retrieved item."), "empty")
    return (None if faults.count else reader.columns()), faults


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, numbered from 1, without its end and cut off where it is overlong."""
    start, number = 0, 0
    while start < len(content):
        number += 1
        end = content.find(b"\n", start)
        if end < 0:
            end = len(content)
        line = content[start : min(end, start + MAX_LINE + 1)]
        start = end + 1
        line = line.rstrip(b"\r")
        if line.strip(b" \t"):
            yield number, line


class _LineReader:
    """Grows the columns line by line; a topic and docno have one code however often they come."""

    def __init__(self, split: Callable[[bytes], list[bytes]]) -> None:
        self.split = split
        self.faults = FaultList()
        self.topics: dict[bytes, int] = {}
        self.docnos: dict[bytes, int] = {}
        self.tags: dict[bytes, None] = {}
        self.topic, self.docno = array("i"), array("i")
        self.score, self.rank = array("d"), array("d")
        self.line = array("q")

    def read(self, number: int, line: bytes) -> None:
        if len(line) > MAX_LINE:
            self._fault(number, line, None, _overlong(), "overlong-line")
            return
        if b"\0" in line:
            self._fault(number, line, line.index(b"\0"), _nul(), "nul")
            return
        if b"\r" in line:
            self._fault(number, line, line.index(b"\r"), _lone_cr(), "lone-cr")
            return
        fields = self.split(line)
        if len(fields) != 6:
            self._miscounted(number, line, fields)
            return
        self._row(number, line, fields)

    def _row(self, number: int, line: bytes, fields: list[bytes]) -> None:
        topic_name, _, docno_name, rank, score, tag = fields
        value = _finite(score)
        if value is None:
            self._fault(number, line, _start(line, 4), _bad_score(score), "not-a-number")
        self.tags.setdefault(tag)
        self.line.append(number)
        self.topic.append(self.topics.setdefault(topic_name, len(self.topics)))
        self.docno.append(self.docnos.setdefault(docno_name, len(self.docnos)))
        self.score.append(math.nan if value is None else value)
        place = _finite(rank)
        self.rank.append(math.nan if place is None else place)

    def _miscounted(self, number: int, line: bytes, fields: list[bytes]) -> None:
        if len(fields) < 6:
            self._fault(number, line, None, _too_few(fields), "too-few-fields")
            return
        message = say(
            "{count} fields instead of six (topic Q0 docno rank score tag): too many. "
            "Is there a space inside a docno or the tag?",
            count=len(fields),
        )
        self._fault(number, line, _start(line, 6), message, "too-many-fields")

    def _fault(self, number: int, line: bytes, at: int | None, message: Message, kind: str) -> None:
        column = None if at is None else len(line[:at].decode()) + 1
        self.faults.add(number, column, message, kind)

    def duplicates(self) -> FaultList:
        """A fault for every row whose docno stood in its topic before, in the order of the file."""
        faults = FaultList()
        topic, docno = np.array(self.topic, dtype=np.int64), np.array(self.docno, dtype=np.int64)
        items, first, inverse = np.unique(
            topic * max(len(self.docnos), 1) + docno, return_index=True, return_inverse=True
        )
        if len(items) == len(topic):
            return faults
        topics, docnos = list(self.topics), list(self.docnos)
        for row in np.flatnonzero(first[inverse] != np.arange(len(topic))).tolist():
            message = say(
                "{docno} stands in topic {topic} twice, the first time in line {line}. Keep one of the two.",
                docno=_shown(docnos[docno[row]]),
                topic=_shown(topics[topic[row]]),
                line=self.line[int(first[inverse[row]])],
            )
            faults.add(self.line[row], None, message, "duplicate")
        return faults

    def columns(self) -> TrecRun:
        return TrecRun(
            topics=tuple(name.decode() for name in self.topics),
            topic=np.array(self.topic, dtype=np.int32),
            docnos=pa.array(list(self.docnos), pa.string()),
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


def _finite(text: bytes) -> float | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _start(line: bytes, field: int) -> int:
    """The offset of the field with that index."""
    for index, match in enumerate(_FIELD.finditer(line)):
        if index == field:
            return match.start()
    raise IndexError(field)


def _shown(name: bytes) -> str:
    text = name.decode(errors="replace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _too_few(fields: list[bytes]) -> Message:
    if len(fields) != 5:
        return say_count(
            "{count} field instead of six (topic Q0 docno rank score tag). "
            "Please give all six, separated by spaces or TABs.",
            "{count} fields instead of six (topic Q0 docno rank score tag). "
            "Please give all six, separated by spaces or TABs.",
            len(fields),
        )
    are_numbers = [_finite(field) is not None for field in fields]
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


def _bad_score(score: bytes) -> Message:
    shown = _shown(score)
    if _NUMBER.fullmatch(score) is not None:
        return say("The score {score} is too large for a 64-bit number. Scale the scores down.", score=shown)
    if _NUMBER.fullmatch(score.replace(b",", b".", 1)) is not None:
        return say(
            "The score {score} has a decimal comma. Write it with a point, like {better}.",
            score=shown,
            better=_shown(score.replace(b",", b".", 1)),
        )
    return say("The score {score} is not a number. Write it like 12.75 or 1.2e-3.", score=shown)


def _overlong() -> Message:
    return say(
        "The line is longer than {limit} bytes. Is this a run? It should have one line per retrieved item.",
        limit=MAX_LINE,
    )


def _nul() -> Message:
    return say("The line holds a NUL byte: the file may be damaged. Please write it anew as UTF-8 text.")


def _lone_cr() -> Message:
    return say("A carriage return stands inside the line. End every line with LF or CRLF.")
