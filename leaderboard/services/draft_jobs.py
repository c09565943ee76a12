"""The job of a draft: scores all runs on it and compares, or, where that was asked for, applies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import draft_applying, draft_scoring, drafts
from leaderboard.services.audit import Actor
from leaderboard.services.draft_scoring import DraftEnded
from leaderboard.services.drafts import NotAllScored
from leaderboard.services.queue import Clock, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions, unwatched
from leaderboard.store.files import Files
from leaderboard.store.models import Draft

JOB = drafts.JOB
"""The kind of the job."""


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
    public_url: str = "",
    watch: Progress = unwatched,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. After a crash it goes on where it was.

    Runs that arrive while others are scored are scored too. `watch` is told of the progress beside the queue.
    """

    def work_at_draft(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        draft_id = int(work.arguments["draft"])
        who = work.arguments.get("apply")

        def progress(done: int, total: int) -> None:
            work.progress(done, total)
            work.make_way()
            watch(done, total)

        while True:
            try:
                _require_scorer(transactions, scorer, draft_id)
                draft_scoring.score_all(transactions, files, spec, scorer, draft_id, clock, progress)
                with transactions.writing() as session:
                    work.confirm(session)
                    if who is None:
                        drafts.compare(session, spec, draft_id, clock())
                        return {"state": "ready"}
                    actor = Actor(who["user"], who["via"], who["address"])
                    number = int(work.arguments["number"])
                    draft_applying.apply(session, spec, scorer, number, actor, clock(), public_url)
                    return {"state": "applied"}
            except NotAllScored:
                continue
            except DraftEnded as ended:
                return {"state": str(ended.message)}

    return work_at_draft


def _require_scorer(transactions: Transactions, scorer: Scorer, draft_id: int) -> None:
    """Scores of two versions of the scorer must not stand side by side in a draft. Raises DraftOutdated."""
    with transactions.reading() as session:
        draft_applying.require_scorer(session.get_one(Draft, draft_id), scorer)
