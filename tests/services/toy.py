"""A small task for tests of the services, and an installation of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from leaderboard.contract import (
    InputSpec,
    PhaseSpec,
    TaskSpec,
    Text,
    TrackSpec,
)
from leaderboard.services import boards, gold, inputs, runs, scoring, tasks
from leaderboard.store.files import Files
from leaderboard.store.session import Database
from tests.services import toy_scorer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


TITLE = Text({"en": "Toy", "ru": "Игрушка"})


def make_spec(**changes: Any) -> TaskSpec:
    declared: dict[str, Any] = {
        "name": "toy",
        "folder": Path(),
        "scorer": Path("toy_scorer.py"),
        "title": TITLE,
        "summary": TITLE,
        "tracks": (
            TrackSpec("near", TITLE, "near.txt", ("closeness", "P@1"), "closeness"),
            TrackSpec("same", TITLE, "same.txt", ("correlation",), "correlation"),
        ),
        "inputs": (InputSpec("topics", "topics.txt", TITLE),),
        "overall": "mean rank",
    }
    return TaskSpec(**(declared | changes))


def evaluation(opens: int = -24, closes: int | None = 24) -> tuple[PhaseSpec, ...]:
    """One phase, opening and closing so many hours from noon."""
    end = None if closes is None else NOON + timedelta(hours=closes)
    return (PhaseSpec("evaluation", TITLE, NOON + timedelta(hours=opens), end),)


@dataclass
class Toy:
    """An installation of the toy task, and short ways to use it."""

    database: Database
    folder: Path
    spec: TaskSpec = field(default_factory=make_spec)
    scratch: str = "scratch"
    """Where files lie before they are handed in; each process needs its own."""

    def __post_init__(self) -> None:
        self.files = Files.under(self.folder / "instance")

    @property
    def scorer(self) -> Any:
        return toy_scorer

    def write(self, name: str, *values: object) -> Path:
        path = self.folder / self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{value}\n" for value in values))
        return path

    def install(self) -> Toy:
        with self.database.writing() as session:
            tasks.install(session, self.spec, NOON)
        return self

    def install_gold(
        self, near: tuple[float, ...] = (0.1, 0.5, 0.9), same: tuple[float, ...] = (1, 2, 3)
    ) -> Any:
        folder = self.folder / self.scratch / "gold"
        self.write("gold/near.txt", *near)
        self.write("gold/same.txt", *same)
        with self.database.writing() as session:
            return gold.install(session, self.files, self.spec, self.scorer, folder, "a note", NOON)

    def install_inputs(self) -> Any:
        self.write("inputs/topics.txt", "a", "b", "c")
        with self.database.writing() as session:
            return inputs.install(session, self.files, self.spec, self.folder / self.scratch / "inputs", NOON)

    def submit(self, team: str, *values: object, minute: int = 0, **details: Any) -> runs.Submission:
        path = self.write(f"runs/{team}.txt", *values)
        wanted = runs.Details(team, submitted_at=NOON + timedelta(minutes=minute), **details)
        with self.database.writing() as session:
            return runs.submit(session, self.files, self.spec, self.scorer, path, wanted, NOON)

    def score(self, run_id: int) -> str:
        with self.database.writing() as session:
            return scoring.score(session, self.files, self.spec, self.scorer, run_id, NOON)

    def enter(self, team: str, *values: object, minute: int = 0, **details: Any) -> int:
        """Submits and scores."""
        run_id = self.submit(team, *values, minute=minute, **details).run_id
        self.score(run_id)
        return run_id

    def lines(self, track: str | None, phase: str = "open") -> list[tuple[str, int | None]]:
        """Team and place of each line of a board."""
        with self.database.reading() as session:
            found = boards.board(session, self.spec, track, phase)
        return [(row.team, row.place) for row in found.rows]
