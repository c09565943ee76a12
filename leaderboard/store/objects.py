"""Files by content in an object store (S3), with copies on this machine of what was read or written here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from leaderboard.store.files import ORPHAN_AGE, ContentStore, FileMissing, Files

COPIES_AGE = 7 * 24 * 3600.0
"""A copy on this machine that nobody has read for so many seconds is removed; it can be fetched again."""

CONNECT, READ = 5, 30
"""So many seconds an object store has to answer at all, and between two parts of an answer."""


class StorageUnavailable(OSError):
    """The store refuses, or does not answer. Nothing half was kept; the same can be tried again."""


class ObjectStore(ContentStore):
    """Files by content under a prefix of a bucket. `root` is a folder of this machine, for files that arrive
    and for copies.

    Writing is: the whole file on this machine, then one object under its hash, which the store shows once it
    is whole. Reading compares what came with the hash.
    """

    def __init__(
        self,
        root: Path,
        prefix: str,
        connect: Callable[[], Any],
        *,
        file_mode: int = 0o644,
        folder_mode: int = 0o755,
    ) -> None:
        super().__init__(root, file_mode=file_mode, folder_mode=folder_mode)
        self._prefix = prefix
        self._connect = connect

    def path(self, file_hash: str) -> Path:
        """Where a reader on this machine finds the file, fetched if need be. Raises FileMissing,
        StorageUnavailable."""
        place = self._place(file_hash)
        if place.is_file():
            # Copies that are read stay.
            os.utime(place)
            return place
        self._fetch(file_hash)
        return place

    def remove(self, file_hash: str) -> None:
        """Forgets a file that no row names, here and in the store; copies elsewhere go as old ones. Raises
        StorageUnavailable."""
        self._place(file_hash)
        with suppress(FileNotFoundError), _answering():
            self._connect().rm_file(self._key(file_hash))
        super().remove(file_hash)

    def sweep(self, now: float, age: float = ORPHAN_AGE) -> int:
        """Removes old temporary files, and copies that nobody has read for long."""
        removed = super().sweep(now, age)
        for place in self.root.glob("[0-9a-f][0-9a-f]/*"):
            if now - place.stat().st_mtime > COPIES_AGE:
                place.unlink(missing_ok=True)
                removed += 1
        return removed

    def probe(self) -> None:
        """Writes, reads and removes a small object. Raises StorageUnavailable."""
        name = f"{self._prefix}/incoming/{os.getpid()}"
        with _answering():
            store = self._connect()
            store.pipe_file(name, b"probe")
            store.invalidate_cache()
            if store.cat_file(name) != b"probe":
                raise StorageUnavailable("it does not give back what was written")
            store.rm_file(name)

    def _keep(self, temporary: Path, file_hash: str) -> None:
        self._place(file_hash)
        with _answering():
            self._connect().put_file(str(temporary), self._key(file_hash))
        super()._keep(temporary, file_hash)

    def _fetch(self, file_hash: str) -> None:
        descriptor, name = tempfile.mkstemp(dir=self.draft_folder())
        os.close(descriptor)
        temporary = Path(name)
        try:
            try:
                with _answering():
                    self._connect().get_file(self._key(file_hash), name)
            except FileNotFoundError as error:
                raise FileMissing(file_hash, Path(self._prefix)) from error
            if self.measured(temporary).file_hash != file_hash:
                raise StorageUnavailable(f"what came for {file_hash} is not what was kept")
            temporary.chmod(self._file_mode)
            super()._keep(temporary, file_hash)
        finally:
            temporary.unlink(missing_ok=True)

    def _key(self, file_hash: str) -> str:
        return f"{self._prefix}/{file_hash[:2]}/{file_hash}"


@contextmanager
def _answering() -> Iterator[None]:
    """Whatever a store, and the ways to it, may raise, in one word."""
    try:
        yield
    except (FileNotFoundError, StorageUnavailable):
        raise
    except Exception as error:
        # botocore, aiohttp and s3fs have no class in common.
        raise StorageUnavailable(f"{type(error).__name__}: {error}") from error


def files_at(url: str, instance: Path) -> Files:
    """The two places for files at an address: ``s3://BUCKET/PREFIX`` or a folder (``file:///FOLDER``); none
    for those in the instance folder. Raises ValueError for any other, ImportError where s3fs is lacking."""
    if not url:
        return Files.under(instance)
    scheme, _, place = url.partition("://")
    if scheme == "file" and place.startswith("/"):
        return Files.under(Path(place))
    if scheme != "s3" or not place.strip("/"):
        raise ValueError("it is written as s3://BUCKET/PREFIX or file:///FOLDER")
    import s3fs  # noqa: F401 - asked for here, so that it is missed at once

    connect, prefix = _Connection(), place.strip("/")
    copies = instance / "copies"
    return Files(
        kept=ObjectStore(copies / "files", f"{prefix}/files", connect),
        gold=ObjectStore(copies / "gold", f"{prefix}/gold", connect, file_mode=0o600, folder_mode=0o700),
    )


class _Connection:
    """Connects when it is first needed: one made before a process forks would not work after it."""

    def __init__(self) -> None:
        self._process = 0
        self._store: Any = None

    def __call__(self) -> Any:
        if self._process != os.getpid():
            import fsspec

            self._store = fsspec.filesystem(
                "s3",
                skip_instance_cache=True,
                use_listings_cache=False,
                config_kwargs={
                    "connect_timeout": CONNECT,
                    "read_timeout": READ,
                    "retries": {"max_attempts": 2, "mode": "standard"},
                },
            )
            self._store.retries = 2
            self._process = os.getpid()
        return self._store
