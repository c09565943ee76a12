"""Real runs uploaded by the form, each by a team of its own, give the board of the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from leaderboard.app import create_app
from tests.cli.installation import CommandLine
from tests.databases import fresh_sqlite
from tests.web.browser import quick, site_of
from tests.web.members import Member

pytestmark = pytest.mark.slow

SHOWN = ("place", "team", "run_name", "value", "values", "places", "late", "kind", "reason", "file_sha256")
SHOWN_OVERALL = ("place", "team", "value", "values", "places", "kind", "reason")


def installed(folder: Path, tasks_folder: Path, task: str, public: Path, hidden: Path) -> CommandLine:
    folder.mkdir()
    made = CommandLine(folder, tasks_folder)
    fresh_sqlite(made.settings.instance)
    made.done("init")
    made.done("inputs", "install", task, public)
    made.done("gold", "install", task, hidden)
    return made


def served(made: CommandLine) -> Flask:
    return quick(create_app(made.settings))


def upload_all(app: Flask, task: str, runs: Sequence[Path]) -> None:
    """Registers a person for each run, who makes a team and uploads it."""
    for number, run in enumerate(runs):
        member = Member(app, f"person{number}", run.name.partition(".")[0], task)
        page = member.submit(run)
        assert "The file is accepted." in page, run.name
    # A large file is scored by the queue after its sender has been answered.
    queue = site_of(app).jobs.huey
    while (job := queue.dequeue()) is not None:
        queue.execute(job)


def same_boards(
    tmp_path: Path, tasks_folder: Path, task: str, public: Path, hidden: Path, runs: Sequence[Path]
) -> list[list[dict[str, Any]]]:
    app = served(installed(tmp_path / "browser", tasks_folder, task, public, hidden))
    upload_all(app, task, runs)
    by_hand = installed(tmp_path / "hand", tasks_folder, task, public, hidden)
    by_hand.done(
        *("submit", task, "--manifest"),
        by_hand.manifest(*((run, run.name.partition(".")[0]) for run in runs)),
    )
    reader = app.test_client()
    spec = site_of(app).catalog.find(task)
    boards = []
    for track in (*(track.name for track in spec.tracks), *(["overall"] if spec.overall else [])):
        which = ("--overall",) if track == "overall" else ("--track", track)
        expected = json.loads(by_hand.done("board", task, *which, "--format", "json"))
        found = reader.get(f"/tasks/{task}/board.json?track={track}").get_json()
        names = SHOWN_OVERALL if track == "overall" else SHOWN
        assert [[row[name] for name in names] for row in found["rows"]] == [
            [row[name] for name in names] for row in expected["rows"]
        ]
        assert len(found["rows"]) == len(runs)
        text = reader.get(f"/tasks/{task}/board.csv?track={track}").text
        table = csv.DictReader(io.StringIO(text))
        assert [(row["place"], row["team"], row["value"]) for row in table] == [
            ("" if row["place"] is None else str(row["place"]), row["team"], exact(row["value"]))
            for row in expected["rows"]
        ]
        boards.append(found["rows"])
    site_of(app).close()
    return boards


def exact(value: float | None) -> str:
    return "" if value is None else repr(value)


def test_thirteen_runs_of_russe(tmp_path: Path, tasks_folder: Path, shared_data: Path) -> None:
    russe = shared_data / "russe"
    runs = sorted((russe / "runs").glob("*.csv"))
    assert len(runs) == 13
    hj = same_boards(tmp_path, tasks_folder, "russe", russe, russe / "gold", runs)[0]
    assert (hj[-1]["team"], hj[-1]["place"]) == ("zeros", None)


def test_seventeen_runs_of_cast(tmp_path: Path, tasks_folder: Path, shared_data: Path) -> None:
    cast = shared_data / "cast2019"
    runs = sorted([*(cast / "runs").glob("*.run"), *(cast / "runs").glob("*.trec.gz")])
    assert len(runs) == 17
    graded = same_boards(tmp_path, tasks_folder, "cast", cast, cast / "gold", runs)[0]
    assert (graded[0]["team"], f"{graded[0]['value']:.4f}") == ("decaf2019_12", "0.5233")
