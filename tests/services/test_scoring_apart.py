"""Runs that loop, eat memory or end the process that scores them harm nobody but themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from leaderboard.catalog import load_scorer
from leaderboard.config import Limits
from leaderboard.services import job_pages, queue, rescoring, run_pages, scoring_jobs
from leaderboard.services.rescoring import Transactions
from leaderboard.services.scoring_apart import ROOT, Children, ScorerApart
from leaderboard.services.work import NotNow
from leaderboard.store.session import Database
from tests.services import poison
from tests.services.toy import NOON, Toy, make_spec


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    made = Children(Limits(seconds=2, memory_mb=500))
    yield made
    made.stop()


class Poisoned(Toy):
    def __init__(self, database: Database, folder: Path, children: Children) -> None:
        super().__init__(database, folder, make_spec(scorer=Path(poison.__file__)))
        self.children = children

    @property
    def scorer(self) -> Any:
        return ScorerApart(load_scorer(self.spec), self.children)

    @property
    def transactions(self) -> Transactions:
        return Transactions(self.database.reading, self.database.writing)

    def run_job(self, job_id: int, now: datetime) -> str | None:
        registry = {
            scoring_jobs.JOB: scoring_jobs.job(
                self.transactions, self.files, lambda _name: (self.spec, self.scorer), lambda: now
            )
        }
        return queue.run(self.database.writing, registry, job_id, lambda: now)

    def page(self, run_id: int) -> run_pages.RunPage:
        with self.database.reading() as session:
            return run_pages.show(session, self.spec, run_id)


@pytest.fixture
def poisoned(sqlite_template: Path, tmp_path: Path, children: Children) -> Iterator[Poisoned]:
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    database = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")
    made = Poisoned(database, tmp_path, children)
    made.install().install_gold()
    yield made
    database.close()


def sleeping() -> list[Path]:
    """The programs that runs of 444 have started from this process."""
    wanted = f"sleep\0{os.getpid()}.444\0".encode()
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if file.read_bytes() == wanted:
                found.append(file)
    return found


def test_what_a_scorer_has_started_ends_with_it(poisoned: Poisoned) -> None:
    run_id = poisoned.submit("a", 444, 0.5, 0.9).run_id
    with poisoned.database.writing() as session:
        job_id = scoring_jobs.request(session, "toy", run_id, NOON)
    assert poisoned.run_job(job_id, NOON) == "waiting"
    for _ in range(100):
        if not sleeping():
            break
        threading.Event().wait(0.05)
    assert sleeping() == []


def test_a_poison_run_is_tried_thrice_and_fails_readably_while_others_are_scored(poisoned: Poisoned) -> None:
    good = poisoned.submit("a", 0.1, 0.5, 0.9).run_id
    bad = poisoned.submit("b", 333, 0.5, 0.9).run_id
    with poisoned.database.writing() as session:
        jobs = [scoring_jobs.request(session, "toy", run_id, NOON) for run_id in (bad, good)]
    states = []
    for minutes in (0, 1, 10):
        states.append(poisoned.run_job(jobs[0], NOON + timedelta(minutes=minutes)))
        if minutes == 0:
            with poisoned.database.reading() as session:
                why = str(job_pages.show(session, jobs[0]).error)
            assert why == "Scoring it ended the process that did it (exit code 7)."
            assert poisoned.run_job(jobs[1], NOON) == "done"
    assert states == ["waiting", "waiting", "done"]
    assert poisoned.page(good).summary.state == "scored"
    failed = poisoned.page(bad)
    assert (failed.summary.state, str(failed.failure)) == ("failed", why)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (111, "Scoring it took longer than 2 seconds and was stopped."),
        (222, "Scoring it needed more memory than it may have."),
    ],
)
def test_one_that_loops_or_eats_memory_fails_among_many(poisoned: Poisoned, value: int, why: str) -> None:
    bad = poisoned.submit("b", value, 0.5, 0.9).run_id
    good = poisoned.submit("a", 0.1, 0.5, 0.9).run_id
    done = rescoring.rescore_all(
        poisoned.transactions,
        poisoned.files,
        poisoned.spec,
        poisoned.scorer,
        lambda: NOON,
        rescoring.unwatched,
    )
    assert (done.scored, done.failed) == (1, (bad,))
    assert str(poisoned.page(bad).failure) == why
    assert poisoned.page(good).summary.state == "scored"


def test_scores_are_the_same_as_without_a_process_of_its_own(poisoned: Poisoned) -> None:
    run_id = poisoned.enter("a", 0.1, 0.25, 1 / 3)
    apart = poisoned.page(run_id).results
    with poisoned.database.writing() as session:
        from leaderboard.services import scoring

        scorer = load_scorer(poisoned.spec)
        scoring.score(session, poisoned.files, poisoned.spec, scorer, run_id, NOON)
    assert [result.values for result in poisoned.page(run_id).results] == [r.values for r in apart]


def test_who_cannot_wait_leaves_a_run_that_breaks_limits_to_the_queue(poisoned: Poisoned) -> None:
    run_id = poisoned.submit("b", 333, 0.5, 0.9).run_id
    poisoned.children = Children(Limits(seconds=2, memory_mb=500), patience=0.1)
    with poisoned.database.writing() as session:
        job_id = scoring_jobs.reserve(session, "toy", run_id, NOON)
    assert poisoned.run_job(job_id, NOON) == "waiting"
    poisoned.children.stop()
    with poisoned.database.reading() as session:
        assert job_pages.show(session, job_id).attempts == 0, "this was no attempt"
        with pytest.raises(NotNow):
            poisoned.scorer.prepare(None)


def test_a_process_that_scores_loads_no_part_of_the_server() -> None:
    probe = """
import sys
import leaderboard.services.scoring_child
print(sorted({"flask", "sqlalchemy", "leaderboard.store"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
