"""Importing an archive that was sent to the site, as a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import queue
from leaderboard.services.archive_importing import bring
from leaderboard.services.archive_rows import ArchiveRefused
from leaderboard.services.audit import Actor
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Transactions
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import Job

JOB = "import_archive"
"""The kind of the job that imports one."""


def request(
    session: Session,
    files: Files,
    draft: Path,
    file_name: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> int:
    """Leaves the import to the queue and returns the job's number. The file at `draft`, a draft of the gold
    store, is kept there until a consumer, on this host or another, has imported or refused it."""
    kept = files.gold.measured(draft)
    files.gold.keep(draft, kept)
    arguments = {"file": kept.file_hash, "name": file_name, "by": actor.user_id, "written": False}
    job_id = queue.enqueue(session, JOB, None, arguments, now, deliver)
    session.get_one(Job, job_id).made_by = actor.user_id
    return job_id


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],  # noqa: ARG001 - what jobs are given
    clock: Clock,
    find: Callable[[str], TaskSpec],
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. The job's row tells, from the transaction that wrote the
    archive's rows, that they are there: done again after a crash, it does nothing. `find` knows the folders
    of tasks."""

    def import_archive(work: Work) -> Mapping[str, Any]:
        file_hash = str(work.arguments["file"])
        if work.arguments["written"]:
            files.gold.remove(file_hash)
            return {"again": True}
        try:
            path = files.gold.path(file_hash)
        except FileMissing as missing:
            raise ArchiveRefused(
                say("The file that was sent is not here any more; send it again.")
            ) from missing

        def confirm(session: Session) -> None:
            work.confirm(session)
            row = session.get_one(Job, work.taken.job_id)
            row.arguments = {**row.arguments, "written": True}

        actor = Actor(work.arguments["by"], "job")
        try:
            parts = (transactions, files, find, path, actor, clock, work.progress, confirm)
            done = bring(*parts, str(work.arguments["name"]))
        except ServiceError:
            files.gold.remove(file_hash)
            raise
        files.gold.remove(file_hash)
        return {
            "task": done.task,
            "teams": done.teams,
            "runs": done.runs,
            "with_gold": done.with_gold,
            "renumbered": done.renumbered,
        }

    return import_archive
