"""Writing the rows of an archive into a database that has nothing of its task yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services import audit
from leaderboard.services.archive_numbers import BrokenRecord, Numbers
from leaderboard.services.archive_records import RECORDS, Record
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tables import Table as Ranking
from leaderboard.store import models
from leaderboard.store.packages import Package
from leaderboard.store.rows import from_json

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


def require_nothing(session: Session, name: str) -> models.Task | None:
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


def write(session: Session, package: Package, name: str, actor: Actor, now: datetime) -> Imported:
    """Writes all rows of the archive, with numbers that are free here.

    Raises ArchiveRefused, BrokenRecord.
    """
    numbers = Numbers(session)
    here = require_nothing(session, name)
    for record in RECORDS:
        if record.model is models.Task:
            _take_task(session, package, record, numbers, here)
            continue
        if record.optional and record.path not in package.entries:
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
        renumbered=not numbers.kept(record_of("run").table),
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
        analysis = session.get(models.BoardAnalysis, board.id)
        current = analysis is not None and analysis.fingerprint == board.fingerprint
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
        if analysis is not None and current:
            analysis.fingerprint = board.fingerprint
    session.flush()


def _count(package: Package, table: str) -> int:
    return sum(1 for _ in package.rows(record_of(table).path))


def record_of(table: str) -> Record:
    """The part of an archive that has the rows of a table."""
    return next(record for record in RECORDS if record.table.name == table)
