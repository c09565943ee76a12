"""An installation of the project's own tasks with their samples, for tests of the pages."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import update

from leaderboard.app import create_app
from leaderboard.config import Settings, inside
from leaderboard.contract import TaskSpec
from leaderboard.services import analysing, entering, gold, inputs, mj, mj_pages, standings, tasks
from leaderboard.services.entering import Entry
from leaderboard.services.rescoring import unwatched
from leaderboard.services.runs import Details
from leaderboard.site import Site, open_site
from leaderboard.store.models import Run, Task
from tests.databases import fresh_sqlite
from tests.web.browser import OFTEN, quick

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOON


@dataclass
class Installation:
    """Short ways to fill an installation and to open its pages."""

    settings: Settings
    site: Site

    @classmethod
    def make(cls, folder: Path, tasks_folder: Path) -> Installation:
        """One with all tables and no task."""
        fresh_sqlite(folder / "instance")
        return cls.at(folder, tasks_folder)

    @classmethod
    def at(cls, folder: Path, tasks_folder: Path) -> Installation:
        """The one that lies there."""
        settings = inside(folder / "instance", Settings(tasks=(tasks_folder,), guards=OFTEN))
        return cls(settings, open_site(settings))

    def app(self) -> Flask:
        return quick(create_app(self.settings))

    def spec(self, task: str) -> TaskSpec:
        return self.site.catalog.find(task)

    def install(self, task: str, gold_folder: Path | None = None) -> None:
        spec, sample = self.spec(task), self.spec(task).folder / "sample"
        with self.site.database.writing() as session:
            tasks.install(session, spec, NOON)
            inputs.install(session, self.site.files, spec, sample / "inputs", NOON)
        self.install_gold(task, gold_folder or sample / "gold")

    def install_gold(self, task: str, folder: Path) -> None:
        spec = self.spec(task)
        with self.site.database.writing() as session:
            gold.install(session, self.site.files, spec, self.site.scorer(spec), folder, "", NOON)

    def enter(self, task: str, entries: Sequence[Entry]) -> list[int]:
        spec = self.spec(task)
        entered = entering.enter_all(
            self.site.transactions, self.site.files, spec, self.site.scorer(spec), entries, clock, unwatched
        )
        return [each.submission.run_id for each in entered]

    def enter_samples(self, task: str) -> list[int]:
        return self.enter(task, entering.plan(self.spec(task).folder / "sample" / "runs.csv"))

    def submit(self, task: str, sample: str, team: str, **details: Any) -> int:
        """Sends one of the sample's runs as that team."""
        path = self.spec(task).folder / "sample" / "runs" / sample
        return self.enter(task, [Entry(path, Details(team, **({"submitted_at": NOON} | details)))])[0]

    def submit_for_many(self, task: str, teams: int, words: Sequence[str], name: str) -> None:
        """Sends the sample's runs in turn, for teams that are called by the words and a number."""
        runs = sorted((self.spec(task).folder / "sample" / "runs").glob("*.csv"))
        numbers = range(teams)
        details = [
            Details(f"{words[n % len(words)]} {n + 1}", f"{name} {n}", submitted_at=NOON) for n in numbers
        ]
        self.enter(task, [Entry(runs[n % len(runs)], details[n]) for n in numbers])

    def change(self, task: str, run_id: int, **values: object) -> None:
        """Sets columns of a run, as organisers do, and brings the standings up to date."""
        spec = self.spec(task)
        with self.site.database.writing() as session:
            session.execute(update(Run).where(Run.id == run_id).values(**values))
            standings.refresh(session, spec, self.site.scorer(spec).VERSION, NOON)

    def hide_task(self, task: str) -> None:
        with self.site.database.writing() as session:
            session.execute(update(Task).where(Task.name == task).values(visibility="organisers"))

    def analyse(self, task: str) -> None:
        """Computes intervals and groups of the task's boards, as the queue does."""
        spec, site = self.spec(task), self.site
        analysing.finish(site.transactions, site.files, spec, site.scorer(spec), clock, unwatched)

    def build_mj(self, *, publish: bool) -> int:
        spec = self.spec("russe")
        built = mj.build(
            self.site.transactions,
            self.site.files,
            spec,
            self.site.scorer(spec),
            mj.Wanted(),
            clock,
            unwatched,
        )
        if publish:
            with self.site.database.writing() as session:
                mj_pages.publish(session, spec, built.number, NOON)
        return built.number

    def copied_gold(self, task: str, folder: Path) -> Path:
        """The sample's gold, to be changed."""
        return shutil.copytree(self.spec(task).folder / "sample" / "gold", folder)
