"""Scoring one run as a job: done while its sender waits, or by a consumer of the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import gold, rescoring, scoring
from leaderboard.services.queue import Clock, JobFunction, Work
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.store.files import Files

JOB = "score"
"""The kind of the job that scores one run."""


def arguments(run_id: int) -> Mapping[str, Any]:
    """What the job is told."""
    return {"run": run_id}


def again(run_id: int) -> Mapping[str, Any]:
    """What the job is told that scores a run which has its scores already."""
    return {"run": run_id, "again": True}


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. Done again, it finds the run scored and does nothing,
    unless it was asked to score `again`.

    Without gold the run goes on waiting; installing some scores it.
    """

    def score_run(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        run_id = int(work.arguments["run"])
        with transactions.reading() as session:
            waits = bool(work.arguments.get("again")) or run_id in scoring.pending(session, spec)
            can_score = gold.scores_now(session, spec)
        if not can_score:
            return {"state": "received"}
        if not waits:
            rescoring.finish_pending(transactions, files, spec, scorer, clock, unwatched)
            return {"state": "done before"}
        done = rescoring.rescore(transactions, files, spec, scorer, (run_id,), clock, work.progress)
        return {"state": "failed" if done.failed else "scored"}

    return score_run
