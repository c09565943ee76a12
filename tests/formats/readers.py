"""Every reader of files as a function of bytes, which raises where there are neither columns nor faults.

Hypothesis, atheris and the kept corpus all go through these. A reader that is missing here fails a test.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from leaderboard.contract import MAX_FAULTS, Fault, FormatError, Message
from leaderboard.formats import trec_lines, trec_regular
from leaderboard.formats.annotations import read_annotations
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.manifest import read_manifest, read_time
from leaderboard.formats.mj import read_mj
from leaderboard.formats.pair_header import read_header
from leaderboard.formats.pair_list import judge, judge_repeats, read_pair_list
from leaderboard.formats.pairs import read_pairs, read_regular, read_tolerant
from leaderboard.formats.passages import read_passages
from leaderboard.formats.preferences import read_preferences
from leaderboard.formats.published import read_published
from leaderboard.formats.qrels import read_qrels
from leaderboard.formats.ratings import read_ratings
from leaderboard.formats.text import decode
from leaderboard.formats.topics import read_topics
from leaderboard.formats.trec_run import check_run, read_run
from leaderboard.formats.upload import unpack
from leaderboard.formats.words import read_words

TASKS = Path(__file__).resolve().parents[2] / "tasks"

SMALL = 1 << 20
"""So many bytes may come out of a packed input here; what honest ones need is tested elsewhere."""


class Neither(AssertionError):
    """A reader gave something that is neither columns nor faults."""


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def _at(content: bytes) -> Path:
    path = Path(_folder().name) / "input"
    path.write_bytes(content)
    return path


def _proper(faults: tuple[Fault, ...] | list[Fault]) -> None:
    """Each fault names a place that may be, and says a sentence that can be shown and kept."""
    if not 0 < len(faults) <= MAX_FAULTS + 1:
        raise Neither(f"{len(faults)} faults")
    for fault in faults:
        _sentences((fault.message,))
        if any(place is not None and place < 1 for place in (fault.line, fault.column)):
            raise Neither(f"a fault at line {fault.line}, column {fault.column}")
        if not fault.kind:
            raise Neither("a fault without a kind")


def _sentences(messages: tuple[Message, ...]) -> None:
    for message in messages:
        text = str(message)
        text.encode()
        if not text or len(text) > 5_000:
            raise Neither(f"a sentence of {len(text)} characters")


def _keepable(found: Any) -> None:
    """All texts can be kept as UTF-8 and all numbers are finite."""
    for part in _parts(found):
        if isinstance(part, str):
            part.encode()
        elif isinstance(part, float) and not np.isfinite(part):
            raise Neither(f"the number {part}")


def _parts(found: Any) -> Iterator[Any]:
    if is_dataclass(found):
        for field in fields(found):
            yield from _parts(getattr(found, field.name))
    elif isinstance(found, Mapping):
        for name, value in found.items():
            yield from _parts(name)
            yield from _parts(value)
    elif isinstance(found, (tuple, list)):
        for each in found:
            yield from _parts(each)
    elif isinstance(found, np.ndarray):
        yield from found.tolist()
    elif isinstance(found, pa.Array):
        yield from found.to_pylist()
    else:
        yield found


def _of_file(read: Callable[[Path], Any]) -> Callable[[bytes], None]:
    """A reader of organisers' files: it returns values or raises FormatError."""

    def tried(content: bytes) -> None:
        try:
            found = read(_at(content))
        except FormatError as error:
            _proper(error.faults)
            return
        _keepable(found)

    return tried


def _unpack(content: bytes) -> None:
    try:
        unpacked = unpack(_at(content), max_bytes=SMALL)
    except Refused as refused:
        _proper(refused.faults)
        return
    _sentences(unpacked.notes)
    if not 0 < len(unpacked.content) <= SMALL:
        raise Neither(f"{len(unpacked.content)} bytes")


def _decode(content: bytes) -> None:
    try:
        decoded = decode(content, lambda text: "кошка" in text)
    except Refused as refused:
        _proper(refused.faults)
        return
    decoded.text.encode()
    _sentences(decoded.notes)


