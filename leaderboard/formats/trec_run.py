"""Reading a run in TREC format: ``topic Q0 docno rank score tag``, one retrieved item a line."""

from __future__ import annotations

import codecs
import re
import unicodedata

from leaderboard.contract import Message, say
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.text import decode
from leaderboard.formats.trec_checks import RunCheck, check_run, remarks
from leaderboard.formats.trec_columns import ReadRun, TrecRun
from leaderboard.formats.trec_lines import read_lines
from leaderboard.formats.trec_regular import read_regular

__all__ = ["ReadRun", "RunCheck", "TrecRun", "check_run", "read_run"]

# White space other than space and TAB, and characters that show nothing: people do not see them in an id.
_UNSEEN = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
)
_UNSEEN_ASCII = tuple(bytes([code]) for code in (*range(1, 9), 11, 12, *range(14, 32), 127))


def read_run(content: bytes) -> ReadRun:
    """The run in `content`, a whole unpacked file, or every fault by line. Never raises for what it holds.

    The rules are those of `leaderboard.formats.trec_lines`; regular files take a shorter way to the same
    columns. Warnings are about ties and ranks, notes about encoding, tags and unseen characters.
    """
    try:
        lines, notes = _as_utf8(content)
    except Refused as refused:
        faults = FaultList()
        for fault in refused.faults:
            faults.add(fault.line, fault.column, fault.message, fault.kind)
        return ReadRun(None, faults)
    run, faults = read_regular(lines), FaultList()
    if run is None:
        run, faults = read_lines(lines)
    notes += _unseen_characters(lines)
    if run is None:
        return ReadRun(None, faults, (), notes)
    warnings, more_notes = remarks(run)
    return ReadRun(run, faults, warnings, notes + more_notes)


def _as_utf8(content: bytes) -> tuple[bytes, tuple[Message, ...]]:
    """The text as UTF-8 without byte order mark; raises Refused where it is no text."""
    if content.isascii() and b"\0" not in content:
        return content, ()
    decoded = decode(content)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decoded.text.encode(), decoded.notes
    return content.removeprefix(codecs.BOM_UTF8), decoded.notes


def _unseen_characters(lines: bytes) -> tuple[Message, ...]:
    if lines.isascii() and not any(character in lines for character in _UNSEEN_ASCII):
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
