"""The public files of a task: what participants download, and what messages to them are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from sqlalchemy.orm import Session

from leaderboard.contract import FormatError, InputSpec, Scorer, TaskSpec, say
from leaderboard.services import audit
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import Files, Stored
from leaderboard.store.models import InputFile

LINES_TRIED = 100
"""So many lines of an example are made from a new file, to see whether it can be read."""


class NoInputsThere(ServiceError):
    """The folder has none of the task's public files."""


class UnknownInput(ServiceError):
    """The task has no public file of that name, or it is not installed."""


@dataclass(frozen=True, slots=True)
class Installed:
    """By name of the input: what was installed, what was there already, what the folder does not have."""

    installed: tuple[str, ...]
    unchanged: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublicFile:
    """A public file that is handed out now; `path` is where it lies on this machine."""

    name: str
    file_name: str
    file_hash: str
    size: int
    installed_at: datetime
    path: Path


def install(session: Session, files: Files, spec: TaskSpec, folder: Path, now: datetime) -> Installed:
    """Hands out, from now on, the files of `folder` that task.toml names.

    One that is not there is taken from the task's own folder, where its instructions are. Raises
    NoInputsThere where `folder` has none at all.
    """
    task = locked(session, spec.name)
    if spec.inputs and not any((folder / declared.file).is_file() for declared in spec.inputs):
        names = ", ".join(declared.file for declared in spec.inputs)
        raise NoInputsThere(
            say(
                "{folder} has none of the files that {task} hands out: {files}.",
                folder=folder,
                task=spec.name,
                files=names,
            )
        )
    there = {declared.name: _found(folder, spec, declared.file) for declared in spec.inputs}
    active = {row.name: row for row in queries.active_inputs(session, task.id)}
    installed: list[str] = []
    unchanged: list[str] = []
    for declared in spec.inputs:
        path = there[declared.name]
        if path is None:
            continue
        stored = files.kept.put_file(path)
        is_new = hand_out(session, task.id, declared, stored, active.get(declared.name), now)
        (installed if is_new else unchanged).append(declared.name)
    absent = tuple(name for name, path in there.items() if path is None)
    return Installed(tuple(installed), tuple(unchanged), absent)


def hand_out(
    session: Session,
    task_id: int,
    declared: InputSpec,
    stored: Stored,
    before: InputFile | None,
    now: datetime,
) -> bool:
    """Lets a kept file be the one that is handed out, in place of the one `before`; returns whether it was
    another."""
    if before is not None:
        if (before.file_hash, before.file_name) == (stored.file_hash, declared.file):
            return False
        before.active = False
        session.flush()
    session.add(
        InputFile(
            task_id=task_id,
            name=declared.name,
            file_name=declared.file,
            file_hash=stored.file_hash,
            size=stored.size,
            installed_at=now,
            active=True,
        )
    )
    session.flush()
    return True


def refused(
    files: Files, spec: TaskSpec, scorer: Scorer, name: str, stored: Stored, others: Sequence[PublicFile]
) -> FormatError | None:
    """What keeps a file from being handed out as one of the task's, found by having the scorer read it beside
    the others; None where nothing does. Raises UnknownInput."""
    names = {other.file_name: other.file_hash for other in others if other.name != name}
    names[_declared(spec, name).file] = stored.file_hash
    try:
        for _ in islice(scorer.template(spec, files.kept.folder(names)), LINES_TRIED):
            pass
    except FormatError as error:
        return error
    return None


def replace(session: Session, spec: TaskSpec, name: str, stored: Stored, actor: Actor, now: datetime) -> bool:
    """Hands out a kept file, from now on, as the task's one of that name; returns whether it was another.

    Raises UnknownInput, UnknownTask.
    """
    task, declared = locked(session, spec.name), _declared(spec, name)
    row = next((each for each in queries.active_inputs(session, task.id) if each.name == name), None)
    before = {} if row is None else {"sha256": row.file_hash, "size": row.size}
    if not hand_out(session, task.id, declared, stored, row, now):
        return False
    after = {"sha256": stored.file_hash, "size": stored.size}
    change = Change("input.replaced", "input", name, declared.file, before, after)
    audit.record(session, actor, task.id, change, now)
    return True


def _declared(spec: TaskSpec, name: str) -> InputSpec:
    for declared in spec.inputs:
        if declared.name == name:
            return declared
    raise UnknownInput(say("The task {task} hands out no file {name}.", task=spec.name, name=name))


def listing(session: Session, files: Files, spec: TaskSpec) -> tuple[PublicFile, ...]:
    """The public files that are handed out now, in the order of task.toml."""
    rows = {row.name: row for row in queries.active_inputs(session, known(session, spec.name).id)}
    return tuple(_public(files, rows[declared.name]) for declared in spec.inputs if declared.name in rows)


def named(session: Session, files: Files, spec: TaskSpec, name: str) -> PublicFile:
    """One public file, for a download. Raises UnknownInput."""
    for public in listing(session, files, spec):
        if public.name == name:
            return public
    raise UnknownInput(say("The task {task} hands out no file {name}.", task=spec.name, name=name))


def folder_of(session: Session, files: Files, spec: TaskSpec) -> Path | None:
    """A folder with the public files under the names of task.toml, as a scorer's check wants it.

    None where none is installed.
    """
    rows = queries.active_inputs(session, known(session, spec.name).id)
    declared = {declared.name for declared in spec.inputs}
    names = {row.file_name: row.file_hash for row in rows if row.name in declared}
    return files.kept.folder(names) if names else None


def _found(folder: Path, spec: TaskSpec, file: str) -> Path | None:
    for path in (folder / file, spec.folder / file):
        if path.is_file():
            return path
    return None


def _public(files: Files, row: InputFile) -> PublicFile:
    path = files.kept.path(row.file_hash)
    return PublicFile(row.name, row.file_name, row.file_hash, row.size, row.installed_at, path)
