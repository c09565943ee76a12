"""Reading the MJ that were built, publishing them, and the paper's Table 1.

`listing` and `of_number` are for organisers; `published` and `published_number` have what everybody may see
once `with_public_names` has gone over the names of teams.
What takes an `Mj` trusts whoever got it from the one or the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.formats.mj import read_mj
from leaderboard.resources.mj import Related, Thesaurus
from leaderboard.services import audit, mj_shares, news
from leaderboard.services.audit import SHELL, Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.mj_combining import Best, Table3, Values
from leaderboard.services.mj_plans import KIND, CountedRun
from leaderboard.services.mj_shares import TrackShares
from leaderboard.services.recent import Recent
from leaderboard.services.tasks import known, locked
from leaderboard.services.team_names import public_names
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Resource, Run

CACHED = 4
"""So many MJ are kept in memory by one process."""

_read: Recent[Thesaurus] = Recent(CACHED)


class UnknownMj(ServiceError):
    """There is no MJ of that number, or none that the person may see."""


class NotPublishable(ServiceError):
    """An MJ would show what is kept back at the moment."""


class UnknownWord(ServiceError):
    """MJ compares the word with no other."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file to download, under its name."""

    file_name: str
    file_hash: str
    size: int


@dataclass(frozen=True, slots=True)
class TrackInputs:
    """What went in on one track."""

    track: str
    gold_version: int
    runs: tuple[CountedRun, ...]


@dataclass(frozen=True, slots=True)
class Mj:
    """An MJ that was built. `long` has a line for each pair and track, `unique` one for each pair.

    `line` is its line of Table 3, `table` the whole of it as it was then; `shares` what each run brought, by
    track, empty for an MJ from before that was kept.
    """

    number: int
    weights: str
    phase: str
    created_at: datetime
    published_at: datetime | None
    scorer_version: str
    long: KeptFile
    unique: KeptFile
    tracks: tuple[TrackInputs, ...]
    table: Table3
    shares: Mapping[str, TrackShares]

    @property
    def line(self) -> Values:
        return self.table.combined[self.weights]


def listing(session: Session, spec: TaskSpec) -> tuple[Mj, ...]:
    """All builds, the newest first; for organisers."""
    statement = select(Resource).where(
        Resource.task_id == known(session, spec.name).id, Resource.kind == KIND
    )
    return tuple(_mj(row) for row in session.scalars(statement.order_by(Resource.number.desc())))


def published(session: Session, spec: TaskSpec) -> tuple[Mj, ...]:
    """The published ones, the newest first; for everybody."""
    return tuple(mj for mj in listing(session, spec) if mj.published_at is not None)


def latest(session: Session, spec: TaskSpec) -> Mj | None:
    """The newest of the published ones, None where there is none; for everybody."""
    return next(iter(published(session, spec)), None)


def of_number(session: Session, spec: TaskSpec, number: int) -> Mj:
    """One build; for organisers. Raises UnknownMj."""
    return _mj(_row(session, spec, number))


def published_number(session: Session, spec: TaskSpec, number: int) -> Mj:
    """One of the published ones; for everybody. Raises UnknownMj, also for one that is not published."""
    for mj in published(session, spec):
        if mj.number == number:
            return mj
    raise _unknown(spec, number)


def with_public_names(session: Session, spec: TaskSpec, mj: Mj, now: datetime) -> Mj:
    """The MJ with teams called as the public reads it at `now`."""
    task = known(session, spec.name)
    names = public_names(session, task, now)
    teams = session.execute(select(Run.id, Run.team_id).where(Run.task_id == task.id))
    of_run = {run_id: names[team_id] for run_id, team_id in teams}
    best = {track: replace(one, team=of_run[one.run_id]) for track, one in mj.table.best.items()}
    tracks = tuple(
        replace(track, runs=tuple(replace(run, team=of_run[run.run_id]) for run in track.runs))
        for track in mj.tracks
    )
    return replace(mj, tracks=tracks, table=replace(mj.table, best=best))


