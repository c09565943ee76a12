"""Bringing an archive into an installation that has nothing of its task yet.

Everything is checked first; then the files are laid ready, and one transaction writes all rows and gives the
files their place. What is refused, or broken off, leaves nothing behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from leaderboard.catalog import CatalogError
from leaderboard.contract import TaskSpec, say
from leaderboard.services.archive_numbers import BrokenRecord
from leaderboard.services.archive_records import KIND, VERSION
from leaderboard.services.archive_rows import ArchiveRefused, Imported, record_of, require_nothing, write
from leaderboard.services.audit import Actor
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.store.files import ContentStore, FileMissing, Files, Stored
from leaderboard.store.packages import BadPackage, Package, opened
from leaderboard.store.rows import BrokenRow


@dataclass(eq=False)
class _Ready:
    """Files that wait beside the store for the rows that name them."""

    store: ContentStore
    drafts: dict[str, tuple[Path, Stored]] = field(default_factory=dict)

    def keep(self) -> None:
        for draft, stored in self.drafts.values():
            self.store.keep(draft, stored)

    def give_up(self) -> None:
        for draft, _ in self.drafts.values():
            draft.unlink(missing_ok=True)


def bring(
    transactions: Transactions,
    files: Files,
    find: Callable[[str], TaskSpec],
    path: Path,
    actor: Actor,
    clock: Clock,
    progress: Progress,
    confirm: Callable[[Session], None] = lambda _session: None,
    called: str = "",
) -> Imported:
    """Imports the archive at `path`, which people know as `called` (by default by its name here).

    `find` knows the folders of tasks. Raises ArchiveRefused, BrokenRecord.

    Where runs keep their numbers, every ranking reads as it did where the archive was made, to the byte.
    """
    try:
        with opened(path, KIND, VERSION, called) as package:
            return _bring(transactions, files, find, package, actor, clock, progress, confirm)
    except BadPackage as bad:
        raise ArchiveRefused(
            say("The archive is refused: {why} Nothing was imported.", why=bad.message)
        ) from bad
    except (BrokenRow, IntegrityError, DataError) as broken:
        raise BrokenRecord(_first_line(broken)) from broken
    except SQLAlchemyError as broken:
        if isinstance(broken, DBAPIError):
            raise
        # Rows of one table that do not have the same columns.
        raise BrokenRecord(_first_line(broken)) from broken


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200]


def _bring(
    transactions: Transactions,
    files: Files,
    find: Callable[[str], TaskSpec],
    package: Package,
    actor: Actor,
    clock: Clock,
    progress: Progress,
    confirm: Callable[[Session], None],
) -> Imported:
    name = _task_of(package, find)
    with transactions.reading() as session:
        require_nothing(session, name)
    _require_room(files, package)
    package.verify(progress)
    ready = (_Ready(files.kept), _Ready(files.gold))
    try:
        _lay_ready(package, *ready, lambda: progress(0, 1))
        with transactions.writing() as session:
            confirm(session)
            imported = write(session, package, name, actor, clock())
            for each in ready:
                each.keep()
    finally:
        for each in ready:
            each.give_up()
    return imported


def _task_of(package: Package, find: Callable[[str], TaskSpec]) -> str:
    """The task's name. Raises ArchiveRefused where its folder is not here."""
    name, based_on = package.about.get("task"), package.about.get("based_on")
    if not (isinstance(name, str) and isinstance(based_on, str)):
        raise ArchiveRefused(say("The manifest of this archive names no task; nothing was imported."))
    try:
        find(based_on)
    except CatalogError as unknown:
        raise ArchiveRefused(
            say(
                "The archive is of the task {task}, whose folder {folder} is not among the tasks of this "
                "installation: put it where LEADERBOARD_TASKS says. Nothing was imported.",
                task=name,
                folder=based_on,
            )
        ) from unknown
    tasks = list(package.rows(record_of("task").path))
    if len(tasks) != 1 or tasks[0].get("name") != name or (tasks[0].get("based_on") or name) != based_on:
        raise BrokenRecord("task")
    return name


def _require_room(files: Files, package: Package) -> None:
    root = files.kept.root
    there = next(folder for folder in (root, *root.parents) if folder.is_dir())
    free = shutil.disk_usage(there).free
    if package.size > free:
        raise ArchiveRefused(
            say(
                "The archive unpacks to {size} MB and {free} MB are free; nothing was imported.",
                size=package.size // 1_000_000,
                free=free // 1_000_000,
            )
        )


def _lay_ready(package: Package, kept: _Ready, gold: _Ready, tick: Callable[[], None]) -> None:
    """Unpacks the files that rows name. Raises BrokenRecord where one is not there."""
    by_hash = {entry.sha256: entry for entry in package.entries.values()}
    for table, ready in (("input_file", kept), ("run", kept), ("resource", kept), ("gold_version", gold)):
        for row in package.rows(record_of(table).path):
            for file_hash in _hashes(table, row):
                entry = by_hash.get(file_hash)
                if entry is None:
                    raise BrokenRecord(f"{table}: the file {file_hash} is missing")
                if file_hash not in ready.drafts and not _has(ready.store, file_hash):
                    tick()
                    _unpack(package, entry.path, ready)


def _hashes(table: str, row: Mapping[str, Any]) -> Iterator[str]:
    try:
        if table == "gold_version" and not row["has_file"]:
            return
        yield row["file_hash"]
        if table == "resource":
            yield from (each["file_hash"] for each in row["files"].values())
    except (AttributeError, KeyError, TypeError) as error:
        raise BrokenRecord(f"{table}: {error!r}") from error


def _has(store: ContentStore, file_hash: str) -> bool:
    with suppress(FileMissing):
        return store.path(file_hash).is_file()
    return False


def _unpack(package: Package, path: str, ready: _Ready) -> None:
    entry = package.entries[path]
    draft = ready.store.draft()
    ready.drafts[entry.sha256] = (draft, Stored(entry.sha256, entry.size))
    with draft.open("wb") as target:
        for piece in package.pieces(path):
            target.write(piece)
