"""Reading a run in TREC format: ``topic Q0 docno rank score tag``, one retrieved item a line."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from leaderboard.contract import Message, say
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.fields import as_utf8
from leaderboard.formats.trec_checks import RunCheck, check_run, remarks
from leaderboard.formats.trec_columns import ReadRun, TrecRun
from leaderboard.formats.trec_lines import read_lines
from leaderboard.formats.trec_regular import read_regular

__all__ = ["ReadRun", "RunCheck", "TrecRun", "check_run", "read_run"]

# White space other than space and TAB, and characters that show nothing: people do not see them in an id.
_UNSEEN = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x80-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
)
_CHUNK = 1 << 18

MAX_LINES = 2_000_000
"""A file with more lines is refused by counting their ends; 479 topics to depth 1000 are 479,000."""


def read_run(content: bytes) -> ReadRun:
    """The run in `content`, a whole unpacked file, or every fault by line. Never raises for what it holds.

    The rules are those of `leaderboard.formats.fields`; regular files take a shorter way to the same
    columns. Warnings are about ties and ranks, notes about encoding, tags and unseen characters.
    """
    try:
        lines, notes = as_utf8(content)
    except Refused as refused:
        faults = FaultList()
        for fault in refused.faults:
            faults.add(fault.line, fault.column, fault.message, fault.kind)
        return ReadRun(None, faults)
    if lines.count(b"\n") > MAX_LINES:
        return ReadRun(None, _too_many_lines(), (), notes)
    run = read_regular(lines)
    read = ReadRun(run, FaultList()) if run is not None else read_lines(lines)
    notes += read.notes + _unseen_characters(lines)
    if read.run is None:
        return ReadRun(None, read.faults, (), notes)
    warnings, more_notes = remarks(read.run)
    return ReadRun(read.run, read.faults, warnings, notes + more_notes)


def _too_many_lines() -> FaultList:
    faults = FaultList()
    message = say(
        "The file has more than {count} lines. Please check that it is the right file.", count=MAX_LINES
    )
    faults.add(None, None, message, "too-many-lines")
    return faults


def _unseen_characters(lines: bytes) -> tuple[Message, ...]:
    if lines.isascii() and not _has_controls(lines):
        return ()
    text = lines.decode()
    found = _UNSEEN.search(text)
    if found is None:
        return ()
    character = found.group()
    return (
        say(
            "Line {line} holds the character {code} ({name}), which is hard to see. It was read as a part of "
            "the field, because only spaces and TABs separate fields. Please look whether it belongs there.",
            line=text.count("\n", 0, found.start()) + 1,
            code=f"U+{ord(character):04X}",
            name=unicodedata.name(character, "control character"),
        ),
    )


def _has_controls(lines: bytes) -> bool:
    """Whether there is another control character than LF, TAB and CR."""
    expected = [code for code in b"\n\t\r" if code in lines]
    codes = np.frombuffer(lines, dtype=np.uint8)
    for start in range(0, len(codes), _CHUNK):
        chunk = codes[start : start + _CHUNK]
        if np.count_nonzero(chunk < 32) > sum(np.count_nonzero(chunk == code) for code in expected):
            return True
    return False
