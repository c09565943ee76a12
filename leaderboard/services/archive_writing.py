"""Writing the archive of a task: one pass over one state of the database, in memory that does not grow.

The same state gives the same bytes: nothing in the file tells when or by whom it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import archive_pages
from leaderboard.services.archive_pages import plain
from leaderboard.services.archive_readme import readme
from leaderboard.services.archive_records import KEPT_STATES, KIND, RECORDS, VERSION, Scope, rows_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.rescoring import Progress
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_names
from leaderboard.store import models
from leaderboard.store.files import ContentStore, FileMissing, Files
from leaderboard.store.packages import Package, PackageWriter


class FileGone(ServiceError):
    """A file that belongs into the archive is not in the storage any more."""


def scope_of(session: Session, spec: TaskSpec, now: datetime, *, with_gold: bool, own_names: bool) -> Scope:
    """What is to be archived; teams are called as they call themselves, or as the public reads it at `now`.

    Raises UnknownTask.
    """
    task = known(session, spec.name)
    names = dict(
        session.execute(select(models.Team.id, models.Team.name).where(models.Team.task_id == task.id)).all()
    )
    teams = dict(
        session.execute(select(models.Run.id, models.Run.team_id).where(models.Run.task_id == task.id)).all()
    )
    called = names if own_names else public_names(session, task, now)
    return Scope(task, now, with_gold, own_names, called, teams, *_gone(session, task, teams))


def _gone(
    session: Session, task: models.Task, teams: Mapping[int, int]
) -> tuple[frozenset[int], frozenset[int]]:
    """The runs and teams that were deleted, but for runs that MJ was made from and teams that have such."""
    deleted = select(models.Run.id).where(models.Run.task_id == task.id, models.Run.deleted_at.is_not(None))
    resources = select(models.Resource).where(models.Resource.task_id == task.id)
    used = {
        run["run_id"]
        for made in session.scalars(resources)
        for track in made.inputs["tracks"].values()
        for run in track["runs"]
    }
    runs = frozenset(session.scalars(deleted)) - used
    living = {team for run, team in teams.items() if run not in runs}
    rows = select(models.Team).where(models.Team.task_id == task.id).order_by(models.Team.id)
    gone: set[int] = set()
    for team in session.scalars(rows):
        if team.deleted_at is not None and team.id not in living:
            gone.add(team.id)
    merged = {team.id: team.merged_into for team in session.scalars(rows) if team.merged_into is not None}
    while more := {team for team, into in merged.items() if into in gone and team not in gone}:
        gone |= more
    return runs, frozenset(gone)


def write(
    session: Session, files: Files, spec: TaskSpec, scope: Scope, target: Path, progress: Progress
) -> None:
    """Writes the archive to `target`. The session must see one state until the end. Raises FileGone."""
    whole = _entries(session, scope)

    def tick() -> None:
        progress(min(len(package.entries), whole - 1), whole)

    package = PackageWriter(target, tick)
    try:
        _write(session, files, spec, scope, package)
    except FileMissing as missing:
        raise FileGone(
            say(
                "The file {hash} belongs into the archive and is missing from the storage; "
                "restore it from a backup.",
                hash=missing.file_hash,
            )
        ) from missing
    finally:
        package.give_up()


def _entries(session: Session, scope: Scope) -> int:
    """About how many entries there will be."""
    boards = select(func.count()).select_from(models.Board).where(models.Board.task_id == scope.task.id)
    hashes = select(func.count(models.Run.file_hash.distinct())).where(models.Run.task_id == scope.task.id)
    rankings = len(archive_pages.FORMATS) * (session.scalar(boards) or 0)
    return rankings + (session.scalar(hashes) or 0) + len(RECORDS) + 10


def _write(session: Session, files: Files, spec: TaskSpec, scope: Scope, package: PackageWriter) -> None:
    package.add_lines("README.md", [readme(spec, scope)])
    package.add_document("settings.json", archive_pages.settings(session, spec, scope))
    for path, text in archive_pages.standings(session, spec, scope):
        package.add_lines(path, [text])
    for path, text in archive_pages.final_standings(session, spec, scope):
        package.add_lines(path, [text])
    for table in archive_pages.by_topic(session, scope):
        package.add_lines(table.path, table.lines())
    teams = archive_pages.teams(session, scope)
    package.add_lines(teams.path, teams.lines())
    for record in RECORDS:
        package.add_rows(record.path, rows_of(session, record, scope))
    _add_talk(session, scope, package)
    _add_public_files(session, files, scope, package)
    placed = dict(_add_runs(session, files, scope, package))
    runs = archive_pages.runs(session, scope, placed)
    package.add_lines(runs.path, runs.lines())
    if scope.with_gold:
        _add_gold(session, files.gold, scope, package)
    package.close(
        {
            "kind": KIND,
            "version": VERSION,
            "task": spec.name,
            "based_on": scope.task.based_on or spec.name,
            "names": "own" if scope.own_names else "public",
            "gold": scope.with_gold,
        }
    )


def _add_talk(session: Session, scope: Scope, package: PackageWriter) -> None:
    by_table = {record.table.name: record for record in RECORDS}
    told, answered = (rows_of(session, by_table[name], scope) for name in ("announcement", "question"))
    package.add_lines("announcements.md", [archive_pages.announcements(told, answered)])


def _add_public_files(session: Session, files: Files, scope: Scope, package: PackageWriter) -> None:
    """What participants could download, and the resources."""
    file = models.InputFile
    inputs = select(file).where(file.task_id == scope.task.id).order_by(file.active.desc(), file.id)
    for row in session.scalars(inputs).all():
        folder = "inputs" if row.active else f"inputs/earlier/{row.id}"
        _add(files.kept, package, f"{folder}/{plain(row.file_name)}", row.file_hash)
    resource = models.Resource
    statement = select(resource).where(resource.task_id == scope.task.id).order_by(resource.id)
    for made in session.scalars(statement).all():
        _add(files.kept, package, f"mj/{made.number}/{plain(made.file_name)}", made.file_hash)
        for other in made.files.values():
            _add(files.kept, package, f"mj/{made.number}/{plain(other['file_name'])}", other["file_hash"])


def _add_runs(
    session: Session, files: Files, scope: Scope, package: PackageWriter
) -> Iterator[tuple[str, str]]:
    """Each different file once; by its hash, where it lies in the archive."""
    run = models.Run
    statement = (
        select(run.file_hash, run.file_name, run.id)
        .where(run.task_id == scope.task.id)
        .order_by(run.file_hash, run.id)
    )
    before = None
    for file_hash, file_name, run_id in session.execute(statement, execution_options={"yield_per": 500}):
        if file_hash == before or run_id in scope.gone_runs:
            continue
        before = file_hash
        ending = "".join(PurePosixPath(plain(file_name)).suffixes[-2:])[:20]
        path = f"runs/{file_hash}{ending}"
        _add(files.kept, package, path, file_hash)
        yield file_hash, path


def _add_gold(session: Session, gold: ContentStore, scope: Scope, package: PackageWriter) -> None:
    version = models.GoldVersion
    statement = (
        select(version)
        .where(version.task_id == scope.task.id, version.state.in_(KEPT_STATES), version.has_file)
        .order_by(version.track, version.number)
    )
    for row in session.scalars(statement).all():
        path = f"gold/{plain(row.track)}-version-{row.number}/{plain(row.file_name)}"
        _add(gold, package, path, row.file_hash)


def _add(store: ContentStore, package: PackageWriter, path: str, file_hash: str) -> None:
    with store.open(file_hash) as stream:
        if package.add_stream(path, stream).sha256 != file_hash:
            raise FileGone(
                say(
                    "The file {hash} in the storage is damaged: its content is another; "
                    "restore it from a backup.",
                    hash=file_hash,
                )
            )


def hashes_in(package: Package) -> dict[str, str]:
    """By its hash, an entry that has the content."""
    return {entry.sha256: entry.path for entry in package.entries.values()}
