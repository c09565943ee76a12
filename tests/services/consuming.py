"""A consumer of the queue of the toy task, at work until it is killed.

``python -m tests.services.consuming DATABASE_URL FOLDER`` scores in a process of its own, as a real one does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leaderboard.catalog import load_scorer
from leaderboard.config import Limits
from leaderboard.jobs import Jobs, make_queue
from leaderboard.services import rescoring, scoring_jobs, standing_jobs
from leaderboard.services.rescoring import Transactions
from leaderboard.services.scoring_apart import Children, ScorerApart
from leaderboard.store.session import Database
from tests.services import poison
from tests.services.toy import Toy, make_spec


def utc_now() -> datetime:
    return datetime.now(UTC)


def poisonable(url: str, folder: Path) -> Toy:
    """The toy task whose scorer may be poisoned."""
    return Toy(Database(url), folder, make_spec(scorer=Path(poison.__file__)))


def jobs_of(toy: Toy, scorer: Any, clock: Callable[[], datetime]) -> Jobs:
    """Its queue, in a file of its folder."""
    transactions = Transactions(toy.database.reading, toy.database.writing)
    parts = (transactions, toy.files, lambda _name: (toy.spec, scorer), clock)
    registry = {each.JOB: each.job(*parts) for each in (rescoring, scoring_jobs, standing_jobs)}
    return Jobs(make_queue(toy.folder / "queue.db"), transactions, registry, clock)


def main(url: str, folder: Path) -> None:
    toy = poisonable(url, folder)
    children = Children(Limits(seconds=20, memory_mb=500))
    jobs = jobs_of(toy, ScorerApart(load_scorer(toy.spec), children), utc_now)
    children.warm()
    print("ready", flush=True)  # noqa: T201 - the other process waits for it
    while True:
        jobs.sweep()
        while (task := jobs.huey.dequeue()) is not None:
            jobs.huey.execute(task)
        time.sleep(0.05)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
