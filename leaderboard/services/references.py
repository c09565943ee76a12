"""Published results of others, shown beside a ranking without a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.formats.published import read_published
from leaderboard.services import audit
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.store.models import Reference

LONGEST_SOURCE = 300


class UnknownTrack(ServiceError):
    """The task has no track of that name."""


class UnknownMeasure(ServiceError):
    """A column was given a meaning that is no measure."""


class SourceRefused(ServiceError):
    """It is not said where results were published."""


@dataclass(frozen=True, slots=True)
class Published:
    """A result that others published; `track` None means the whole task."""

    run_name: str
    participant: str
    description: str
    track: str | None
    values: Mapping[str, float]
    source: str


def import_csv(
    session: Session,
    spec: TaskSpec,
    path: Path,
    source: str,
    columns: Mapping[str, str] | None = None,
    track: str | None = None,
) -> int:
    """Reads published results and puts them in the place of all earlier ones of the same source.

    `columns` as in `formats.published.read_published`. Returns how many runs there are. Raises FormatError,
    UnknownTrack, UnknownMeasure.
    """
    if track is not None and track not in {declared.name for declared in spec.tracks}:
        raise UnknownTrack(say("The task {task} has no track {track}.", task=spec.name, track=track))
    try:
        runs = read_published(path, columns)
    except ValueError as error:
        raise UnknownMeasure(say("A column cannot be read as a measure: {why}.", why=str(error))) from error
    task = locked(session, spec.name)
    session.execute(delete(Reference).where(Reference.task_id == task.id, Reference.source == source))
    session.add_all(
        Reference(
            task_id=task.id,
            track=track,
            position=position,
            run_name=run.run,
            participant=run.participant,
            values=dict(run.values),
            description=run.description,
            source=source,
        )
        for position, run in enumerate(runs, 1)
    )
    session.flush()
    return len(runs)


def publish(
    session: Session,
    spec: TaskSpec,
    path: Path,
    source: str,
    track: str | None,
    actor: Actor,
    now: datetime,
) -> int:
    """Reads published results as `import_csv` does, for organisers: it is written to the log.

    Raises FormatError, UnknownTrack, UnknownMeasure, SourceRefused.
    """
    clean = " ".join(source.split())
    if not clean or len(clean) > LONGEST_SOURCE:
        raise SourceRefused(
            say("Say where the results were published, in up to {most} characters.", most=LONGEST_SOURCE)
        )
    before = _counted(session, spec, clean)
    count = import_csv(session, spec, path, clean, track=track)
    change = Change(
        "references.imported",
        "references",
        clean,
        clean,
        {"runs": before} if before else {},
        {"runs": count, "track": track},
    )
    audit.record(session, actor, known(session, spec.name).id, change, now)
    return count


def remove(session: Session, spec: TaskSpec, source: str, actor: Actor, now: datetime) -> int:
    """Takes all published results of a source away; returns how many there were. Raises UnknownTask."""
    task = locked(session, spec.name)
    count = _counted(session, spec, source)
    if count:
        session.execute(delete(Reference).where(Reference.task_id == task.id, Reference.source == source))
        change = Change("references.removed", "references", source, source, {"runs": count}, {})
        audit.record(session, actor, task.id, change, now)
    return count


@dataclass(frozen=True, slots=True)
class Source:
    """Where results were published, their track (None: the whole task), and how many there are."""

    name: str
    track: str | None
    runs: int


def sources(session: Session, spec: TaskSpec) -> tuple[Source, ...]:
    """The sources of a task's published results by name. Raises UnknownTask."""
    statement = (
        select(Reference.source, Reference.track, func.count())
        .where(Reference.task_id == known(session, spec.name).id)
        .group_by(Reference.source, Reference.track)
        .order_by(Reference.source, Reference.track)
    )
    return tuple(Source(name, track, runs) for name, track, runs in session.execute(statement))


def _counted(session: Session, spec: TaskSpec, source: str) -> int:
    statement = select(func.count()).where(
        Reference.task_id == known(session, spec.name).id, Reference.source == source
    )
    return session.scalar(statement) or 0


def listing(session: Session, spec: TaskSpec, track: str | None = None) -> tuple[Published, ...]:
    """The published results for a track, and those for the whole task, in the order of their files."""
    statement = select(Reference).where(
        Reference.task_id == known(session, spec.name).id,
        or_(Reference.track.is_(None), Reference.track == track),
    )
    rows = session.scalars(statement.order_by(Reference.source, Reference.position))
    return tuple(
        Published(row.run_name, row.participant, row.description, row.track, row.values, row.source)
        for row in rows
    )
