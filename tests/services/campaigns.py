"""Judging campaigns for tests: the task cast with a small gold, and judges who know the true order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.contract import TaskSpec
from leaderboard.services import (
    gold,
    judging,
    judging_admission,
    judging_handing,
    judging_material,
    judging_pages,
    judging_pools,
    judging_work,
    tasks,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import Handed
from leaderboard.services.judging_pages import Progress
from leaderboard.services.judging_plans import NotNow, Plan, Settings
from leaderboard.services.judging_results import Results, results
from leaderboard.store.files import Files
from leaderboard.store.models import Judgment
from leaderboard.store.session import Database
from tests.services.toy import NOON

REPOSITORY = Path(__file__).resolve().parents[2]

GRADES = {
    "31_1": {"a": 3, "b": 3, "c": 3, "d": 2, "e": 2, "x": 0},
    "31_2": {"f": 4, "g": 2, "h": 2, "y": 0},
}
"""For k = 5, all items above 0 are candidates."""

ONE_EACH = Settings(procedure="tournament", k=2)

CROWD = Settings(procedure="two-stage", k=5)

Answer = Callable[[Handed], str]


def alphabetical(handed: Handed) -> str:
    """The text that comes first in the alphabet is the better."""
    left, right = handed.texts
    return "left" if left < right else "right"


@dataclass
class Campaigns:
    """An installation of the task cast, and short ways to judge in it."""

    database: Database
    folder: Path
    now: datetime = NOON
    seed: int = 1
    spec: TaskSpec = field(init=False)

    def __post_init__(self) -> None:
        self.spec = Catalog((REPOSITORY / "tasks",)).find("cast")
        self.files = Files.under(self.folder / "instance")
        self.scorer = load_scorer(self.spec)

    def install(self) -> Campaigns:
        source = self.folder / "gold"
        source.mkdir()
        lines = [f"{topic} 0 {docno} {g}" for topic, of in GRADES.items() for docno, g in of.items()]
        (source / "graded.qrels").write_text("\n".join(lines) + "\n")
        with self.database.writing() as session:
            tasks.install(session, self.spec, NOON)
            gold.install(session, self.files, self.spec, self.scorer, source, "small", NOON)
        return self

    def make(self, settings: Settings = ONE_EACH, **changes: Any) -> int:
        """A campaign without anything to judge."""
        plan = replace(
            Plan("Which is better?", "preference", "combined", settings, self.seed, open_to="anyone"),
            **changes,
        )
        with self.database.writing() as session:
            return judging.create(session, self.spec, plan, SHELL, self.now)

    def texts(self) -> Path:
        """Each text is its docno, with spaces around."""
        path = self.folder / "texts.tsv"
        rows = [
            f"{topic}\tWhat of {topic}?\t{docno}\t{docno}" for topic, of in GRADES.items() for docno in of
        ]
        path.write_text("topic\tquestion\tdocno\ttext\n" + "\n".join(rows) + "\n")
        return path

    def opened(self, settings: Settings = ONE_EACH, **changes: Any) -> int:
        """A campaign over the small gold, open."""
        number = self.make(settings, **changes)
        with self.database.writing() as session:
            judging_pools.pool_from_gold(session, self.files, self.spec, number, "graded")
            judging_material.import_texts(session, self.spec, number, self.texts())
        self.open(number)
        return number

    def of_words(self, kind: str, count: int, settings: Settings, **changes: Any) -> int:
        """A campaign over so many pairs of words, open."""
        number = self.make(settings, kind=kind, track=None, **changes)
        with self.database.writing() as session:
            pairs = [(f"word {place:03d}", "other") for place in range(count)]
            judging_material.add_words(session, self.spec, number, pairs)
        self.open(number)
        return number

    def open(self, number: int) -> None:
        with self.database.writing() as session:
            judging.open_(session, self.spec, number, SHELL, self.now)

    def judge(self, number: int, **how: Any) -> int:
        """Somebody without an account."""
        with self.database.writing() as session:
            return judging_admission.join(session, self.spec, number, None, self.now, **how).judge_id

    def next(self, number: int, judge: int) -> tuple[Handed, ...]:
        return self.work(number, judge).units

    def work(self, number: int, judge: int) -> judging_handing.Work:
        with self.database.writing() as session:
            return judging_handing.next_(session, self.spec, number, judge, self.now)

    def answer(
        self, number: int, judge: int, handed: Handed, answer: str, seconds: float | None = None
    ) -> None:
        self.now += timedelta(seconds=1)
        with self.database.writing() as session:
            judging_work.record(
                session, self.spec, number, judge, handed.judgment_id, answer, self.now, seconds
            )

    def skip(self, number: int, judge: int, handed: Handed) -> None:
        with self.database.writing() as session:
            judging_work.skip(session, self.spec, number, judge, handed.judgment_id, self.now)

    def undo(self, number: int, judge: int) -> Handed:
        with self.database.writing() as session:
            return judging_work.undo(session, self.spec, number, judge, self.now)

    def judge_all(self, number: int, judge: int, say: Answer = alphabetical) -> int:
        """Judges until nothing is left, or until nothing is taken any more; returns how many judgments that
        were."""
        given = 0
        while units := self.next(number, judge):
            for handed in units:
                with suppress(NotNow):
                    self.answer(number, judge, handed, say(handed))
                    given += 1
        return given

    def results(self, number: int) -> Results:
        with self.database.reading() as session:
            return results(session, self.files, self.spec, number)


def progress(campaigns: Campaigns, number: int) -> Progress:
    with campaigns.database.reading() as session:
        return judging_pages.progress(session, campaigns.spec, number)


def states(campaigns: Campaigns) -> list[str]:
    with campaigns.database.reading() as session:
        return list(session.scalars(select(Judgment.state).order_by(Judgment.id)))
