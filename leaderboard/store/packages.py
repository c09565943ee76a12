"""ZIP files that tell what is in them: every entry stands in ``manifest.json`` with its size and SHA-256.

What is written depends on what is put in alone, so that the same things give the same bytes. What is read
is trusted in nothing: not the names, the sizes or the contents.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from leaderboard.contract import Message, say
from leaderboard.store.files import CHUNK

MANIFEST = "manifest.json"
LARGEST_MANIFEST = 64 << 20
"""So many bytes of a manifest are read at most."""

ALWAYS_ALLOWED = 1 << 30
TIMES_ITS_SIZE = 200
"""A package may unpack to `ALWAYS_ALLOWED` bytes, or to so many times its own size where that is more."""

_MIDNIGHT = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP knows; every entry has it."""

_READABLE = 0o100644 << 16


class BadPackage(Exception):
    """The file is no package of this kind, or not as it was written; `message` says it to a person."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a package."""

    path: str
    size: int
    sha256: str


class PackageWriter:
    """Writes a package to a file, an entry at a time; `tick` is called every now and then."""

    def __init__(self, target: Path, tick: Callable[[], None] = lambda: None) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self._tick = tick
        self.entries: dict[str, Entry] = {}

    def add(self, path: str, pieces: Iterable[bytes]) -> Entry:
        """An entry whose content comes in pieces. Two of one name are a mistake of the program."""
        if path in self.entries:
            raise ValueError(f"{path} is in the package already")
        entry = self.entries[path] = self._write(path, pieces)
        return entry

    def add_lines(self, path: str, lines: Iterable[str]) -> Entry:
        """An entry of text; each line has its own end."""
        return self.add(path, (line.encode("utf-8") for line in lines))

    def add_rows(self, path: str, rows: Iterable[Mapping[str, Any]]) -> Entry:
        """An entry of one JSON object a line."""
        return self.add_lines(path, (json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def add_document(self, path: str, document: Any) -> Entry:
        """An entry that is one JSON document, for people to read too."""
        return self.add_lines(path, [_document(document)])

    def add_stream(self, path: str, stream: BinaryIO) -> Entry:
        """An entry that is copied from an open file."""
        return self.add(path, iter(lambda: stream.read(CHUNK), b""))

    def close(self, about: Mapping[str, Any]) -> None:
        """Writes the manifest, which begins with what `about` says of the package, and ends the file."""
        entries = [
            {"path": entry.path, "size": entry.size, "sha256": entry.sha256}
            for _, entry in sorted(self.entries.items())
        ]
        self._write(MANIFEST, [_document({**about, "entries": entries}).encode("utf-8")])
        self._zip.close()

    def give_up(self) -> None:
        """Closes the file without a manifest: it is not a package then."""
        self._zip.close()

    def _write(self, path: str, pieces: Iterable[bytes]) -> Entry:
        info = zipfile.ZipInfo(path, _MIDNIGHT)
        info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, _READABLE, 3
        digest = hashlib.sha256()
        size = 0
        with self._zip.open(info, "w", force_zip64=True) as target:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                target.write(piece)
                self._tick()
        return Entry(path, size, digest.hexdigest())


def _document(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=False) + "\n"


class Package:
    """A package that is open for reading. Whatever is read raises BadPackage where it is not what the
    manifest says."""

    def __init__(self, source: zipfile.ZipFile, about: Mapping[str, Any], entries: tuple[Entry, ...]) -> None:
        self._zip = source
        self.about = about
        self.entries = {entry.path: entry for entry in entries}

    @property
    def size(self) -> int:
        """How many bytes all entries have."""
        return sum(entry.size for entry in self.entries.values())

    def verify(self, progress: Callable[[int, int], None]) -> None:
        """Reads every entry once and compares it with the manifest; `progress` is told bytes of bytes."""
        done = 0
        whole = self.size
        for entry in self.entries.values():
            for piece in self.pieces(entry.path):
                done += len(piece)
                progress(min(done, whole - 1) if whole else 0, max(whole, 1))

    def pieces(self, path: str) -> Iterator[bytes]:
        """The content of an entry. What is wrong with it may be known only at its end."""
        entry = self._entry(path)
        digest = hashlib.sha256()
        size = 0
        with _readable(path), self._zip.open(path) as source:
            while piece := source.read(min(CHUNK, entry.size - size + 1)):
                size += len(piece)
                if size > entry.size:
                    break
                digest.update(piece)
                yield piece
        if size != entry.size or digest.hexdigest() != entry.sha256:
            raise BadPackage(
                say(
                    "{entry} is not what the manifest says: its SHA-256 is another. The file was changed or "
                    "damaged; get a fresh copy.",
                    entry=path,
                )
            )

    def rows(self, path: str) -> Iterator[dict[str, Any]]:
        """The JSON objects of an entry, a line each."""
        for number, line in enumerate(self._lines(path), 1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise BadPackage(say("{entry}: line {line} is no JSON object.", entry=path, line=number))
            yield row

    def _lines(self, path: str) -> Iterator[bytes]:
        rest = b""
        for piece in self.pieces(path):
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
        if rest:
            yield rest

    def _entry(self, path: str) -> Entry:
        try:
            return self.entries[path]
        except KeyError:
            raise BadPackage(say("{entry} is missing.", entry=path)) from None


@contextmanager
def opened(path: Path, kind: str, version: int, called: str = "") -> Iterator[Package]:
    """A package of a kind, which its writer named in ``about`` as `kind` and `version`. People know the file
    as `called`, by default by its name here.

    Its list of entries is checked here, their contents where they are read. Raises BadPackage.
    """
    name = called or path.name
    try:
        source = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError) as error:
        raise BadPackage(say("{file} is no ZIP file, or is damaged: {why}", file=name, why=error)) from error
    with source:
        about = _manifest(source, name)
        if about.get("kind") != kind:
            raise BadPackage(say("{file} is no {kind}: its manifest says otherwise.", file=name, kind=kind))
        if about.get("version") != version:
            raise BadPackage(
                say(
                    "{file} is of version {found} of its format, and this program reads version {version}; "
                    "use the program of that version.",
                    file=name,
                    found=str(about.get("version"))[:20],
                    version=version,
                )
            )
        entries = _entries(about)
        _check(source, name, path.stat().st_size, entries)
        yield Package(source, about, entries)


def _manifest(source: zipfile.ZipFile, name: str) -> Mapping[str, Any]:
    try:
        with _readable(MANIFEST), source.open(MANIFEST) as stream:
            text = _at_most(stream, LARGEST_MANIFEST)
        about = json.loads(text)
    except KeyError:
        raise BadPackage(say("{file} has no {entry}.", file=name, entry=MANIFEST)) from None
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise BadPackage(say("{entry} cannot be read; the file is damaged.", entry=MANIFEST))
    return about


def _at_most(stream: IO[bytes], most: int) -> bytes:
    text = stream.read(most + 1)
    if len(text) > most:
        raise BadPackage(say("{entry} is too large to be one.", entry=MANIFEST))
    return text


def _entries(about: Mapping[str, Any]) -> tuple[Entry, ...]:
    try:
        found = tuple(Entry(each["path"], each["size"], each["sha256"]) for each in about["entries"])
    except (KeyError, TypeError):
        found = ()
    well_formed = all(
        isinstance(entry.path, str)
        and isinstance(entry.sha256, str)
        and isinstance(entry.size, int)
        and entry.size >= 0
        for entry in found
    )
    if not found or not well_formed:
        raise BadPackage(say("{entry} cannot be read; the file is damaged.", entry=MANIFEST))
    return found


def _check(source: zipfile.ZipFile, called: str, size: int, entries: tuple[Entry, ...]) -> None:
    """That the file holds what its manifest lists, no more, no less, and is not made to do harm."""
    there = source.namelist()
    for name in there:
        if not _is_plain(name):
            raise BadPackage(
                say('The name "{entry}" leads out of the package; it was made to do harm.', entry=name[:100])
            )
    if len(set(there)) != len(there) or len({entry.path for entry in entries}) != len(entries):
        raise BadPackage(say("{file} has an entry twice.", file=called))
    listed = {entry.path for entry in entries}
    missing = sorted(listed - set(there))
    if missing:
        raise BadPackage(say("{entry} is missing.", entry=missing[0]))
    unknown = sorted(set(there) - listed - {MANIFEST})
    if unknown:
        raise BadPackage(say("{entry} is not in the manifest.", entry=unknown[0]))
    allowed = max(ALWAYS_ALLOWED, TIMES_ITS_SIZE * size)
    whole = max(sum(entry.size for entry in entries), sum(info.file_size for info in source.infolist()))
    if whole > allowed:
        raise BadPackage(
            say(
                "{file} would unpack to {size} MB, far more than its own size; it is not unpacked.",
                file=called,
                size=whole // 1_000_000,
            )
        )


def _is_plain(name: str) -> bool:
    parts = name.split("/")
    return "\\" not in name and "\0" not in name and ":" not in name and not {"", ".", ".."} & set(parts)


@contextmanager
def _readable(entry: str) -> Iterator[None]:
    """Whatever a broken, encrypted or strangely compressed entry raises, as one error."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError) as error:
        raise BadPackage(say("{entry} cannot be read: {why}", entry=entry, why=error)) from error
