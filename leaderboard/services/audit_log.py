"""Reading the log of what organisers and administrators changed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message
from leaderboard.services.audit_words import sentence
from leaderboard.services.export_cells import guarded
from leaderboard.services.tasks import known
from leaderboard.store.models import AuditEntry, Task, User

PER_PAGE = 50

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log. `person` is how whoever did it is called now (None: an account that is deleted, or
    nobody's); `task` None: it is about the site."""

    number: int
    happened_at: datetime
    person_id: int | None
    person: str | None
    via: str
    address: str
    task: str | None
    action: str
    kind: str
    id: str
    name: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reason: str

    @property
    def sentence(self) -> Message:
        """What happened, in words."""
        return sentence(self.action, self.person_id, self.person, self.via, self.kind, self.name)

    @property
    def changes(self) -> tuple[tuple[str, Any, Any], ...]:
        """What was what before, and what it became: name, before, after (None: nothing). Of what ends in
        ``_at`` the values are times."""
        names = dict.fromkeys((*self.before, *self.after))
        return tuple((name, _read(name, self.before), _read(name, self.after)) for name in names)


def _read(name: str, values: Mapping[str, Any]) -> Any:
    value = values.get(name)
    if name.endswith("_at") and isinstance(value, str):
        with suppress(ValueError):
            return datetime.fromisoformat(value)
    return value


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines: by a person (number of the account; 0: by no account), an action, a kind of subject,
    words in the subject's name or number or in the reason, and days (UTC, both included). `page` counts
    from 1."""

    person: int | None = None
    action: str = ""
    kind: str = ""
    subject: str = ""
    since: date | None = None
    until: date | None = None
    page: int = 1


@dataclass(frozen=True, slots=True)
class Log:
    """A page of the log, the newest first, and what one may filter by: accounts, actions, kinds."""

    entries: tuple[Entry, ...]
    total: int
    page: int
    pages: int
    people: tuple[tuple[int, str], ...]
    actions: tuple[str, ...]
    kinds: tuple[str, ...]


def listing(session: Session, task: str | None, wanted: Wanted) -> Log:
    """The log of a task; None: of the whole site with all its tasks. Raises UnknownTask."""
    mine = _of(session, task)
    conditions = (*mine, *_conditions(wanted))
    total = session.scalar(select(func.count()).select_from(AuditEntry).where(*conditions)) or 0
    pages = max(1, -(-total // PER_PAGE))
    page = min(wanted.page, pages)
    statement = _entries(conditions).offset((page - 1) * PER_PAGE).limit(PER_PAGE)
    return Log(
        entries=tuple(_entry(*row) for row in session.execute(statement)),
        total=total,
        page=page,
        pages=pages,
        people=_people(session, mine),
        actions=_different(session, AuditEntry.action, mine),
        kinds=_different(session, AuditEntry.subject_kind, mine),
    )


def of_subject(session: Session, task: str, kind: str, number: int | str) -> tuple[Entry, ...]:
    """What was done to one thing of a task, the newest first. Raises UnknownTask."""
    conditions = (*_of(session, task), AuditEntry.subject_kind == kind, AuditEntry.subject_id == str(number))
    return tuple(_entry(*row) for row in session.execute(_entries(conditions)))


def every(session: Session, task: str | None, wanted: Wanted) -> Iterator[Entry]:
    """All lines that are wanted, the newest first, read a part at a time. Raises UnknownTask."""
    conditions = (*_of(session, task), *_conditions(wanted))
    last: int | None = None
    while True:
        more = () if last is None else (AuditEntry.id < last,)
        rows = session.execute(_entries((*conditions, *more)).limit(_AT_ONCE)).all()
        for row in rows:
            yield _entry(*row)
        if len(rows) < _AT_ONCE:
            return
        last = rows[-1][0].id


COLUMNS = (
    "number", "time", "task", "person", "person_id", "via", "address",
    "action", "kind", "id", "name", "before", "after", "reason",
)  # fmt: skip
"""What an exported line has."""


def as_csv(entries: Iterator[Entry]) -> Iterator[str]:
    """The lines as CSV with a head, safe for spreadsheets, a piece at a time."""
    yield _csv_line(COLUMNS)
    for entry in entries:
        values = _document(entry)
        yield _csv_line([_cell(values[name]) for name in COLUMNS])


def as_json_lines(entries: Iterator[Entry]) -> Iterator[str]:
    """The lines as JSON, one object a line."""
    for entry in entries:
        yield json.dumps(_document(entry), ensure_ascii=False) + "\n"


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "time": entry.happened_at.isoformat(),
        "task": entry.task,
        "person": entry.person,
        "person_id": entry.person_id,
        "via": entry.via,
        "address": entry.address,
        "action": entry.action,
        "kind": entry.kind,
        "id": entry.id,
        "name": entry.name,
        "before": dict(entry.before),
        "after": dict(entry.after),
        "reason": entry.reason,
    }


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return guarded(json.dumps(value, ensure_ascii=False)) if value else ""
    return guarded(str(value))


def _csv_line(cells: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()


def _of(session: Session, task: str | None) -> tuple[ColumnElement[bool], ...]:
    return () if task is None else (AuditEntry.task_id == known(session, task).id,)


def _conditions(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.person is not None:
        nobody = wanted.person == 0
        yield AuditEntry.actor_id.is_(None) if nobody else AuditEntry.actor_id == wanted.person
    if wanted.action:
        yield AuditEntry.action == wanted.action
    if wanted.kind:
        yield AuditEntry.subject_kind == wanted.kind
    if wanted.subject:
        yield or_(
            AuditEntry.subject_name.icontains(wanted.subject, autoescape=True),
            AuditEntry.reason.icontains(wanted.subject, autoescape=True),
            AuditEntry.subject_id == wanted.subject,
        )
    if wanted.since is not None:
        yield AuditEntry.happened_at >= _midnight(wanted.since)
    if wanted.until is not None:
        yield AuditEntry.happened_at < _midnight(wanted.until + timedelta(days=1))


def _midnight(day: date, zone: tzinfo = UTC) -> datetime:
    return datetime.combine(day, time(), zone)


def _entries(conditions: Sequence[ColumnElement[bool]]) -> Select[AuditEntry, str | None, str | None]:
    return (
        select(AuditEntry, User.name, Task.name)
        .outerjoin(User, User.id == AuditEntry.actor_id)
        .outerjoin(Task, Task.id == AuditEntry.task_id)
        .where(*conditions)
        .order_by(AuditEntry.id.desc())
    )


def _entry(row: AuditEntry, person: str | None, task: str | None) -> Entry:
    return Entry(
        number=row.id,
        happened_at=row.happened_at,
        person_id=row.actor_id,
        person=person or None,
        via=row.via,
        address=row.address,
        task=task,
        action=row.action,
        kind=row.subject_kind,
        id=row.subject_id,
        name=row.subject_name,
        before=row.before,
        after=row.after,
        reason=row.reason,
    )


def _people(session: Session, mine: Sequence[ColumnElement[bool]]) -> tuple[tuple[int, str], ...]:
    """Who has lines of their own; 0 for those that no account wrote."""
    statement = (
        select(AuditEntry.actor_id, User.name)
        .outerjoin(User, User.id == AuditEntry.actor_id)
        .where(*mine)
        .distinct()
        .order_by(User.name, AuditEntry.actor_id)
    )
    return tuple((person_id or 0, name or "") for person_id, name in session.execute(statement))


def _different(session: Session, column: Any, mine: Sequence[ColumnElement[bool]]) -> tuple[str, ...]:
    return tuple(session.scalars(select(column).where(*mine).distinct().order_by(column)))
