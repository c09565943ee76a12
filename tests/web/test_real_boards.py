"""Real runs, each by a team of its own that sends it by the form or by the client, give the board of the
command line: as JSON, as CSV, and by the client."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from leaderboard.app import create_app
from leaderboard.cli import main
from leaderboard.config import Settings
from tests.cli.installation import CommandLine
from tests.client.servers import in_a_thread
from tests.copies import copied
from tests.web.api.scripts import person, team, token
from tests.web.browser import quick, site_of
from tests.web.members import Member

pytestmark = pytest.mark.slow

SHOWN = ("place", "team", "run_name", "value", "values", "places", "late", "kind", "reason", "file_sha256")
SHOWN_OVERALL = ("place", "team", "value", "values", "places", "kind", "reason")
SHOWN_BY_CLIENT = ("place", "team", "value", "values", "places", "late", "kind", "reason")

Client = Callable[..., str]


def installed(folder: Path, tasks_folder: Path, task: str, public: Path, hidden: Path) -> CommandLine:
    def fill(original: Path) -> None:
        made = CommandLine(original, tasks_folder)
        made.begin()
        made.done("inputs", "install", task, public)
        made.done("gold", "install", task, hidden)

    copied(("real", task), folder, fill)
    return CommandLine(folder, tasks_folder)


@contextmanager
def served(made: CommandLine, data: Path) -> Iterator[tuple[Flask, Client]]:
    """The application, and the client, which speaks to it by a real port and returns what it prints."""
    app = quick(create_app(replace(made.settings, api_rate_limit="100000 per minute")))
    with in_a_thread(app) as url:

        def done(*arguments: object, secret: str = "") -> str:
            environment = {"LEADERBOARD_TOKEN": secret, "LEADERBOARD_SERVER": url}
            result = CliRunner().invoke(
                main, ["client", *map(str, arguments)], obj=Settings(data=data), env=environment
            )
            assert result.exit_code == 0, result.output
            return result.stdout

        yield app, done
    site_of(app).close()


def send_all(app: Flask, client: Client, task: str, runs: Sequence[Path]) -> None:
    """Every other run is sent by the form, and those between by the client."""
    site = site_of(app)
    for number, run in enumerate(runs):
        name = run.name.partition(".")[0]
        if number % 2:
            page = Member(app, f"person{number}", name, task).submit(run)
            assert "The file is accepted." in page, run.name
        else:
            somebody = person(site)
            team(site, somebody, task, name)
            client("submit", task, run, secret=token(site, somebody))
    # A large file is scored by the queue after its sender has been answered.
    site.jobs.drain()


def same_boards(
    tmp_path: Path, tasks_folder: Path, task: str, public: Path, hidden: Path, runs: Sequence[Path]
) -> list[list[dict[str, Any]]]:
    by_hand = installed(tmp_path / "hand", tasks_folder, task, public, hidden)
    by_hand.done(
        *("submit", task, "--manifest"),
        by_hand.manifest(*((run, run.name.partition(".")[0]) for run in runs)),
    )
    there = installed(tmp_path / "there", tasks_folder, task, public, hidden)
    with served(there, tmp_path / "data") as (app, client):
        send_all(app, client, task, runs)
        spec = site_of(app).catalog.find(task)
        tracks = [track.name for track in spec.tracks] + (["overall"] if spec.overall else [])
        return [same_board(app, client, by_hand, task, track, len(runs)) for track in tracks]


def same_board(
    app: Flask, client: Client, by_hand: CommandLine, task: str, track: str, runs: int
) -> list[dict[str, Any]]:
    which = ("--overall",) if track == "overall" else ("--track", track)
    expected = json.loads(by_hand.done("board", task, *which, "--format", "json"))["rows"]
    reader = app.test_client()
    found = reader.get(f"/tasks/{task}/board.json?track={track}").get_json()["rows"]
    names = SHOWN_OVERALL if track == "overall" else SHOWN
    assert picked(found, names) == picked(expected, names)
    assert len(found) == runs
    table = csv.DictReader(io.StringIO(reader.get(f"/tasks/{task}/board.csv?track={track}").text))
    assert [(row["place"], row["team"], row["value"]) for row in table] == [
        ("" if row["place"] is None else str(row["place"]), row["team"], exact(row["value"]))
        for row in expected
    ]
    printed = json.loads(client("board", task, "--track", track, "--json"))["items"]
    assert picked(printed, SHOWN_BY_CLIENT) == picked(expected, SHOWN_BY_CLIENT)
    rows: list[dict[str, Any]] = found
    return rows


def picked(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[list[Any]]:
    return [[row[name] for name in names] for row in rows]


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