def publish(session: Session, spec: TaskSpec, number: int, now: datetime, actor: Actor = SHELL) -> Mj:
    """Shows an MJ to everybody; one that is shown already stays as it is.

    Raises UnknownMj, and NotPublishable where it has places of after the ranking was frozen.
    """
    task = locked(session, spec.name)
    row = _row(session, spec, number)
    if row.published_at is None:
        _refuse_places_kept_back(session, task.id, row)
        row.published_at = now
        news.resource_published(session, task, KIND, number, now)
        _log(session, task.id, "resource.published", number, {"published": True}, actor, now)
    session.flush()
    return _mj(row)


def unpublish(session: Session, spec: TaskSpec, number: int, now: datetime, actor: Actor = SHELL) -> Mj:
    """Shows an MJ to organisers only, from now on. Raises UnknownMj."""
    task = locked(session, spec.name)
    row = _row(session, spec, number)
    if row.published_at is not None:
        row.published_at = None
        _log(session, task.id, "resource.unpublished", number, {"published": False}, actor, now)
    session.flush()
    return _mj(row)


def _refuse_places_kept_back(session: Session, task_id: int, row: Resource) -> None:
    phase = queries.phase_named(session, task_id, row.inputs["phase"])
    if phase is not None and phase.frozen_at is not None and row.created_at > phase.frozen_at:
        raise NotPublishable(
            say(
                "MJ {number} has places of after the ranking was frozen; show the ranking as it is first, or "
                "publish an MJ that was built before.",
                number=row.number,
            )
        )


def _log(
    session: Session,
    task_id: int,
    action: str,
    number: int,
    after: Mapping[str, Any],
    actor: Actor,
    now: datetime,
) -> None:
    change = Change(action, "resource", number, f"MJ {number}", after=after)
    audit.record(session, actor, task_id, change, now)


def path_of(files: Files, kept: KeptFile) -> Path:
    """Where a file of an MJ lies on this machine. Raises FileMissing."""
    return files.kept.path(kept.file_hash)


def words(files: Files, mj: Mj) -> tuple[str, ...]:
    """The source words of an MJ, sorted: what `related` can be asked for."""
    return _thesaurus(files, mj).words


def related(files: Files, mj: Mj, word: str, most: int = 10) -> Related:
    """The words most and least related to a source word: the paper's Table 1. Raises UnknownWord."""
    thesaurus = _thesaurus(files, mj)
    word = word.strip()
    try:
        return thesaurus.of(word, most)
    except KeyError:
        near = get_close_matches(word, thesaurus.words, 1)
    if near:
        raise UnknownWord(say("MJ has no word {word}; did you mean {near}?", word=word, near=near[0]))
    raise UnknownWord(say("MJ has no word {word}.", word=word))


def _thesaurus(files: Files, mj: Mj) -> Thesaurus:
    file_hash = mj.unique.file_hash

    def read() -> Thesaurus:
        found = read_mj(files.kept.path(file_hash))
        return Thesaurus(zip(found.word1, found.word2, found.value.tolist(), strict=True))

    return _read.get(file_hash, read)


def _row(session: Session, spec: TaskSpec, number: int) -> Resource:
    statement = select(Resource).where(
        Resource.task_id == known(session, spec.name).id,
        Resource.kind == KIND,
        Resource.number == number,
    )
    row = session.scalars(statement).one_or_none()
    if row is None:
        raise _unknown(spec, number)
    return row


def _unknown(spec: TaskSpec, number: int) -> UnknownMj:
    return UnknownMj(say("The task {task} has no MJ {number}.", task=spec.name, number=number))


def _mj(row: Resource) -> Mj:
    unique = row.files["unique"]
    best = {track: Best(**parts) for track, parts in row.measures["best"].items()}
    return Mj(
        number=row.number,
        weights=row.weights,
        phase=row.inputs["phase"],
        created_at=row.created_at,
        published_at=row.published_at,
        scorer_version=row.inputs["scorer_version"],
        long=KeptFile(row.file_name, row.file_hash, row.size),
        unique=KeptFile(unique["file_name"], unique["file_hash"], unique["size"]),
        tracks=tuple(_track(track, parts) for track, parts in row.inputs["tracks"].items()),
        table=Table3(best, row.measures["combined"]),
        shares=mj_shares.from_json(row.measures.get("shares")),
    )


def _track(track: str, parts: Mapping[str, Any]) -> TrackInputs:
    return TrackInputs(track, parts["gold_version"], tuple(CountedRun(**run) for run in parts["runs"]))
