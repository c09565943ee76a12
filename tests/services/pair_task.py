"""The RUSSE task with a handful of pairs, for tests of what is built from runs of pairs."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.contract import TaskSpec
from leaderboard.services import gold, inputs, runs, scoring, tasks
from leaderboard.services.rescoring import Transactions
from leaderboard.store.files import Files
from leaderboard.store.session import Database
from tests.services.toy import NOON

TASKS = Path(__file__).resolve().parents[2] / "tasks"

HJ = (("дом", "изба", 0.9), ("дом", "крыша", 0.6), ("дом", "лес", 0.2), ("кот", "пёс", 0.5))
RT = (("дом", "изба", 1), ("дом", "вода", 0), ("кот", "зверь", 1), ("кот", "сон", 0))
AE = (("лес", "гриб", 1), ("лес", "рука", 0))
LISTED = [*dict.fromkeys(pair[:2] for pair in (*HJ, *RT, *AE)), ("дом", "не оценивается")]

GOOD = dict(zip(LISTED, (0.9, 0.6, 0.2, 0.5, 0.1, 0.8, 0.3, 0.7, 0.1, 1.0), strict=True))


def write_pairs(path: Path, rows: Iterable[tuple[object, ...]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("word1", "word2", "sim"), *rows])
    return path


@dataclass
class PairTask:
    """An installation of the task, and short ways to use it."""

    database: Database
    folder: Path
    spec: TaskSpec = field(default_factory=lambda: Catalog((TASKS,)).find("russe"))

    def __post_init__(self) -> None:
        self.files = Files.under(self.folder / "instance")
        self.scorer = load_scorer(self.spec)
        self.transactions = Transactions(self.database.reading, self.database.writing)

    def install(self) -> PairTask:
        with self.database.writing() as session:
            tasks.install(session, self.spec, NOON)
        return self

    def install_inputs(self) -> PairTask:
        write_pairs(self.folder / "inputs" / "pairs.csv", ((*pair, "") for pair in LISTED))
        return self.install_inputs_of(self.folder / "inputs")

    def install_inputs_of(self, folder: Path) -> PairTask:
        with self.database.writing() as session:
            inputs.install(session, self.files, self.spec, folder, NOON)
        return self

    def install_gold(self, **tracks: Iterable[tuple[object, ...]]) -> PairTask:
        folder = self.folder / "gold"
        for name, rows in (tracks or {"hj": HJ, "rt": RT, "ae": AE}).items():
            write_pairs(folder / self.spec.track(name).gold, rows)
        return self.install_gold_of(folder)

    def install_gold_of(self, folder: Path) -> PairTask:
        with self.database.writing() as session:
            gold.install(session, self.files, self.spec, self.scorer, folder, "", NOON)
        return self

    def submit(self, team: str, path: Path, minute: int = 0, **details: Any) -> int:
        """Submits a file and scores it."""
        wanted = runs.Details(team, submitted_at=NOON + timedelta(minutes=minute), **details)
        with self.database.writing() as session:
            done = runs.submit(session, self.files, self.spec, self.scorer, path, wanted, NOON)
            assert done.state == "received", done.report.faults
            scoring.score(session, self.files, self.spec, self.scorer, done.run_id, NOON)
        return done.run_id

    def enter(self, team: str, values: Any, minute: int = 0, **details: Any) -> int:
        """Submits and scores a run: a value for each pair (None: left out), or a list for `LISTED`."""
        by_pair = values if isinstance(values, dict) else dict(zip(LISTED, values, strict=True))
        rows = [(*pair, value) for pair, value in by_pair.items() if value is not None]
        return self.submit(team, write_pairs(self.folder / "runs" / f"{team}.csv", rows), minute, **details)
