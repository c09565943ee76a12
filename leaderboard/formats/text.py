"""From bytes to text: UTF-8, and what older programs write instead where it can be told for sure."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.contract import Message, say
from leaderboard.formats.faults import Refused, refuse


@dataclass(frozen=True)
class Decoded:
    """The text of a file without its byte order mark, line ends as sent, and how it was read."""

    text: str
    notes: tuple[Message, ...] = ()


def decode(content: bytes, accepts_legacy: Callable[[str], bool] | None = None) -> Decoded:
    """The text of `content`.

    Read are UTF-8 with or without byte order mark, UTF-16 and UTF-32 with one (with a note), and
    Windows-1251 (with a note) where `accepts_legacy`, given the text read so, finds that it makes sense.
    Raises `Refused` for anything else, naming the line and the offset (from 0) of the first byte that is
    no UTF-8.
    """
    # The mark of UTF-32 starts with that of UTF-16, so it is looked at first.
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return _decode_wide(content, "UTF-32", 4)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_wide(content, "UTF-16", 2)
    mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    if _is_unmarked_utf16(content):
        raise refuse(
            say(
                "The file looks like UTF-16 without a byte order mark, which cannot be read for sure. "
                "Please save it as UTF-8."
            ),
            "encoding",
        )
    try:
        return Decoded(content[mark:].decode("utf-8"))
    except UnicodeDecodeError as error:
        offset = mark + error.start
    legacy = _decode_legacy(content, accepts_legacy)
    if legacy is not None:
        return legacy
    raise _undecodable(content, offset)


def _decode_wide(content: bytes, encoding: str, unit: int) -> Decoded:
    note = say("The file is {encoding}; it was read so. UTF-8 is the safer choice.", encoding=encoding)
    try:
        return Decoded(content.decode(encoding), (note,))
    except UnicodeDecodeError as error:
        before = content[: error.start // unit * unit].decode(encoding, errors="replace")
        raise refuse(
            say(
                "The file says that it is {encoding}, but the byte at offset {offset} does not fit. "
                "Please save it as UTF-8.",
                encoding=encoding,
                offset=error.start,
            ),
            "encoding",
            before.count("\n") + 1,
        ) from error


def _is_unmarked_utf16(content: bytes) -> bool:
    """Whether the file begins with two ASCII characters in UTF-16: the headers and ids of runs are ASCII."""
    head = content[:4]
    if len(head) < 4:
        return False
    little = head[1] == head[3] == 0 and head[0] != 0 and head[2] != 0
    big = head[0] == head[2] == 0 and head[1] != 0 and head[3] != 0
    return little or big


def _decode_legacy(content: bytes, accepts_legacy: Callable[[str], bool] | None) -> Decoded | None:
    if accepts_legacy is None:
        return None
    try:
        text = content.decode("cp1251")
    except UnicodeDecodeError:
        return None
    if not accepts_legacy(text):
        return None
    return Decoded(text, (say("The file is Windows-1251; it was read so. UTF-8 is the safer choice."),))


def _undecodable(content: bytes, offset: int) -> Refused:
    line_end = b"\n" if b"\n" in content else b"\r"
    return refuse(
        say(
            "The file is not UTF-8: the byte {byte} at offset {offset} does not fit. "
            "Please save it as UTF-8 and send it again.",
            byte=f"0x{content[offset]:02X}",
            offset=offset,
        ),
        "encoding",
        content.count(line_end, 0, offset) + 1,
    )
