"""Files by the SHA-256 of their content: a file that is there is whole, and never changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20
ORPHAN_AGE = 24 * 3600.0
"""A temporary file this many seconds old belongs to a process that was killed."""


class FileMissing(Exception):
    """The file of this hash is not in the store, though something refers to it."""

    def __init__(self, file_hash: str, root: Path) -> None:
        self.file_hash = file_hash
        super().__init__(f"no file {file_hash} in {root}; restore it from a backup")


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that is kept: its SHA-256 and its size in bytes."""

    file_hash: str
    size: int


class ContentStore:
    """One directory of files by content. `file_mode` and `folder_mode` are what the system lets others do.

    Writing is: a temporary name, all bytes to the disk, then one rename. A process killed in between leaves
    at most a temporary file, which `sweep` removes.
    """

    def __init__(self, root: Path, *, file_mode: int = 0o644, folder_mode: int = 0o755) -> None:
        self.root = root
        self._file_mode = file_mode
        self._folder_mode = folder_mode

    def put(self, stream: BinaryIO) -> Stored:
        """Keeps what `stream` gives, without holding it in memory; keeping it twice is the same as once."""
        digest = hashlib.sha256()
        size = 0
        incoming = self._folder(self.root / "incoming")
        descriptor, name = tempfile.mkstemp(dir=incoming)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as target:
                while chunk := stream.read(CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    target.write(chunk)
                target.flush()
                os.fchmod(target.fileno(), self._file_mode)
                os.fsync(target.fileno())
            self._keep(temporary, digest.hexdigest())
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return Stored(digest.hexdigest(), size)

    def put_file(self, path: Path) -> Stored:
        """`put` for a file on this machine."""
        with path.open("rb") as stream:
            return self.put(stream)

    def draft(self) -> Path:
        """A new empty file on the same disk, to be written and then handed to `keep`. Whoever gives it up
        removes it; `sweep` removes it from a process that was killed."""
        descriptor, name = tempfile.mkstemp(dir=self.draft_folder())
        os.close(descriptor)
        return Path(name)

    def draft_folder(self) -> Path:
        """Where drafts lie."""
        return self._folder(self.root / "incoming")

    def measured(self, path: Path) -> Stored:
        """What `keep` would call the file at `path`."""
        digest = hashlib.sha256()
        size = 0
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
        return Stored(digest.hexdigest(), size)

    def keep(self, draft: Path, measured: Stored) -> None:
        """Keeps a whole `draft` under its hash without copying it; the draft is gone then."""
        descriptor = os.open(draft, os.O_RDONLY)
        try:
            os.fchmod(descriptor, self._file_mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._keep(draft, measured.file_hash)

    def path(self, file_hash: str) -> Path:
        """Where a reader on this machine finds the file. Raises FileMissing."""
        path = self._place(file_hash)
        if not path.is_file():
            raise FileMissing(file_hash, self.root)
        return path

    def open(self, file_hash: str) -> BinaryIO:
        """The file, opened for reading. Raises FileMissing."""
        return self.path(file_hash).open("rb")

    def remove(self, file_hash: str) -> None:
        """Forgets a file that no row names; nothing where it is not there."""
        self._place(file_hash).unlink(missing_ok=True)

    def folder(self, files: Mapping[str, str]) -> Path:
        """A folder that holds the given files (name to hash) under their names; the same folder each time.

        Raises FileMissing.
        """
        listing = "\n".join(f"{name}\0{file_hash}" for name, file_hash in sorted(files.items()))
        folders = self._folder(self.root / "folders")
        folder = folders / hashlib.sha256(listing.encode()).hexdigest()
        if folder.is_dir():
            return folder
        made = Path(tempfile.mkdtemp(dir=self._folder(self.root / "incoming")))
        made.chmod(self._folder_mode)
        for name, file_hash in files.items():
            _link(self.path(file_hash), made / name)
        try:
            made.rename(folder)
        except OSError:
            # Another process was first; what it made holds the same.
            shutil.rmtree(made)
            if not folder.is_dir():
                raise
        return folder

    def sweep(self, now: float, age: float = ORPHAN_AGE) -> int:
        """Removes temporary files older than `age` seconds at `now` (since 1970); returns how many."""
        incoming = self.root / "incoming"
        if not incoming.is_dir():
            return 0
        old = [path for path in incoming.iterdir() if now - path.stat().st_mtime > age]
        for path in old:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return len(old)

    def _place(self, file_hash: str) -> Path:
        if len(file_hash) != 64 or not set(file_hash) <= set("0123456789abcdef"):
            raise FileMissing(file_hash, self.root)
        return self.root / file_hash[:2] / file_hash

    def _keep(self, temporary: Path, file_hash: str) -> None:
        place = self._place(file_hash)
        self._folder(place.parent)
        # Also over a file that is there already: that heals one whose bytes were damaged.
        temporary.replace(place)
        _sync(place.parent)

    def _folder(self, folder: Path) -> Path:
        if not folder.is_dir():
            for missing in reversed([folder, *folder.parents]):
                if not missing.is_dir():
                    missing.mkdir(mode=self._folder_mode, exist_ok=True)
                    _sync(missing.parent)
        return folder


@dataclass(frozen=True, slots=True)
class Files:
    """The two places for files: `kept` for runs, public inputs and resources, `gold` for hidden benchmarks,
    which nobody but the owner of the process may read and nothing serves."""

    kept: ContentStore
    gold: ContentStore

    @classmethod
    def under(cls, instance: Path) -> Files:
        """The places in an instance folder."""
        return cls(
            kept=ContentStore(instance / "files"),
            gold=ContentStore(instance / "gold", file_mode=0o600, folder_mode=0o700),
        )

    def sweep(self, now: float) -> int:
        """Removes what killed processes left behind in both; returns how many files."""
        return self.kept.sweep(now) + self.gold.sweep(now)


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def _sync(folder: Path) -> None:
    """A rename survives a power cut only once its folder is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
