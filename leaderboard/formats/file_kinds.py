"""Tells what a file is that is not the text it should be, from its first bytes or an archive's names."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from leaderboard.contract import Message, say
from leaderboard.formats.faults import Refused, refuse

GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")

_EXCEL = say(
    "This is an Excel workbook, not a text file. In Excel choose Save As, then “CSV UTF-8”, "
    "and send the file saved so."
)
_OFFICE = say("This is an office document, not a text file. Please save its contents as plain text (UTF-8).")
_SPREADSHEET = say(
    "This is a spreadsheet document, not a text file. Please save it as CSV with the character set UTF-8."
)
_PACKED = say(
    "This is an archive of a kind that is not unpacked here. Please send the file plain, as .gz, "
    "or as a .zip with one file."
)
_TAR = say("This is a tar archive. Please send one run at a time: plain, as .gz, or as a .zip with one file.")
_NESTED = say("The archive holds another archive. Please send the file plain, or compressed once.")
_BINARY = say(
    "This is a binary file of numbers or objects (such as NumPy, pickle, Parquet or SQLite), not a text "
    "file. Please write it out as plain text."
)
_IMAGE = say("This is a picture, not a text file. Please choose the file with your results.")
_PROGRAM = say("This is a program, not a text file. Please choose the file with your results.")
_PDF = say("This is a PDF document, not a text file. Please save its contents as plain text (UTF-8).")
_HTML = say(
    "This is a web page (HTML), not a run. Perhaps a download went wrong: please look what the file is."
)
_XML = say("This is an XML document, not a run. Please write it out as plain text.")
_JSON = say("This is JSON, not a run. Please write it out as plain text, one line for each row.")
_RTF = say("This is a rich text document (RTF). Please save it as plain text (UTF-8).")

_STARTS: tuple[tuple[bytes, Message, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _EXCEL, "excel"),
    (b"BZh", _PACKED, "archive"),
    (b"\xfd7zXZ\x00", _PACKED, "archive"),
    (b"\x28\xb5\x2f\xfd", _PACKED, "archive"),
    (b"7z\xbc\xaf\x27\x1c", _PACKED, "archive"),
    (b"Rar!\x1a\x07", _PACKED, "archive"),
    (b"PAR1", _BINARY, "binary"),
    (b"ARROW1", _BINARY, "binary"),
    (b"SQLite format 3\0", _BINARY, "binary"),
    (b"\x93NUMPY", _BINARY, "binary"),
    (b"\x89HDF\r\n", _BINARY, "binary"),
    (b"\x80\x02", _BINARY, "binary"),
    (b"\x80\x03", _BINARY, "binary"),
    (b"\x80\x04", _BINARY, "binary"),
    (b"\x80\x05", _BINARY, "binary"),
    (b"\x89PNG\r\n", _IMAGE, "picture"),
    (b"\xff\xd8\xff", _IMAGE, "picture"),
    (b"GIF87a", _IMAGE, "picture"),
    (b"GIF89a", _IMAGE, "picture"),
    (b"\x7fELF", _PROGRAM, "program"),
    (b"MZ\x90\x00", _PROGRAM, "program"),
    (b"%PDF-", _PDF, "pdf"),
)

_TEXTS: tuple[tuple[re.Pattern[str], Message, str], ...] = (
    (re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S),
     _HTML, "html"),
    (re.compile(r"<\?xml\b", re.I), _XML, "xml"),
    (re.compile(r"\{\\rtf"), _RTF, "rtf"),
    (re.compile(r"\{\s*(?:\"|\}|\Z)|\[\s*(?:[\[{\"\]\d-]|\Z)"), _JSON, "json"),
)  # fmt: skip


def foreign_fault(head: bytes, *, nested: bool = False) -> Refused | None:
    """The refusal of a file that starts with `head` (about 1,000 bytes), None where it may be plain text.

    `nested` says that it came out of an archive, where another one is not unpacked.
    """
    if nested and head.startswith((GZIP, *ZIP)):
        return refuse(_NESTED, "nested-archive")
    for start, message, kind in _STARTS:
        if head.startswith(start):
            return refuse(message, kind)
    if head[257:262] == b"ustar":
        return refuse(_TAR, "archive")
    text = _beginning(head)
    for pattern, message, kind in _TEXTS:
        if pattern.match(text):
            return refuse(message, kind)
    return None


def archive_fault(names: Sequence[str]) -> Refused | None:
    """The refusal of a zip archive that is really a document, judged by the names in it."""
    held = set(names)
    if any(name.startswith("xl/") for name in names):
        return refuse(_EXCEL, "excel")
    if "[Content_Types].xml" in held:
        return refuse(_OFFICE, "office")
    if "mimetype" in held or any(name.startswith("Index/") for name in names):
        return refuse(_SPREADSHEET, "spreadsheet")
    if names and all(name.endswith(".npy") for name in names):
        return refuse(_BINARY, "binary")
    return None


def _beginning(head: bytes) -> str:
    """The first characters as text, whatever encoding the byte order mark names, without white space."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace").lstrip()
    return head.decode("utf-8-sig", errors="replace").lstrip()
