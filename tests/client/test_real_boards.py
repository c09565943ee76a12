"""Real runs sent by the client, each by a team of its own, give the board of the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from leaderboard.app import create_app
from leaderboard.cli import main
from leaderboard.config import Settings
from leaderboard.site import opened
from tests.cli.installation import CommandLine
from tests.client.servers import in_a_thread
from tests.databases import fresh_sqlite
from tests.web.api.scripts import person, team, token

pytestmark = pytest.mark.slow

SHOWN = ("place", "team", "value", "values", "places", "late", "kind", "reason")


def installed(folder: Path, tasks_folder: Path, task: str, public: Path, hidden: Path) -> CommandLine:
    folder.mkdir()
    made = CommandLine(folder, tasks_folder)
    fresh_sqlite(made.settings.instance)
    made.done("init")
    made.done("inputs", "install", task, public)
    made.done("gold", "install", task, hidden)
    return made


def send_all(served: CommandLine, task: str, runs: Sequence[Path], data: Path) -> dict[str, Any]:
    """Sends each run by the client; returns what the client shows of every board."""
    settings = replace(served.settings, api_rate_limit="100000 per minute")
    boards = {}
    with opened(settings) as site, in_a_thread(create_app(settings)) as url:

        def done(*arguments: object, secret: str = "") -> str:
            environment = {"LEADERBOARD_TOKEN": secret, "LEADERBOARD_SERVER": url}
            result = CliRunner().invoke(
                main, ["client", *map(str, arguments)], obj=Settings(data=data), env=environment
            )
            assert result.exit_code == 0, result.output
            return result.stdout

        for run in runs:
            somebody = person(site)
            team(site, somebody, task, run.name.partition(".")[0])
            done("submit", task, run, secret=token(site, somebody))
        for name in json.loads(done("board", task, "--json"))["items"][0]["values"]:
            boards[name] = json.loads(done("board", task, "--track", name, "--json"))["items"]
        if task == "russe":
            boards["overall"] = json.loads(done("board", task, "--track", "overall", "--json"))["items"]
    return boards


def same_boards(
    tmp_path: Path, tasks_folder: Path, task: str, public: Path, hidden: Path, runs: Sequence[Path]
) -> None:
    by_client = installed(tmp_path / "client", tasks_folder, task, public, hidden)
    boards = send_all(by_client, task, runs, tmp_path / "data")
    by_hand = installed(tmp_path / "hand", tasks_folder, task, public, hidden)
    by_hand.done(
        *("submit", task, "--manifest"),
        by_hand.manifest(*((run, run.name.partition(".")[0]) for run in runs)),
    )
    for track, rows in boards.items():
        which = ("--overall",) if track == "overall" else ("--track", track)
        expected = json.loads(by_hand.done("board", task, *which, "--format", "json"))["rows"]
        assert len(rows) == len(runs)
        assert [[row[name] for name in SHOWN] for row in rows] == [
            [row[name] for name in SHOWN] for row in expected
        ]


def test_thirteen_runs_of_russe(tmp_path: Path, tasks_folder: Path, shared_data: Path) -> None:
    russe = shared_data / "russe"
    runs = sorted((russe / "runs").glob("*.csv"))
    assert len(runs) == 13
    same_boards(tmp_path, tasks_folder, "russe", russe, russe / "gold", runs)


def test_seventeen_runs_of_cast(tmp_path: Path, tasks_folder: Path, shared_data: Path) -> None:
    cast = shared_data / "cast2019"
    runs = sorted([*(cast / "runs").glob("*.run"), *(cast / "runs").glob("*.trec.gz")])
    assert len(runs) == 17
    same_boards(tmp_path, tasks_folder, "cast", cast, cast / "gold", runs)
