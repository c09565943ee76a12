"""The whole site in one file, while it runs; and all of it back, or nothing.

One state of the database is written as rows, the same for SQLite and PostgreSQL, so that a backup of the one
restores into the other. Files are only ever added under their hash; what that state refers to is therefore
still there when it is copied afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, insert, select, update
from sqlalchemy.exc import DataError, IntegrityError

from leaderboard.contract import say
from leaderboard.services.archive_numbers import BrokenRecord
from leaderboard.services.errors import ServiceError
from leaderboard.services.rescoring import Progress
from leaderboard.store import schema
from leaderboard.store.files import ContentStore, FileMissing, Files, Stored
from leaderboard.store.models import Base
from leaderboard.store.packages import BadPackage, Package, PackageWriter, opened
from leaderboard.store.rows import BrokenRow, as_json, count_on, from_json
from leaderboard.store.secret import NAME as SECRET
from leaderboard.store.session import Database, hold_still

KIND = "backup of a site"
VERSION = 1
AT_ONCE = 500
"""So many rows go into one statement."""


class BackupRefused(ServiceError):
    """The backup cannot be made or restored; `message` says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a backup has."""

    rows: int
    files: int
    size: int


def save(database: Database, files: Files, instance: Path, target: Path, progress: Progress) -> Saved:
    """Writes a backup of everything to `target`, which only its owner may read: it has passwords' hashes and
    the hidden benchmarks. The site may go on meanwhile. What is there under that name stays until the new one
    is whole.

    Raises BackupRefused where a file that rows name is missing or damaged, and OSError.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        saved = _write(database, files, instance, draft, progress)
        _sync(draft)
        draft.replace(target)
        _sync(target.parent)
    finally:
        draft.unlink(missing_ok=True)
    return saved


def _write(database: Database, files: Files, instance: Path, draft: Path, progress: Progress) -> Saved:
    package = PackageWriter(draft, lambda: progress(min(len(package.entries), whole - 1), whole))
    named: dict[str, set[str]] = {"files": set(), "gold": set()}
    whole = len(Base.metadata.sorted_tables) + 1
    rows = 0
    try:
        with database.reading() as session:
            hold_still(session)
            for table in Base.metadata.sorted_tables:
                counted = _Counted(_rows(session.connection(), table, named))
                package.add_rows(f"tables/{table.name}.jsonl", counted)
                rows += counted.count
        whole += len(named["files"]) + len(named["gold"])
        for place, store in _stores(files).items():
            for file_hash in sorted(named[place]):
                _add(package, store, place, file_hash)
        secret = instance / SECRET
        if secret.is_file():
            package.add(SECRET, [secret.read_bytes()])
        about = {"kind": KIND, "version": VERSION, "revision": schema.newest_revision(), "rows": rows}
        package.close(about)
    finally:
        package.give_up()
    count = len(named["files"]) + len(named["gold"])
    return Saved(rows, count, draft.stat().st_size)


class _Counted:
    """Rows that are counted while they go by."""

    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            self.count += 1
            yield row


def _rows(connection: Connection, table: Table, named: dict[str, set[str]]) -> Iterator[dict[str, Any]]:
    """The rows of a table; the files that they name are added to `named`."""
    statement = select(table).order_by(*table.primary_key.columns)
    for row in connection.execute(statement, execution_options={"yield_per": AT_ONCE}).mappings():
        parts = as_json(table, dict(row))
        for place, file_hash in _hashes(table.name, parts):
            named[place].add(file_hash)
        yield parts


