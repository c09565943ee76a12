"""From an uploaded file to the bytes of the one text in it: plain, gzip or zip, told by content, not by name.

What is unpacked is bounded by size and by ratio while it streams, so that a file made to burst costs no
more memory than an honest one.
"""

from __future__ import annotations

import mmap
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leaderboard.contract import Message, say
from leaderboard.formats.faults import Refused, refuse
from leaderboard.formats.file_kinds import GZIP, ZIP, archive_fault, foreign_fault

MAX_UNPACKED = 128 * 1024 * 1024
"""So many bytes of text at most; a TREC run of 479 topics to depth 1000 has 34 million."""

MAX_RATIO = 150
"""Runs shrink 5 to 30 times; deflate at its most extreme reaches 1032."""

RATIO_FREE = 8 * 1024 * 1024
"""So many bytes may come out before the ratio is looked at: small files of one value compress far."""

MAX_ENTRIES = 1000
"""An archive with more entries is refused before its directory is read into memory."""

MAX_MEMBERS = 50_000
"""A gzip file of more parts is refused, for each costs time though it may hold nothing. bgzip makes one
for every 64 KB."""

_PACKED_CHUNK = 16 * 1024
_CHUNK = 256 * 1024


@dataclass(frozen=True)
class Unpacked:
    """The bytes of the text as sent, and what was done to reach them."""

    content: bytes
    notes: tuple[Message, ...] = ()


def unpack(path: Path, *, max_bytes: int = MAX_UNPACKED) -> Unpacked:
    """The bytes of the file at `path`, unpacked where it is gzip or a zip archive holding one file.

    Raises `Refused` for an empty file, one that unpacks to more than `max_bytes`, a broken, encrypted or
    nested archive, an archive of several files, and for a file that is no text (an Excel workbook, a web
    page, JSON, …), naming what it is. Raises OSError where the path cannot be read.
    """
    size = path.stat().st_size
    if size == 0:
        raise refuse(say("The file is empty. Please choose the file with your results."), "empty")
    if size > max_bytes:
        raise _too_large(max_bytes)
    with path.open("rb") as file:
        head = file.read(1024)
    if head.startswith(GZIP):
        return _unpack_gzip(path, max_bytes)
    if head.startswith(ZIP):
        return _unpack_zip(path, max_bytes)
    fault = foreign_fault(head)
    if fault is not None:
        raise fault
    return Unpacked(path.read_bytes())


def _unpack_gzip(path: Path, max_bytes: int) -> Unpacked:
    try:
        content = _collect(_gunzip(path), max_bytes)
    except (zlib.error, EOFError) as error:
        raise refuse(
            say("The gzip file is damaged or cut off. Please compress it again and send it once more."),
            "broken-archive",
        ) from error
    _refuse_foreign(content)
    return Unpacked(content)


def _gunzip(path: Path) -> Iterator[tuple[bytes, int]]:
    """The unpacked pieces of all members, none larger than a chunk, each with the packed bytes read so far.

    Raises zlib.error or EOFError, and Refused for too many members.
    """
    with path.open("rb") as file:
        member, members = zlib.decompressobj(wbits=31), 1
        waiting = file.read(_PACKED_CHUNK)
        while waiting:
            piece = member.decompress(waiting, _CHUNK)
            waiting = member.unconsumed_tail
            yield piece, file.tell() - len(waiting)
            if member.eof:
                # Some tools pad the last member with zero bytes; gzip itself ignores them.
                waiting = member.unused_data.lstrip(b"\0")
                while not waiting and (more := file.read(_PACKED_CHUNK)):
                    waiting = more.lstrip(b"\0")
                if waiting:
                    member, members = zlib.decompressobj(wbits=31), members + 1
                    if members > MAX_MEMBERS:
                        raise _too_many_members()
            elif not waiting:
                waiting = file.read(_PACKED_CHUNK)
        while not member.eof:
            piece = member.decompress(b"", _CHUNK)
            if not piece and not member.eof:
                raise EOFError
            yield piece, file.tell()


