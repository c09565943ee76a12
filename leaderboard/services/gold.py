"""The hidden benchmarks: installing versions of them, and reading the ones that score now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Gold, Scorer, TaskSpec, say
from leaderboard.services import audit, gold_reading, gold_recognition, news, standings
from leaderboard.services.audit import SHELL, Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.gold_reading import Version as Version
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import GoldVersion


class NoGoldThere(ServiceError):
    """The folder has none of the task's benchmark files."""


class NoGoldInstalled(ServiceError):
    """Nothing can be scored, because no track of the task has gold."""

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(
            say(
                "The task {task} has no benchmark yet; install one with `gold install {task} DIR`.",
                task=spec.name,
            )
        )


class GoldStayedBehind(NoGoldInstalled):
    """Nothing can be scored: what was scored here came by an archive that left the benchmark behind."""

    def __init__(self, spec: TaskSpec, tracks: Iterable[str]) -> None:
        ServiceError.__init__(
            self,
            say(
                "The benchmark of {task} ({tracks}) is not here: an archive without gold brought its runs "
                "and rankings. They stand as they are; to score, install it with `gold install {task} DIR`.",
                task=spec.name,
                tracks=", ".join(tracks),
            ),
        )


@dataclass(frozen=True, slots=True)
class Installed:
    """By track: the number of each new version; tracks whose file is the same as before; tracks whose file
    the folder does not have."""

    installed: Mapping[str, int]
    unchanged: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class New:
    """What a version of a track's gold is made from: a file that is kept, and what was read in it."""

    track: str
    file_name: str
    file_hash: str
    topics: Sequence[str]
    note: str


def install(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    folder: Path,
    note: str,
    now: datetime,
    actor: Actor = SHELL,
) -> Installed:
    """Makes a new version, which scores from now on, of each track whose file in `folder` has changed.

    All files are read and checked first; when one is wrong nothing is installed. Raises NoGoldThere, and
    FormatError naming file and line. Runs that were scored before need rescoring, and their boards say so.
    """
    there = files_in(spec, folder)
    topics = scorer.read_gold(spec, there).topics
    stored = {path: files.gold.put_file(path).file_hash for path in set(there.values())}
    task = locked(session, spec.name)
    find_again(session, files, spec, scorer, there, actor, now)
    active = queries.active_gold(session, task.id)
    installed, replaced, unchanged = {}, {}, []
    for track, path in there.items():
        before = active.get(track)
        if before is not None and before.file_hash == stored[path]:
            unchanged.append(track)
            continue
        if before is not None:
            before.state = "retired"
            replaced[track] = before.number
            session.flush()
        new = New(track, path.name, stored[path], topics[track], note)
        version = add(session, task.id, new, "active", actor, now)
        installed[track] = version.number
    if installed:
        change = Change("gold.installed", "gold", spec.name, spec.name, replaced, installed, note)
        audit.record(session, actor, task.id, change, now)
        news.gold_installed(session, task, installed, now)
        standings.refresh(session, spec, scorer.VERSION, now)
    absent = tuple(track.name for track in spec.tracks if track.name not in there)
    return Installed(installed, tuple(unchanged), absent)


def add(session: Session, task_id: int, new: New, state: str, actor: Actor, now: datetime) -> GoldVersion:
    """Writes down the next version of a track's gold."""
    version = GoldVersion(
        task_id=task_id,
        track=new.track,
        number=_next_number(session, task_id, new.track),
        file_name=new.file_name,
        file_hash=new.file_hash,
        note=new.note,
        installed_at=now,
        installed_by=actor.user_id,
        topics=list(new.topics),
        state=state,
    )
    session.add(version)
    session.flush()
    return version


def find_again(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    paths: Mapping[str, Path],
    actor: Actor,
    now: datetime,
) -> tuple[str, ...]:
    """The tracks whose file (track to file) is the one that stayed behind when an archive brought what was
    scored by it; from now on it scores again. Raises FormatError, UnknownTask."""
    active = queries.active_gold(session, locked(session, spec.name).id)
    found = []
    for track, path in paths.items():
        version = active.get(track)
        if version is None or version.has_file:
            continue
        stored = files.gold.put_file(path).file_hash
        known_hash = version.file_hash == stored
        if known_hash or gold_recognition.is_of(session, files, spec, scorer, version, path):
            version.has_file, version.file_hash = True, stored
            name = f"{track} {version.number}"
            change = Change("gold.found", "gold", version.id, name, {"has_file": False}, {"has_file": True})
            audit.record(session, actor, version.task_id, change, now)
            found.append(track)
    session.flush()
    return tuple(found)


def files_in(spec: TaskSpec, folder: Path) -> dict[str, Path]:
    """By track, the benchmark files that a folder has. Raises NoGoldThere."""
    there = {track.name: folder / track.gold for track in spec.tracks if (folder / track.gold).is_file()}
    if not there:
        names = ", ".join(sorted({track.gold for track in spec.tracks}))
        raise NoGoldThere(
            say(
                "{folder} has none of the benchmark files of {task}: {files}.",
                folder=folder,
                task=spec.name,
                files=names,
            )
        )
    return there


def listing(session: Session, spec: TaskSpec) -> tuple[Version, ...]:
    """All versions, track by track in the order of task.toml, the newest first."""
    task = known(session, spec.name)
    order = {track.name: number for number, track in enumerate(spec.tracks)}
    rows = session.scalars(select(GoldVersion).where(GoldVersion.task_id == task.id))
    versions = [version_of(row) for row in rows]
    return tuple(sorted(versions, key=lambda v: (order.get(v.track, len(order)), v.track, -v.number)))


def active(session: Session, spec: TaskSpec) -> tuple[Version, ...]:
    """The versions that score now, in the order of task.toml; a track without gold is absent."""
    rows = queries.active_gold(session, known(session, spec.name).id)
    return tuple(version_of(rows[track.name]) for track in spec.tracks if track.name in rows)


def scores_now(session: Session, spec: TaskSpec) -> bool:
    """Whether runs can be scored: there is gold, and all of it is here."""
    versions = active(session, spec)
    return bool(versions) and all(version.has_file for version in versions)


def paths(files: Files, spec: TaskSpec, versions: tuple[Version, ...]) -> Mapping[str, Path]:
    """Where the files of these versions lie on this machine, by track. Raises GoldStayedBehind,
    FileMissing."""
    behind = [version.track for version in versions if not version.has_file]
    if behind:
        raise GoldStayedBehind(spec, behind)
    return {version.track: files.gold.path(version.file_hash) for version in versions}


def read(files: Files, spec: TaskSpec, scorer: Scorer, versions: tuple[Version, ...]) -> Gold:
    """The gold of these versions, from memory where this process has read it before. Raises
    GoldStayedBehind, FileMissing."""
    return gold_reading.read_at(paths(files, spec, versions), spec, scorer, versions)


def _next_number(session: Session, task_id: int, track: str) -> int:
    highest = session.scalar(
        select(func.max(GoldVersion.number)).where(GoldVersion.task_id == task_id, GoldVersion.track == track)
    )
    return (highest or 0) + 1


def version_of(row: GoldVersion) -> Version:
    """A stored version as services pass it on."""
    return Version(
        row.id,
        row.track,
        row.number,
        row.state,
        row.file_name,
        row.file_hash,
        row.note,
        row.installed_at,
        tuple(row.topics),
        row.has_file,
    )
