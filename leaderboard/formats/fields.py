"""Lines and fields of the plain-text formats of TREC, for runs and qrels alike.

Lines end at LF or CRLF. Fields are separated by spaces and TABs in any mix, and by nothing else: a no-break
space or a line separator (U+2028) is part of a field. White space at the ends of a line does not count,
and neither does a line that holds nothing else. A carriage return inside a line is a fault: trec_eval
takes it for white space, other programs for the end of a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from leaderboard.contract import Message, say
from leaderboard.formats.text import decode

MAX_LINE = 1 << 16
"""A line of more bytes than this is refused, whatever it holds."""

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A decimal or scientific number, as people and programs write it; ASCII digits, a point, no ``_``."""

_FIELD = re.compile(rb"[^ \t]+")
# Starts at the first visible character, so that a million blank lines are one step.
_NOT_BLANK = re.compile(rb"[^ \t\r\n][^\n]*")
_SHOWN = 40


def as_utf8(content: bytes) -> tuple[bytes, tuple[Message, ...]]:
    """The text of a file as UTF-8 without byte order mark, with notes; raises Refused where it is no text."""
    if content.isascii() and b"\0" not in content:
        return content, ()
    decoded = decode(content)
    return decoded.text.encode(), decoded.notes


def lines_of(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, numbered from 1, without its end; overlong ones are cut off."""
    number, last = 1, 0
    for match in _NOT_BLANK.finditer(content):
        start, end = match.span()
        number += content.count(b"\n", last, start)
        begin = content.rfind(b"\n", last, start) + 1
        last = end
        if end - begin > MAX_LINE:
            yield number, content[begin : begin + MAX_LINE + 1]
        else:
            yield number, content[begin:end].rstrip(b"\r")


def split_fields(line: bytes) -> list[bytes]:
    """The fields of a line."""
    # bytes.split() is the fastest split there is, but VT and FF, which belong to a field here, split it too.
    if b"\x0b" in line or b"\x0c" in line:
        return _FIELD.findall(line)
    return line.split()


def broken_line(line: bytes) -> tuple[int | None, Message, str] | None:
    """Column, sentence and kind of the fault of a line that cannot be split at all; None for a good one."""
    if len(line) > MAX_LINE:
        message = say("The line is longer than {limit} bytes. Please give one item per line.", limit=MAX_LINE)
        return None, message, "overlong-line"
    if b"\0" in line:
        message = say("The line holds a NUL byte: the file may be damaged. Please write it anew as text.")
        return _column(line, line.index(b"\0")), message, "nul"
    if b"\r" in line:
        message = say("A carriage return stands inside the line. Please end every line with LF or CRLF.")
        return _column(line, line.index(b"\r")), message, "lone-cr"
    return None


def finite_number(field: bytes) -> float | None:
    """The number a field holds; None where it holds none, or one beyond 64-bit floats."""
    if NUMBER.fullmatch(field) is None:
        return None
    value = float(field)
    return value if math.isfinite(value) else None


def column_of(line: bytes, index: int) -> int:
    """The column, from 1, in characters, at which the field with that index (from 0) starts."""
    for number, match in enumerate(_FIELD.finditer(line)):
        if number == index:
            return _column(line, match.start())
    raise IndexError(index)


def shown(field: bytes) -> str:
    """A field as it is quoted in a sentence, cut off where it is long."""
    text = field.decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def not_a_number(field: bytes, line: bytes, index: int) -> tuple[int, Message, str]:
    """Column, sentence and kind of the fault of a field that `finite_number` does not take."""
    column, text = column_of(line, index), shown(field)
    pointed = field.replace(b",", b".", 1)
    if NUMBER.fullmatch(field) is not None:
        message = say("{value} is too large for a 64-bit number. Please scale the values down.", value=text)
    elif NUMBER.fullmatch(pointed) is not None:
        message = say(
            "{value} has a decimal comma. Please write it with a point: {better}.",
            value=text,
            better=shown(pointed),
        )
    else:
        message = say("{value} is not a number. Please write it like 12.75 or 1.2e-3.", value=text)
    return column, message, "not-a-number"


def _column(line: bytes, offset: int) -> int:
    return len(line[:offset].decode()) + 1
