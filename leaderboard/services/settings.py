"""What organisers set for a whole task, in place of what its folder declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.catalog import bibtex
from leaderboard.contract import CountingRule, TaskSpec, say
from leaderboard.services import audit, news, standings, task_specs, task_texts
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.news import SettingChange
from leaderboard.services.task_texts import LONGEST_TEXT
from leaderboard.services.tasks import known, locked
from leaderboard.store.models import Task, TaskSetting

NAMES = ("title", "summary", "text", "counting", "citation", "bibtex")
"""What can be set."""

LONGEST_LINE = 300
LONGEST_CITATION = 10_000

_BY_LANGUAGE = ("title", "summary", "text")
_COUNTING = ("best", "latest", "selected")


class BadSetting(ServiceError):
    """A value that cannot be used; `field` names the setting."""

    def __init__(self, field: str, message: Any) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as it is now, and as the folder declares it; texts are by language. `changed`: they differ."""

    name: str
    value: Any
    declared: Any
    changed: bool


@dataclass(frozen=True, slots=True)
class Openness:
    """Who may see what of a task: the task itself, and from when on the names of teams (None: not yet)."""

    visibility: str
    names_revealed_at: datetime | None


def listing(session: Session, declared: TaskSpec) -> Mapping[str, Setting]:
    """All settings of a task. `declared` is what its folder declares. Raises UnknownTask."""
    values = task_specs.settings_of(session, known(session, declared.name).id)
    defaults = _defaults(declared)
    return {
        name: Setting(name, values.get(name, defaults[name]), defaults[name], name in values)
        for name in NAMES
    }


def change(
    session: Session,
    declared: TaskSpec,
    scorer_version: str,
    wanted: Mapping[str, Any],
    actor: Actor,
    now: datetime,
) -> tuple[str, ...]:
    """Sets values by name, and returns the names of those that became others.

    One equal to what the folder declares is no longer set. Another rule of what counts makes the standings
    anew. Raises BadSetting, UnknownTask.
    """
    task = locked(session, declared.name)
    before, defaults = listing(session, declared), _defaults(declared)
    clean = {name: _clean(name, value) for name, value in wanted.items()}
    changed = tuple(name for name, value in clean.items() if value != before[name].value)
    for name in changed:
        store(session, task, name, clean[name], defaults[name], actor, now)
    if not changed:
        return ()
    session.flush()
    record(session, task, before, {name: clean[name] for name in changed}, actor, now)
    if "counting" in changed:
        told = SettingChange("counting", None, before["counting"].value, clean["counting"])
        news.settings_changed(session, task, [told], now)
        standings.refresh(session, task_specs.as_set(session, declared), scorer_version, now)
    return changed


def set_back(
    session: Session, declared: TaskSpec, scorer_version: str, name: str, actor: Actor, now: datetime
) -> None:
    """Goes back to what the folder declares. Raises BadSetting, UnknownTask."""
    if name not in NAMES:
        raise BadSetting(name, say("There is no setting {name}.", name=name))
    change(session, declared, scorer_version, {name: _defaults(declared)[name]}, actor, now)


def openness(session: Session, spec: TaskSpec) -> Openness:
    """Who may see what. Raises UnknownTask."""
    task = known(session, spec.name)
    return Openness(task.visibility, task.names_revealed_at)


def open_to(session: Session, spec: TaskSpec, wanted: Openness, actor: Actor, now: datetime) -> bool:
    """Sets who may see what; returns whether that changed anything. Raises BadSetting, UnknownTask."""
    task = locked(session, spec.name)
    before = Openness(task.visibility, task.names_revealed_at)
    if wanted == before:
        return False
    if wanted.visibility not in ("public", "organisers"):
        raise BadSetting("visibility", say("A task is for everybody or for its organisers."))
    task.visibility, task.names_revealed_at = wanted.visibility, wanted.names_revealed_at
    pairs = {
        "visibility": (before.visibility, wanted.visibility),
        "names": (before.names_revealed_at, wanted.names_revealed_at),
    }
    changed = {what: pair for what, pair in pairs.items() if pair[0] != pair[1]}
    told = [SettingChange(what, None, *pair) for what, pair in changed.items()]
    news.settings_changed(session, task, told, now)
    logged = Change(
        "task.opened",
        "task",
        task.id,
        task.name,
        {what: pair[0] for what, pair in changed.items()},
        {what: pair[1] for what, pair in changed.items()},
    )
    audit.record(session, actor, task.id, logged, now)
    return True


def _defaults(declared: TaskSpec) -> dict[str, Any]:
    return {
        "title": dict(declared.title.by_language),
        "summary": dict(declared.summary.by_language),
        "text": {language: _lines(text) for language, text in task_texts.declared(declared).items()},
        "counting": declared.counting,
        "citation": declared.citation,
        "bibtex": declared.bibtex,
    }


def _clean(name: str, value: Any) -> Any:
    if name in _BY_LANGUAGE:
        return _clean_texts(name, value)
    if name == "counting":
        if value not in _COUNTING:
            raise BadSetting(name, say("Choose the rule that says which run of a team counts."))
        chosen: CountingRule = value
        return chosen
    text = _lines(value)
    if len(text) > LONGEST_CITATION:
        raise BadSetting(name, _too_long(LONGEST_CITATION))
    if name == "bibtex" and (fault := next(bibtex.problems(text), None)) is not None:
        raise BadSetting(name, fault)
    return text


def _clean_texts(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    clean = {language: _lines(text) for language, text in texts.items() if text.strip()}
    most = LONGEST_TEXT if name == "text" else LONGEST_LINE
    if any(len(text) > most for text in clean.values()):
        raise BadSetting(name, _too_long(most))
    if name != "text" and "en" not in clean:
        raise BadSetting(name, say("Write it in English at least; other languages fall back to that."))
    if name != "text":
        clean = {language: " ".join(text.split()) for language, text in clean.items()}
    return clean


def _too_long(most: int) -> Any:
    return say("This is longer than {most} characters; shorten it.", most=most)


def _lines(text: str) -> str:
    """The text with the line ends of this machine: browsers send others."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def store(
    session: Session, task: Task, name: str, value: Any, default: Any, actor: Actor, now: datetime
) -> None:
    """Keeps a value that was set, where it is another than what is declared."""
    row = session.scalars(
        select(TaskSetting).where(TaskSetting.task_id == task.id, TaskSetting.name == name)
    ).one_or_none()
    if value == default:
        if row is not None:
            session.delete(row)
        return
    if row is None:
        row = TaskSetting(task_id=task.id, name=name)
        session.add(row)
    row.value, row.changed_at, row.changed_by = value, now, actor.user_id


def record(
    session: Session,
    task: Task,
    before: Mapping[str, Setting],
    after: Mapping[str, Any],
    actor: Actor,
    now: datetime,
) -> None:
    """Writes into the log what was set, by the name of the setting."""
    logged = Change(
        "task.set",
        "task",
        task.id,
        task.name,
        {name: before[name].value for name in after},
        dict(after),
    )
    audit.record(session, actor, task.id, logged, now)
