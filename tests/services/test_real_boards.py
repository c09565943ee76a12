"""Real runs of both tasks, submitted by as many teams: the boards have the reference values in any order."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import boards, gold, inputs, runs, scoring, tasks
from leaderboard.store.files import Files
from leaderboard.store.session import Database
from tests.databases import fresh_sqlite

pytestmark = pytest.mark.slow

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Installation:
    """A task with its real inputs and gold."""

    database: Database
    files: Files
    spec: TaskSpec
    scorer: Scorer

    def submit_all(self, paths: Sequence[Path]) -> None:
        """Each run by a team named after it; the order of submission is that of the names, however they
        come in."""
        order = {path: number for number, path in enumerate(sorted(paths))}
        for path in paths:
            details = runs.Details(path.name.split(".")[0], submitted_at=START + timedelta(hours=order[path]))
            with self.database.writing() as session:
                done = runs.submit(session, self.files, self.spec, self.scorer, path, details, START)
                scoring.score(
                    session, self.files, self.spec, self.scorer, done.run_id, START, done.accepted().report
                )

    def board(self, track: str | None) -> boards.Board:
        with self.database.reading() as session:
            return boards.board(session, self.spec, track, "open")

    def plain(self) -> list[object]:
        tracks = [track.name for track in self.spec.tracks] + ([None] if self.spec.overall else [])
        return [
            (track, row.place, row.team, row.value, row.values, row.places, row.reason)
            for track in tracks
            for row in self.board(track).rows
        ]


def install(
    database: Database, folder: Path, task: Path, name: str, public: Path, hidden: Path
) -> Installation:
    # The task's own phases have their own dates; here only the boards matter.
    spec = replace(load_task(task), name=name, phases=())
    made = Installation(database, Files.under(folder / name), spec, load_scorer(spec))
    with database.writing() as session:
        tasks.install(session, spec, START)
        inputs.install(session, made.files, spec, public, START)
        gold.install(session, made.files, spec, made.scorer, hidden, "", START)
    return made


@pytest.fixture
def databases(database: Database, tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """One of each kind."""
    sqlite = Database(fresh_sqlite(tmp_path))
    yield sqlite, database
    sqlite.close()


on_both = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""The second installation is on PostgreSQL, so that two show that neither order nor database matters."""


def shuffled(paths: Sequence[Path]) -> list[Path]:
    mixed = list(paths)
    random.Random(7).shuffle(mixed)
    return mixed


def values(board: boards.Board, measure: str) -> dict[str, float | None]:
    return {row.team: row.values[board.track or ""][measure] for row in board.rows}


@on_both
def test_thirteen_runs_of_russe_give_the_reference_boards_in_any_order_on_either_database(
    databases: tuple[Database, Database], tmp_path: Path, tasks_folder: Path, shared_data: Path
) -> None:
    russe = shared_data / "russe"
    first, second = (
        install(database, tmp_path, tasks_folder / "russe", name, russe, russe / "gold")
        for name, database in zip(("russe", "again"), databases, strict=True)
    )
    paths = sorted((russe / "runs").glob("*.csv"))
    assert len(paths) == 13
    first.submit_all(paths)
    second.submit_all(shuffled(paths))
    assert second.plain() == first.plain()

    with (shared_data / "reference" / "russe_runs.csv").open(encoding="utf-8") as stream:
        reference = {row["run"]: row for row in csv.DictReader(stream)}
    for track, measure in (("hj", "spearman"), ("rt", "AveP"), ("ae", "AveP")):
        for team, value in values(first.board(track), measure).items():
            expected = float(reference[team][f"{track}_{measure.lower()}"])
            assert (math.nan if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert [row.place for row in first.board("rt").rows] == list(range(1, 14))
    last = first.board("hj").rows[-1]
    assert (last.team, last.place) == ("zeros", None)
    assert last.reason is not None


@on_both
def test_seventeen_runs_of_cast_give_the_reference_boards_in_any_order_on_either_database(
    databases: tuple[Database, Database], tmp_path: Path, tasks_folder: Path, shared_data: Path
) -> None:
    cast = shared_data / "cast2019"
    first, second = (
        install(database, tmp_path, tasks_folder / "cast", name, cast, cast / "gold")
        for name, database in zip(("cast", "again"), databases, strict=True)
    )
    paths = sorted([*(cast / "runs").glob("*.run"), *(cast / "runs").glob("*.trec.gz")])
    assert len(paths) == 17
    first.submit_all(paths)
    second.submit_all(shuffled(paths))
    assert second.plain() == first.plain()

    graded, combined = first.board("graded"), first.board("combined")
    assert [row.place for row in combined.rows] == list(range(1, 18))
    assert (graded.rows[0].team, graded.rows[-1].team) == ("decaf2019_12", "decaf2019_01")
    assert values(graded, "nDCG@3")["decaf2019_12"] == pytest.approx(0.5233, abs=5e-5)
    assert values(combined, "compat(p=0.8)")["decaf2019_12"] == pytest.approx(0.2627, abs=5e-5)
    for track in ("graded", "combined", "top5", "best"):
        for p in ("0.8", "0.95"):
            for team, value in values(first.board(track), f"compat(p={p})").items():
                assert value == pytest.approx(reference_mean(shared_data, team, track, p), abs=1e-12)


def reference_mean(shared_data: Path, team: str, track: str, p: str) -> float:
    """The mean over the topics that the reference program has a value for: those with positive gold."""
    with (shared_data / "reference" / "compat" / f"{team}.csv").open(encoding="utf-8") as stream:
        column = [row[f"{track}_p{p}"] for row in csv.DictReader(stream)]
    known = [float(value) for value in column if value]
    return math.fsum(known) / len(known)
