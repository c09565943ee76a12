"""Installations in a temporary folder, used through the command line alone."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from sqlalchemy import text

from leaderboard.cli import main
from leaderboard.config import Settings, inside
from leaderboard.site import opened
from tests.databases import fresh_sqlite

SCORER = Path(__file__).resolve().parents[1] / "services" / "toy_scorer.py"

DECLARATION = """
name = "toy"
overall = "mean rank"
title.en = "Toy"
summary.en = "A number a line."
[[inputs]]
name = "topics"
file = "topics.txt"
title.en = "Topics"
[[tracks]]
name = "near"
title.en = "Near"
gold = "near.txt"
measures = ["closeness", "P@1"]
primary = "closeness"
[[tracks]]
name = "same"
title.en = "Same"
gold = "same.txt"
measures = ["correlation"]
digits = 2
"""


@dataclass
class CommandLine:
    """An instance in a temporary folder, of the tasks in another."""

    folder: Path
    tasks: Path

    @property
    def settings(self) -> Settings:
        tasks = Settings(tasks=(self.tasks,), data=self.folder / "data")
        return inside(self.folder / "instance", tasks)

    def write(self, name: str, *values: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{value}\n" for value in values))
        return path

    def manifest(self, *lines: Sequence[object], header: str = "file,team") -> Path:
        path = self.folder / "runs.csv"
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(header.split(","))
            writer.writerows(lines)
        return path

    def begin(self) -> None:
        """`init`, where the tables are there: making them takes longer than all else."""
        fresh_sqlite(self.settings.instance)
        self.done("init")

    def run(self, *arguments: object) -> Result:
        return self.run_with(self.settings, *arguments)

    def run_with(self, settings: Settings, *arguments: object) -> Result:
        """The same with other settings."""
        return CliRunner().invoke(main, [str(argument) for argument in arguments], obj=settings)

    def done(self, *arguments: object) -> str:
        """What a command prints that must succeed."""
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments: object) -> str:
        """What a command prints that must end with exit code 1."""
        result = self.run(*arguments)
        assert result.exit_code == 1, (result.exit_code, result.output, result.exception)
        return result.stderr

    def rows(self, task: str, track: str) -> Any:
        return json.loads(self.done("board", task, "--track", track, "--format", "json"))["rows"]


class Installation(CommandLine):
    """An installation of the toy task of the services' tests, declared in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder / "tasks")
        task = self.tasks / "toy"
        task.mkdir(parents=True)
        (task / "task.toml").write_text(DECLARATION)
        shutil.copyfile(SCORER, task / "scorer.py")
        self.write("gold/near.txt", 0.1, 0.5, 0.9)
        self.write("gold/same.txt", 1, 2, 3)
        self.write("inputs/topics.txt", "a", "b", "c")

    def ready(self) -> Installation:
        """With database, inputs and gold."""
        self.begin()
        self.done("inputs", "install", "toy", self.folder / "inputs")
        self.done("gold", "install", "toy", self.folder / "gold")
        return self

    def submit(self, team: str, *values: object, options: Sequence[str] = ()) -> str:
        return self.done("submit", "toy", self.write(f"runs/{team}.txt", *values), "--team", team, *options)

    def lines(self, track: str) -> list[tuple[str, int | None]]:
        return [(row["team"], row["place"]) for row in self.rows("toy", track)]


def set_version(settings: Settings, revision: str) -> None:
    """Has the database say that its tables are at a revision."""
    with opened(settings) as site, site.database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})
