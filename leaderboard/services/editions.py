"""A new edition of a task: the same tracks and scorer, a name of its own, and the settings of before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
from leaderboard.services import audit, gold, phase_rows, public_values, standings, task_specs
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.settings import LONGEST_LINE
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.models import InputFile, Phase, Role, Task, TaskSetting

LONGEST_NAME = 40
MOST_DAYS = 3660


class BadEdition(ServiceError):
    """An edition that cannot be made; `field` names the value that keeps it from being."""

    def __init__(self, field: str, message: Message) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a new edition. Its phases move by `days`; None: they have no times yet. `inputs` and
    `gold`: it begins with the public files, and with the benchmarks, of now."""

    name: str
    title: Mapping[str, str]
    days: int | None = None
    inputs: bool = False
    gold: bool = False


@dataclass(frozen=True, slots=True)
class Editions:
    """The names of the editions before a task, the latest first, and of those made from it."""

    earlier: tuple[str, ...]
    later: tuple[str, ...]


def make(
    session: Session,
    declared: TaskSpec,
    scorer_version: str,
    taken: Collection[str],
    wanted: Wanted,
    actor: Actor,
    now: datetime,
) -> None:
    """Makes a new edition of the task that `declared` is, seen by its organisers only at first.

    Who makes it organises it. `taken` are names that folders have. Raises BadEdition, UnknownTask.
    """
    source = locked(session, declared.name)
    title = _checked(session, wanted, taken)
    task = Task(
        name=wanted.name,
        title=title,
        installed_at=now,
        visibility="organisers",
        based_on=source.based_on or source.name,
        edition_of=source.id,
    )
    session.add(task)
    session.flush()
    _clone_settings(session, declared, source, task, title, actor, now)
    for row in queries.phases_of(session, source.id):
        session.add(_phase(row, task, wanted.days))
    if wanted.inputs:
        for file in queries.active_inputs(session, source.id):
            session.add(_input(file, task, now))
    if actor.user_id is not None:
        session.add(Role(user_id=actor.user_id, name="organiser", task_id=task.id, given_at=now))
    session.flush()
    public_values.adopt(session, replace(declared, name=task.name))
    if wanted.gold:
        _clone_gold(session, source, task, actor, now)
        spec = task_specs.as_set(session, replace(declared, name=task.name))
        standings.refresh(session, spec, scorer_version, now)
    made = {"edition": task.name, "days": wanted.days, "inputs": wanted.inputs, "gold": wanted.gold}
    for where in (source, task):
        logged = Change("edition.made", "task", task.id, task.name, {}, {"of": source.name, **made})
        audit.record(session, actor, where.id, logged, now)


def listing(session: Session, spec: TaskSpec, *, hidden: bool = False) -> Editions:
    """The editions around a task; those that only organisers see where `hidden`. Raises UnknownTask."""
    task = known(session, spec.name)
    rows = session.execute(select(Task.id, Task.name, Task.edition_of, Task.visibility).order_by(Task.id))
    tasks = {row.id: row for row in rows}
    earlier, before = [], task.edition_of
    while before is not None and before in tasks:
        earlier.append(tasks[before])
        before = tasks[before].edition_of
    later = [row for row in tasks.values() if row.edition_of == task.id]
    return Editions(
        tuple(row.name for row in earlier if hidden or row.visibility == "public"),
        tuple(row.name for row in later if hidden or row.visibility == "public"),
    )


def _checked(session: Session, wanted: Wanted, taken: Collection[str]) -> dict[str, str]:
    """The title to be used."""
    if not phase_rows.NAME.fullmatch(wanted.name) or len(wanted.name) > LONGEST_NAME:
        raise BadEdition("name", say("It becomes part of addresses: use a-z, 0-9, - and _, a letter first."))
    if wanted.name in taken or queries.task_named(session, wanted.name) is not None:
        raise BadEdition("name", say("There is a task {task} already.", task=wanted.name))
    if wanted.days is not None and abs(wanted.days) > MOST_DAYS:
        raise BadEdition("days", say("Move the phases by {most} days at most.", most=MOST_DAYS))
    title = {language: " ".join(words.split()) for language, words in wanted.title.items() if words.strip()}
    if "en" not in title:
        raise BadEdition("title", say("Write it in English at least; other languages fall back to that."))
    if any(len(words) > LONGEST_LINE for words in title.values()):
        raise BadEdition(
            "title", say("This is longer than {most} characters; shorten it.", most=LONGEST_LINE)
        )
    return title


def _clone_settings(
    session: Session,
    declared: TaskSpec,
    source: Task,
    task: Task,
    title: dict[str, str],
    actor: Actor,
    now: datetime,
) -> None:
    values = dict(task_specs.settings_of(session, source.id))
    values["title"] = title
    if title == dict(declared.title.by_language):
        del values["title"]
    session.add_all(
        TaskSetting(task_id=task.id, name=name, value=value, changed_at=now, changed_by=actor.user_id)
        for name, value in values.items()
    )


def _phase(row: Phase, task: Task, days: int | None) -> Phase:
    def moved(moment: datetime | None) -> datetime | None:
        return None if moment is None or days is None else moment + timedelta(days=days)

    phase = Phase(
        task_id=task.id,
        name=row.name,
        title=dict(row.title),
        position=row.position,
        opens_at=moved(row.opens_at),
        closes_at=moved(row.closes_at),
        runs_per_day=row.runs_per_day,
        runs_in_all=row.runs_in_all,
        rejected_per_day=row.rejected_per_day,
        reveals=list(row.reveals),
        declared=row.declared,
        declared_as=row.declared_as,
        changed=list(row.changed),
    )
    phase.changed = phase_rows.changed_now(phase)
    return phase


def _input(file: InputFile, task: Task, now: datetime) -> InputFile:
    return InputFile(
        task_id=task.id,
        name=file.name,
        file_name=file.file_name,
        file_hash=file.file_hash,
        size=file.size,
        installed_at=now,
        active=True,
    )


def _clone_gold(session: Session, source: Task, task: Task, actor: Actor, now: datetime) -> None:
    for track, version in queries.active_gold(session, source.id).items():
        new = gold.New(track, version.file_name, version.file_hash, version.topics, version.note)
        gold.add(session, task.id, new, "active", actor, now).has_file = version.has_file
    session.flush()