def _unpack_zip(path: Path, max_bytes: int) -> Unpacked:
    _refuse_crowded(path)
    try:
        with zipfile.ZipFile(path) as archive:
            entry = _only_entry(archive, max_bytes)
            with archive.open(entry) as file:
                # A directory that understates the size cannot hurt: zipfile reads no more than it says.
                content = file.read(entry.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise refuse(
            say("The zip archive is damaged or cut off. Please make it again and send it once more."),
            "broken-archive",
        ) from error
    if not content:
        raise refuse(say("The file inside the archive is empty."), "empty")
    _refuse_foreign(content)
    return Unpacked(content, (say("Read {file} from the zip archive.", file=_shown(entry.filename)),))


def _refuse_crowded(path: Path) -> None:
    """Counts the directory's entries without building it: zipfile makes an object of each."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for count, _ in enumerate(re.finditer(b"PK\x01\x02", content), start=1):
            if count > MAX_ENTRIES:
                raise refuse(
                    say(
                        "The zip archive holds more than {count} entries. Please send one run at a time.",
                        count=MAX_ENTRIES,
                    ),
                    "several-files",
                )


def _only_entry(archive: zipfile.ZipFile, max_bytes: int) -> zipfile.ZipInfo:
    names = archive.namelist()
    fault = archive_fault(names)
    if fault is not None:
        raise fault
    entries = [entry for entry in archive.infolist() if not _is_by_work(entry)]
    if not entries:
        raise refuse(say("The zip archive holds no file. Please put your results into it."), "empty")
    if len(entries) > 1:
        raise refuse(
            say(
                "The zip archive holds {count} files ({names}). Please send one run at a time.",
                count=len(entries),
                names=", ".join(_shown(entry.filename) for entry in entries[:5])
                + (", …" if len(entries) > 5 else ""),
            ),
            "several-files",
        )
    (entry,) = entries
    if _leads_elsewhere(entry):
        raise refuse(
            say("The zip archive holds a link or a path to elsewhere. Please put the file itself into it."),
            "link",
        )
    if entry.flag_bits & 0x1:
        raise refuse(
            say("The zip archive is protected by a password. Please send it without one."), "encrypted"
        )
    # Only these two are unpacked within bounds: zipfile lets the others burst by the whole ratio at once.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refuse(
            say("The zip archive uses a rare method of compression. Please send the file plain or as .gz."),
            "archive",
        )
    if entry.file_size > max_bytes:
        raise _too_large(max_bytes)
    if _is_bomb(entry.file_size, entry.compress_size):
        raise _bomb()
    return entry


def _is_by_work(entry: zipfile.ZipInfo) -> bool:
    """What macOS and Windows add to an archive by themselves, and folders."""
    parts = entry.filename.split("/")
    # A folder's name ends so; `is_dir` would ask for the last letter of a name that may have none.
    if entry.filename.endswith("/") or "__MACOSX" in parts[:-1]:
        return True
    return parts[-1] in (".DS_Store", "Thumbs.db", "desktop.ini") or parts[-1].startswith("._")


def _leads_elsewhere(entry: zipfile.ZipInfo) -> bool:
    """Nothing is ever written by an entry's name; an archive that tries has not been made by honest means."""
    parts = entry.filename.replace("\\", "/").split("/")
    is_path = ".." in parts or (not parts[0] and len(parts) > 1) or parts[0].endswith(":")
    return is_path or stat.S_ISLNK(entry.external_attr >> 16)


def _collect(pieces: Iterator[tuple[bytes, int]], max_bytes: int) -> bytes:
    """The pieces as one, as long as they stay within the bounds."""
    content = bytearray()
    for piece, packed in pieces:
        content += piece
        if len(content) > max_bytes:
            raise _too_large(max_bytes)
        if _is_bomb(len(content), packed):
            raise _bomb()
    return bytes(content)


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > max(RATIO_FREE, MAX_RATIO * packed)


def _bomb() -> Refused:
    return refuse(
        say(
            "The archive unpacks to more than {ratio} times its size, which no run does. "
            "If it is an honest run, please send it uncompressed.",
            ratio=MAX_RATIO,
        ),
        "bomb",
    )


def _refuse_foreign(content: bytes) -> None:
    if not content:
        raise refuse(say("The compressed file is empty."), "empty")
    fault = foreign_fault(content[:1024], nested=True)
    if fault is not None:
        raise fault


def _too_many_members() -> Refused:
    return refuse(
        say(
            "The gzip file consists of more than {count} parts. Please compress it in one piece.",
            count=MAX_MEMBERS,
        ),
        "bomb",
    )


def _too_large(max_bytes: int) -> Refused:
    return refuse(
        say(
            "The file has more than {megabytes} MB of text, far more than a run needs. "
            "Please check that it is the right file.",
            megabytes=round(max_bytes / (1024 * 1024), 1),
        ),
        "too-large",
    )


def _shown(name: str) -> str:
    return name if len(name) <= 80 else name[:80] + "…"
