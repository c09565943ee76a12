"""Archives and studies of more and more runs: how time and memory grow with their number.

Each is done by a process of its own, whose peak memory is what it needed. All of them stream, and must take
the same memory for any number of runs but for what comes out; docs/analysis.md says how much that is of a
study.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from benchmarks import cast
from benchmarks.rescoring import MANY, NOW, TASKS, new_run
from benchmarks.timing import peak
from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import (
    archive_importing,
    archives,
    gold,
    score_rows,
    standings,
    stored_studies,
    studies,
    tasks,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.store import queries, schema
from leaderboard.store.files import Files
from leaderboard.store.models import WHOLE, Run, Score, Team
from leaderboard.store.session import Database

FILE = 20_000
"""Bytes of a run's file, which nobody reads here."""


@dataclass(frozen=True)
class Taken:
    """Seconds of the processor; memory in MB, at most and before."""

    processor: float
    peak: float
    before: float


def run(counts: Sequence[int] = MANY) -> None:
    """Makes installations with so many scored runs of CAsT, does all three with each, and prints."""
    ways: dict[str, Callable[[Path], Taken]] = {
        "archive": write_archive,
        "import": import_archive,
        "study": study_runs,
    }
    found: dict[str, dict[int, Taken]] = {way: {} for way in ways}
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), count)
            for name, way in ways.items():
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    found[name][count] = pool.apply(way, (Path(folder),))
    print(f"\nCAsT, {cast.TOPICS} topics: an archive, its import, a study of {len(_columns())} measures")
    for name, by_count in found.items():
        for count, taken in by_count.items():
            print(
                f"  {name:<8} {count:>5} runs  processor {taken.processor:>6.1f} s"
                f"  peak {taken.peak:>5.0f} MB, {taken.before:.0f} MB before"
            )


def fill(folder: Path, count: int) -> None:
    """An installation with so many runs, each with all its scores and values by topic, made up."""
    spec, scorer, database, files = _opened(folder / "site")
    schema.upgrade(database)
    (folder / "gold").mkdir()
    cast.write_golds(folder / "gold", [cast.docno_of(random.Random(number)) for number in range(20_000)])
    with database.writing() as session:
        tasks.install(session, spec, NOW)
        gold.install(session, files, spec, scorer, folder / "gold", "", NOW)
    dice = np.random.default_rng(5)
    with database.writing() as session:
        versions = gold.active(session, spec)
        for number in range(count):
            task = tasks.known(session, spec.name)
            team = Team(task_id=task.id, name=f"team {number}", created_at=NOW)
            session.add(team)
            session.flush()
            phase_id = queries.phases_of(session, task.id)[0].id
            stored = files.kept.put(BytesIO(dice.bytes(FILE)))
            row = new_run(task.id, phase_id, team.id, stored.file_hash, NOW + timedelta(minutes=number))
            row.state, row.scored_at = "scored", NOW
            session.add(row)
            session.flush()
            session.execute(insert(Score), _scores(spec, versions, row, dice))
        standings.refresh(session, spec, scorer.VERSION, NOW)
    database.close()


def _scores(
    spec: TaskSpec, versions: Sequence[gold.Version], run: Run, dice: np.random.Generator
) -> list[dict[str, object]]:
    rows = []
    for version in versions:
        for measure in spec.track(version.track).measures:
            by_topic = dice.random(len(version.topics))
            rows.append(
                {
                    "run_id": run.id,
                    "gold_version_id": version.id,
                    "track": version.track,
                    "measure": measure,
                    "split": WHOLE,
                    "value": float(by_topic.mean()),
                    "per_topic": by_topic.astype(score_rows.PER_TOPIC).tobytes(),
                    "answered": len(by_topic),
                    "total": len(by_topic),
                    "scorer_version": load_scorer(spec).VERSION,
                    "file_hash": run.file_hash,
                    "scored_at": NOW,
                }
            )
    return rows


def write_archive(folder: Path) -> Taken:
    """Writes it; in a process of its own."""
    spec, _, database, files = _opened(folder / "site")
    with database.writing() as session:
        number = archives.begin(session, spec, archives.Wanted(own_names=True), SHELL, NOW).number
    before, busy = peak(), time.process_time()
    transactions = Transactions(database.reading, database.writing)
    made = archives.make(transactions, files, spec, number, lambda: NOW, unwatched)
    taken = Taken(time.process_time() - busy, peak(), before)
    archives.path_of(files, made).rename(folder / "archive.zip")
    database.close()
    return taken


def import_archive(folder: Path) -> Taken:
    """Imports it into a new installation; in a process of its own."""
    spec, _, database, files = _opened(folder / "other")
    schema.upgrade(database)
    before, busy = peak(), time.process_time()
    transactions, path = Transactions(database.reading, database.writing), folder / "archive.zip"
    archive_importing.bring(transactions, files, lambda _: spec, path, SHELL, lambda: NOW, unwatched)
    taken = Taken(time.process_time() - busy, peak(), before)
    database.close()
    return taken


def study_runs(folder: Path) -> Taken:
    """Studies all runs by the task's own measures; in a process of its own."""
    spec, scorer, database, files = _opened(folder / "site")
    wanted = stored_studies.Wanted(spec.phases[0].name if spec.phases else "open", _columns(), True, 1)
    before, busy = peak(), time.process_time()
    stored_studies.study_stored(database.reading, files, spec, scorer, wanted, unwatched)
    taken = Taken(time.process_time() - busy, peak(), before)
    database.close()
    return taken


def _columns() -> tuple[studies.Column, ...]:
    return studies.default_columns(load_task(TASKS / "cast"))


def _opened(folder: Path) -> tuple[TaskSpec, Scorer, Database, Files]:
    folder.mkdir(exist_ok=True)
    spec = load_task(TASKS / "cast")
    return spec, load_scorer(spec), Database(f"sqlite:///{folder / 'db'}"), Files.under(folder)
