"""A small task for tests of the services: a run is one number a line, for the topics a, b, c, …

Its scorer is a module like any task's. Track `near`: the mean over topics of 1 − |run − gold|, per topic.
Track `same`: the correlation of run and gold, undefined for a constant run. A run that holds 666
breaks the scorer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from leaderboard.contract import (
    Fault,
    FormatError,
    InputSpec,
    PhaseSpec,
    Report,
    Scores,
    TaskSpec,
    Text,
    TrackScores,
    TrackSpec,
    say,
)
from leaderboard.services import boards, gold, inputs, runs, scoring, tasks
from leaderboard.store.files import Files
from leaderboard.store.session import Database

VERSION = "1"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class ToyGold:
    values: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]
    topics: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, list[int]] | None = None
    """The units of a part, None for all."""


def check(spec: TaskSpec, path: Path, folder: Path | None) -> Report:
    values, faults = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            values.append(float(line))
        except ValueError:
            faults.append(Fault(number, 1, say('"{text}" is not a number.', text=line), "not-a-number"))
    if faults:
        return Report(None, tuple(faults), len(faults))
    left_out = () if folder else (say("Whether all topics are there was not checked."),)
    expected = len((folder / "topics.txt").read_text().split()) if folder else len(values)
    warnings = () if len(values) == expected else (say("{n} topics are expected.", n=expected),)
    return Report(np.array(values), warnings=warnings, left_out=left_out)


def template(spec: TaskSpec, folder: Path | None) -> Iterator[str]:
    yield "0.5\n"


def read_gold(spec: TaskSpec, files: Mapping[str, Path]) -> ToyGold:
    values = {}
    for track, path in files.items():
        try:
            values[track] = np.array([float(line) for line in path.read_text().splitlines()])
        except ValueError:
            fault = Fault(1, None, say("This is not a number."), "not-a-number")
            raise FormatError(path.name, (fault,)) from None
    topics = {track: tuple(LETTERS[: len(v)]) if track == "near" else () for track, v in values.items()}
    return ToyGold(values, topics)


def score(spec: TaskSpec, run: Any, benchmark: ToyGold) -> Scores:
    scores = {}
    for track, expected in benchmark.values.items():
        given = np.zeros(len(expected))
        given[: len(run)] = run[: len(expected)]
        if benchmark.rows is not None:
            given, expected = given[benchmark.rows[track]], expected[benchmark.rows[track]]
        if 666 in run:
            raise ArithmeticError("the number of the beast, not of the gold")
        if track == "near":
            per_topic = 1 - np.abs(given - expected)
            values = {"closeness": float(per_topic.mean()), "P@1": float(per_topic[0])}
            scores[track] = TrackScores(
                values, {}, benchmark.topics[track], {"closeness": per_topic}, len(run), len(expected)
            )
        else:
            constant = np.ptp(given) == 0
            value = math.nan if constant else float(np.corrcoef(given, expected)[0, 1])
            why = {"correlation": say("All values of the run are the same.")} if constant else {}
            scores[track] = TrackScores({"correlation": value}, why, answered=len(run), total=len(expected))
    return scores


def parting(spec: TaskSpec, benchmark: ToyGold) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
    return {track: dict.fromkeys(LETTERS[: len(v)], ()) for track, v in benchmark.values.items()}


def part(spec: TaskSpec, benchmark: ToyGold, kept: Set[str]) -> ToyGold:
    rows = {
        track: [row for row, unit in enumerate(LETTERS[: len(v)]) if unit in kept]
        for track, v in benchmark.values.items()
    }
    topics = {
        track: tuple(topic for topic in found if topic in kept) for track, found in benchmark.topics.items()
    }
    return ToyGold(benchmark.values, topics, rows)


TITLE = Text({"en": "Toy", "ru": "Игрушка"})


def make_spec(**changes: Any) -> TaskSpec:
    declared: dict[str, Any] = {
        "name": "toy",
        "folder": Path(),
        "scorer": Path("toy.py"),
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
        return sys.modules[__name__]

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