def _hashes(table: str, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where the files lie that a row names, and their hashes."""
    if table in ("run", "input_file", "resource"):
        yield "files", row["file_hash"]
    if table == "resource":
        yield from (("files", each["file_hash"]) for each in row["files"].values())
    if table == "gold_version" and row["has_file"]:
        yield "gold", row["file_hash"]
    if table == "archive" and row["file_hash"] is not None:
        yield "gold" if row["with_gold"] else "files", row["file_hash"]


def _stores(files: Files) -> dict[str, ContentStore]:
    return {"files": files.kept, "gold": files.gold}


def _add(package: PackageWriter, store: ContentStore, place: str, file_hash: str) -> None:
    try:
        with store.open(file_hash) as stream:
            written = package.add_stream(f"{place}/{file_hash}", stream)
    except FileMissing as missing:
        raise BackupRefused(
            say("The file {hash} is missing from the storage; no backup was made.", hash=file_hash)
        ) from missing
    if written.sha256 != file_hash:
        raise BackupRefused(
            say(
                "The file {hash} in the storage is damaged: its content is another; no backup was made.",
                hash=file_hash,
            )
        )


def check(source: Path, progress: Progress) -> Saved:
    """Reads a whole backup and compares every entry with its hash; changes nothing. Raises BackupRefused."""
    try:
        with opened(source, KIND, VERSION) as package:
            package.verify(progress)
            files = sum(path.startswith(("files/", "gold/")) for path in package.entries)
            return Saved(int(package.about.get("rows", 0)), files, source.stat().st_size)
    except BadPackage as bad:
        raise _refused(bad) from bad


def restore(
    database: Database,
    files: Files,
    instance: Path,
    source: Path,
    progress: Progress,
    *,
    empty_first: bool = False,
) -> Saved:
    """Puts everything of a backup where there is nothing; with `empty_first`, in place of all that is there.

    Every entry is compared with its hash first. Files come before rows, and all rows in one transaction, so
    that a kill leaves what was there. Raises BackupRefused, BrokenRecord.
    """
    try:
        with opened(source, KIND, VERSION) as package:
            _require_this_version(package)
            if not empty_first:
                _require_nothing(database)
            package.verify(progress)
            return _restore(database, files, instance, package, source)
    except BadPackage as bad:
        raise _refused(bad) from bad
    except (BrokenRow, IntegrityError, DataError) as broken:
        raise BrokenRecord(str(broken).splitlines()[0][:200]) from broken


def _refused(bad: BadPackage) -> BackupRefused:
    return BackupRefused(say("The backup is refused: {why} Nothing was changed.", why=bad.message))


def _require_this_version(package: Package) -> None:
    revision = package.about.get("revision")
    if revision != schema.newest_revision():
        raise BackupRefused(
            say(
                "The backup is of database version {found}, and this program works with {newest}: restore it "
                "with the program that made it, then upgrade by `init`. Nothing was changed.",
                found=str(revision)[:20],
                newest=schema.newest_revision(),
            )
        )


def _require_nothing(database: Database) -> None:
    """What `init` has made is nothing: tasks, their phases, and the word for what boards show. Raises
    BackupRefused."""
    if schema.current_revision(database) is None:
        return
    if schema.current_revision(database) != schema.newest_revision():
        raise BackupRefused(
            say("There is a database of another version here; a backup is restored where there is none.")
        )
    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            if (
                table.name not in ("task", "phase", "stamp")
                and session.execute(select(table).limit(1)).first()
            ):
                raise BackupRefused(
                    say(
                        "This installation is in use ({table} has rows). A backup is restored into an empty "
                        "one, or in place of everything with --replace-everything. Nothing was changed.",
                        table=table.name,
                    )
                )


def _restore(database: Database, files: Files, instance: Path, package: Package, source: Path) -> Saved:
    count = 0
    for path in package.entries:
        place, _, file_hash = path.partition("/")
        store = _stores(files).get(place)
        if store is not None:
            _keep(package, path, store, file_hash)
            count += 1
    rows = 0

    def fill(connection: Connection) -> None:
        nonlocal rows
        for table in Base.metadata.sorted_tables:
            rows += _fill(connection, package, table)

    secret = _secret_of(package, instance)
    try:
        schema.make_anew(database, fill)
        if secret is not None:
            secret.replace(instance / SECRET)
    finally:
        if secret is not None:
            secret.unlink(missing_ok=True)
    return Saved(rows, count, source.stat().st_size)


def _keep(package: Package, path: str, store: ContentStore, file_hash: str) -> None:
    entry = package.entries[path]
    if entry.sha256 != file_hash:
        raise BackupRefused(say("The backup is refused: {entry} has another content.", entry=path))
    with suppress(FileMissing):
        if store.measured(store.path(file_hash)).file_hash == file_hash:
            return
    draft = store.draft()
    try:
        with draft.open("wb") as target:
            for piece in package.pieces(path):
                target.write(piece)
        store.keep(draft, Stored(file_hash, entry.size))
    finally:
        draft.unlink(missing_ok=True)


def _fill(connection: Connection, package: Package, table: Table) -> int:
    """The rows of a table. What refers to rows of the same table is set once all of them are there."""
    own = [column for column in table.columns if _refers_to_itself(column)]
    later: list[dict[str, Any]] = []
    batch: list[dict[str, Any]] = []
    count = 0
    for parts in package.rows(f"tables/{table.name}.jsonl"):
        row = from_json(table, parts)
        count += 1
        if any(row[column.name] is not None for column in own):
            later.append({"id": row["id"], **{column.name: row[column.name] for column in own}})
            row |= {column.name: None for column in own}
        batch.append(row)
        if len(batch) == AT_ONCE:
            connection.execute(insert(table), batch)
            batch = []
    if batch:
        connection.execute(insert(table), batch)
    for row in later:
        connection.execute(update(table).where(table.c.id == row.pop("id")).values(row))
    count_on(connection, table)
    return count


def _refers_to_itself(column: Column[Any]) -> bool:
    return any(key.column.table is column.table for key in column.foreign_keys)


def _secret_of(package: Package, instance: Path) -> Path | None:
    """The secret of the backup, laid ready beside where it belongs."""
    if SECRET not in package.entries:
        return None
    instance.mkdir(parents=True, exist_ok=True)
    fresh = instance / f".{SECRET}.restored"
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_bytes(b"".join(package.pieces(SECRET)))
    _sync(fresh)
    return fresh


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
