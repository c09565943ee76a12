"""Tasks with data and runs at hand, to show everything with: their samples, or a folder of real data."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, Scorer, SourceSpec, TaskSpec, say
from leaderboard.services import entering, gold, inputs, mj, mj_pages, roles, teams
from leaderboard.services.accounts import NewPerson, open_account
from leaderboard.services.audit import SHELL
from leaderboard.services.downloading import Progress as Received
from leaderboard.services.downloading import sha256_of
from leaderboard.services.entering import Entered, Entry
from leaderboard.services.errors import ServiceError
from leaderboard.services.fetching import FOLDERS, fetch_task, from_folder
from leaderboard.services.mj import Built
from leaderboard.services.mj_plans import KIND
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.runs import Details
from leaderboard.store.files import Files
from leaderboard.store.models import Task, Team

MARK = "this-is-a-demo"
"""The file that tells a folder which may be deleted from one that may not."""

ORGANISER = NewPerson("organiser@example.org", "Olga")
PARTICIPANT = NewPerson("participant@example.org", "Vera")
"""Who can sign in to a demo: an administrator of the site, and the captain of a team in each task."""


class NothingToShow(ServiceError):
    """No task has data there."""


class NotADemo(ServiceError):
    """A folder would be deleted that no demo has made."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A task with its gold, its inputs (None: none at hand) and the runs to submit. `lacking` says what could
    not be found."""

    spec: TaskSpec
    gold: Path
    inputs: Path | None
    entries: tuple[Entry, ...]
    lacking: tuple[Message, ...] = ()


def afresh(instance: Path) -> bool:
    """Makes an empty instance folder, and says whether an earlier demo had to go. Raises NotADemo."""
    there = instance.is_dir() and any(instance.iterdir())
    if there and not (instance / MARK).is_file():
        raise NotADemo(
            say(
                "{folder} is not of a demo and will not be deleted; give another --instance.", folder=instance
            )
        )
    if there:
        shutil.rmtree(instance)
    instance.mkdir(parents=True, exist_ok=True)
    (instance / MARK).touch()
    return there


def samples(specs: Iterable[TaskSpec]) -> tuple[Exhibit, ...]:
    """The tasks that have a sample in their folder. Raises NothingToShow; FormatError for a bad manifest."""
    found = []
    for spec in specs:
        folder = spec.folder / "sample"
        if _has_gold(spec, folder / "gold") and (folder / "runs.csv").is_file():
            entries = entering.plan(folder / "runs.csv")
            found.append(Exhibit(spec, folder / "gold", _inputs(spec, folder / "inputs"), entries))
    if not found:
        raise NothingToShow(say("No task has a folder `sample` with gold and a manifest runs.csv."))
    return tuple(found)


def real(specs: Iterable[TaskSpec], data: Path, to: Path) -> tuple[Exhibit, ...]:
    """The tasks whose published files lie in `data`, at any depth; they are copied to `to`.

    The runs are the files of the folder `runs` beside that of the gold, each by a team of its own that is
    called as the file is. Raises NothingToShow.
    """
    found = [exhibit for spec in specs if (exhibit := _real(spec, data, to / spec.name)) is not None]
    if not found:
        raise NothingToShow(say("{folder} has the benchmark of no task.", folder=data))
    return tuple(found)


def show(
    transactions: Transactions,
    files: Files,
    exhibit: Exhibit,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> tuple[Entered, ...]:
    """Installs a task's files, submits its runs and scores them."""
    spec = exhibit.spec
    with transactions.writing() as session:
        if exhibit.inputs is not None:
            inputs.install(session, files, spec, exhibit.inputs, clock())
        gold.install(session, files, spec, scorer, exhibit.gold, "demo", clock())
    return entering.enter_all(transactions, files, spec, scorer, exhibit.entries, clock, progress)


def open_accounts(session: Session, exhibits: Iterable[Exhibit], password_hash: str, now: datetime) -> None:
    """Accounts for the two people of a demo, once its runs are there. Their password is the same."""
    open_account(session, ORGANISER, password_hash, now)
    roles.give(session, ORGANISER.email, "administrator", None, SHELL, now)
    participant = open_account(session, PARTICIPANT, password_hash, now)
    for exhibit in exhibits:
        names = [each.details.team for each in exhibit.entries if each.details.kind == "ordinary"]
        statement = select(Team).join(Task, Task.id == Team.task_id)
        team = session.scalars(
            statement.where(Task.name == exhibit.spec.name, Team.name.in_(names)).order_by(Team.id).limit(1)
        ).one_or_none()
        if team is not None:
            teams.join(session, team, participant, "captain", now)


def build_resource(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> Built | None:
    """Builds MJ from the runs and shows it to everybody, where the task has that; None where it has not."""
    if spec.resource != KIND:
        return None
    built = mj.build(transactions, files, spec, scorer, mj.Wanted(), clock, progress)
    with transactions.writing() as session:
        mj_pages.publish(session, spec, built.number, clock())
    return built


def _real(spec: TaskSpec, data: Path, to: Path) -> Exhibit | None:
    home = _home(spec, data)
    if home is None:
        return None
    fetched = fetch_task(spec, to, from_folder(data), _unwatched)
    return Exhibit(
        spec,
        to / FOLDERS["gold"],
        _inputs(spec, to / FOLDERS["input"]),
        tuple(_runs(home / "runs")),
        fetched.failures,
    )


def _home(spec: TaskSpec, data: Path) -> Path | None:
    """The folder that holds the folders of the task's gold and runs."""
    tracks = {track.gold for track in spec.tracks}
    for source in spec.sources:
        if source.kind != "gold" or source.file not in tracks:
            continue
        for path in sorted(data.rglob(source.file)):
            if sha256_of(path) == source.sha256 and (path.parent.parent / "runs").is_dir():
                return path.parent.parent
    return None


def _runs(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.iterdir()):
        # Beside some runs lies what an evaluation program said about them.
        if path.is_file() and path.suffix != ".txt" and not path.name.startswith("."):
            name = path.name.partition(".")[0]
            yield Entry(path, Details(team=name, name=name))


def _inputs(spec: TaskSpec, folder: Path) -> Path | None:
    return folder if any((folder / declared.file).is_file() for declared in spec.inputs) else None


def _has_gold(spec: TaskSpec, folder: Path) -> bool:
    return any((folder / track.gold).is_file() for track in spec.tracks)


@contextmanager
def _unwatched(_source: SourceSpec) -> Iterator[Received]:
    yield lambda _have, _total: None
