"""Bringing an archive into an installation that has nothing of its task yet.

Everything is checked first; then the files are laid ready, and one transaction writes all rows and gives the
files their place. What is refused, or broken off, leaves nothing behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from leaderboard.catalog import CatalogError
from leaderboard.contract import TaskSpec, say
from leaderboard.services import audit
from leaderboard.services.archive_numbers import BrokenRecord, Numbers
from leaderboard.services.archive_records import KIND, RECORDS, VERSION, Record
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tables import Table as Ranking
from leaderboard.store import models
from leaderboard.store.files import ContentStore, FileMissing, Files, Stored
from leaderboard.store.packages import BadPackage, Package, opened
from leaderboard.store.rows import BrokenRow, from_json

AT_ONCE = 500
"""So many rows go into one statement."""

_STAYS = frozenset({"phase", "role", "audit_entry", "job"})
"""What a task may have here already: `init` makes its phases, and rights are given before runs come."""


class ArchiveRefused(ServiceError):
    """The archive cannot be imported; `message` says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in. `renumbered`: runs got other numbers than they had, since theirs are taken here."""

    task: str
    teams: int
    runs: int
    boards: int
    with_gold: bool
    renumbered: bool


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
) -> Imported:
    """Imports the archive at `path`; `find` knows the folders of tasks. Raises ArchiveRefused, BrokenRecord.

    Where runs keep their numbers, every ranking reads as it did where the archive was made, to the byte.
    """
    try:
        with opened(path, KIND, VERSION) as package:
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
        _require_nothing(session, name)
    _require_room(files, package)
    package.verify(progress)
    ready = (_Ready(files.kept), _Ready(files.gold))
    try:
        _lay_ready(package, *ready, lambda: progress(0, 1))
        with transactions.writing() as session:
            confirm(session)
            imported = _write(session, package, name, actor, clock())
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
    tasks = list(package.rows(_record("task").path))
    if len(tasks) != 1 or tasks[0].get("name") != name or (tasks[0].get("based_on") or name) != based_on:
        raise BrokenRecord("task")
    return name


def _require_nothing(session: Session, name: str) -> models.Task | None:
    """The row of a task that has nothing yet, None where there is none. Raises ArchiveRefused."""
    task = session.scalars(select(models.Task).where(models.Task.name == name)).one_or_none()
    if task is None:
        return None
    for table in models.Base.metadata.sorted_tables:
        if "task_id" not in table.c or table.name in _STAYS:
            continue
        if session.scalar(select(exists().where(table.c.task_id == task.id))):
            raise ArchiveRefused(
                say(
                    "The task {task} has rows in {table} here already; an archive is imported where its task "
                    "has nothing yet: a new installation. Nothing was imported.",
                    task=name,
                    table=table.name,
                )
            )
    return task


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
        for row in package.rows(_record(table).path):
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


def _write(session: Session, package: Package, name: str, actor: Actor, now: datetime) -> Imported:
    """All rows of the archive."""
    numbers = Numbers(session)
    here = _require_nothing(session, name)
    for record in RECORDS:
        if record.model is models.Task:
            _take_task(session, package, record, numbers, here)
            continue
        if "id" not in record.without:
            numbers.plan(record.table, list(_ids(package, record)))
        _insert(session, package, record, numbers)
    numbers.settle()
    session.flush()
    session.expire_all()
    task = session.scalars(select(models.Task).where(models.Task.name == name)).one()
    _stamp_boards(session, task.id)
    imported = Imported(
        task=name,
        teams=_count(package, "team"),
        runs=_count(package, "run"),
        boards=_count(package, "board"),
        with_gold=bool(package.about.get("gold")),
        renumbered=not numbers.kept(_record("run").table),
    )
    after = {"teams": imported.teams, "runs": imported.runs, "with_gold": imported.with_gold}
    audit.record(session, actor, task.id, Change("archive.imported", "task", task.id, name, after=after), now)
    return imported


def _take_task(
    session: Session, package: Package, record: Record, numbers: Numbers, here: models.Task | None
) -> None:
    """The row of the task, which `init` may have made here already."""
    (row,) = package.rows(record.path)
    if here is None:
        numbers.plan(record.table, list(_ids(package, record)))
        session.execute(
            insert(record.table), [from_json(record.table, numbers.renumbered(record.table, row))]
        )
        return
    session.execute(delete(models.Phase).where(models.Phase.task_id == here.id))
    numbers.fix(record.table, {row["id"]: here.id})
    values = from_json(record.table, numbers.renumbered(record.table, row))
    session.execute(update(record.table).where(record.table.c.id == here.id).values(values))


def _ids(package: Package, record: Record) -> Iterator[int]:
    for row in package.rows(record.path):
        number = row.get("id")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
            raise BrokenRecord(f"{record.table.name} has the number {str(number)[:20]}")
        yield number


def _insert(session: Session, package: Package, record: Record, numbers: Numbers) -> None:
    table = record.table
    later: list[dict[str, Any]] = []
    batch: list[dict[str, Any]] = []
    for raw in package.rows(record.path):
        row = from_json(table, numbers.renumbered(table, raw))
        if row.get("merged_into") is not None:
            # It may be a row that comes after this one.
            later.append({"id": row["id"], "merged_into": row["merged_into"]})
            row["merged_into"] = None
        batch.append(row)
        if len(batch) == AT_ONCE:
            session.execute(insert(table), batch)
            batch = []
    if batch:
        session.execute(insert(table), batch)
    for row in later:
        session.execute(update(table).where(table.c.id == row["id"]).values(merged_into=row["merged_into"]))


def _stamp_boards(session: Session, task_id: int) -> None:
    """Rows may have got other numbers, and a board knows by its fingerprint whether it has changed."""
    for board in session.scalars(select(models.Board).where(models.Board.task_id == task_id)).all():
        lines = session.scalars(
            select(models.Standing)
            .where(models.Standing.board_id == board.id)
            .order_by(models.Standing.position)
        ).all()
        board.fingerprint = Ranking(
            board.phase_id,
            board.stage,
            board.track,
            board.gold_version_id,
            board.scorer_version,
            board.versions,
            lines,  # type: ignore[arg-type] # a stored line has all that a computed one has
            settled=False,
        ).fingerprint
    session.flush()


def _count(package: Package, table: str) -> int:
    return sum(1 for _ in package.rows(_record(table).path))


def _record(table: str) -> Record:
    return next(record for record in RECORDS if record.table.name == table)
