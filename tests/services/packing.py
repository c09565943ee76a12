"""A process that makes archives, backups, imports or MJ until it is killed.

``python -m tests.services.packing WHAT DATABASE_URL FOLDER`` does one thing over and over, as a consumer
of the queue or a command would.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from leaderboard.services import archives, backups, mj, queue
from leaderboard.services.archives import Wanted
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import Transactions
from leaderboard.store.session import Database
from tests.services.archived import no_progress
from tests.services.pair_task import PairTask
from tests.services.toy import NOON, Toy


def main(what: str, url: str, folder: Path) -> None:
    task = PairTask(Database(url), folder) if what == "mj" else Toy(Database(url), folder)
    print("ready", flush=True)  # noqa: T201 - the other process waits for it
    while True:
        if what == "backup":
            save(task)
        else:
            ask(task, what)
            work(task)


def save(task: Toy | PairTask) -> None:
    """Makes a backup over the one that is there."""
    target = task.folder / "site.zip"
    backups.save(task.database, task.files, task.folder / "instance", target, no_progress)


def ask(task: Toy | PairTask, what: str) -> int:
    """Writes down a job."""
    with task.database.writing() as session:
        if what == "mj":
            return mj.request(session, task.spec, task.scorer, mj.Wanted(), NOON)
        return archives.request(session, task.spec, Wanted(), SHELL, NOON)


def work(task: Toy | PairTask, later: timedelta = timedelta(0)) -> None:
    """Does every job that is there to be done, those of dead consumers too once their lease is over."""
    parts = (
        Transactions(task.database.reading, task.database.writing),
        task.files,
        lambda _name: (task.spec, task.scorer),
        lambda: NOON + later,
    )
    registry = {each.JOB: each.job(*parts) for each in (archives, mj)}
    with task.database.writing() as session:
        waiting = queue.sweep(session, NOON + later)
    for job_id in waiting:
        queue.run(task.database.writing, registry, job_id, lambda: NOON + later)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