def _pairs(content: bytes) -> None:
    listed = read_pair_list(TASKS / "russe" / "sample" / "inputs" / "pairs.csv")
    found = read_pairs(content, listed.knows_words_of)
    _sentences(found.notes)
    if found.run is None:
        _proper(found.faults.first)
        return
    _keepable((found.run.word1, found.run.word2, found.run.line))
    if np.isinf(found.run.sim).any():
        raise Neither("an infinite value")
    _sentences(judge_repeats(found.run))
    judged = judge(found.run, listed)
    _sentences(tuple(judged.notes))
    if judged.faults.count:
        _proper(judged.faults.first)
    _both_ways(content)


def _both_ways(content: bytes) -> None:
    """What the fast reader of pairs takes, the tolerant one reads the same."""
    try:
        text = decode(content).text
        header = read_header(text)
    except Refused:
        return
    fast = read_regular(text, text.encode(), header)
    if fast is None:
        return
    faults = FaultList()
    slow = read_tolerant(text, header, faults)
    filled = [word1 != "" or word2 != "" for word1, word2 in fast.to_list()]
    if faults.count or fast.to_list() != slow.to_list() or not all(filled):
        raise Neither("two readers of pairs that differ in words")
    if not np.array_equal(fast.sim, slow.sim, equal_nan=True) or not np.array_equal(fast.line, slow.line):
        raise Neither("two readers of pairs that differ in values")


def _run(content: bytes) -> None:
    read = read_run(content)
    _sentences(read.notes)
    _sentences(read.warnings)
    if read.run is None:
        _proper(read.faults.first)
        return
    run = read.run
    _keepable((run.topics, run.tags, run.score, run.docnos))
    if np.isinf(run.rank).any() or len({len(run.topic), len(run.docno), len(run.score), len(run.rank)}) != 1:
        raise Neither("columns of a run that do not fit")
    check = check_run(run, depth=3, topics=("31_1", "31_2"), id_pattern=r"MARCO_\d+")
    _sentences(check.warnings + check.notes)
    if check.faults.count:
        _proper(check.faults.first)
    fast = trec_regular.read_regular(content)
    if fast is not None:
        slow = trec_lines.read_lines(content).run
        if slow is None or fast.topics != slow.topics or fast.tags != slow.tags:
            raise Neither("two readers of runs that differ")
        if not np.array_equal(fast.score, slow.score) or not np.array_equal(fast.rank, slow.rank, True):
            raise Neither("two readers of runs that differ in numbers")
        if fast.docnos.take(pa.array(fast.docno)) != slow.docnos.take(pa.array(slow.docno)):
            raise Neither("two readers of runs that differ in docnos")


def _manifest(content: bytes) -> None:
    lines, faults = read_manifest(content)
    if faults.count:
        _proper(faults.first)
    elif not lines:
        raise Neither("no lines and no faults")
    _keepable(lines)


READERS: Mapping[str, Callable[[bytes], None]] = {
    "upload": _unpack,
    "text": _decode,
    "pairs": _pairs,
    "pair_list": _of_file(read_pair_list),
    "trec_run": _run,
    "qrels": _of_file(lambda path: read_qrels(path, integer_grades=False)),
    "graded_qrels": _of_file(lambda path: read_qrels(path, integer_grades=True)),
    "topics": _of_file(read_topics),
    "passages": _of_file(read_passages),
    "preferences": _of_file(read_preferences),
    "published": _of_file(read_published),
    "ratings": _of_file(lambda path: read_ratings(path, numbers=False)),
    "numeric_ratings": _of_file(lambda path: read_ratings(path, numbers=True)),
    "annotations": _of_file(read_annotations),
    "words": _of_file(read_words),
    "manifest": _manifest,
    "time": lambda content: _keepable(read_time(content.decode(errors="replace"))),
    "mj": _of_file(read_mj),
}
"""Each by its name: whatever bytes it is given, it returns."""
