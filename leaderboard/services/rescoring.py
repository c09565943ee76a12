"""Scoring many runs, one short transaction each, so that a killed process loses one run's work at most."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from leaderboard.contract import Report, Scorer, TaskSpec
from leaderboard.services import gold, scoring, standings
from leaderboard.services.queue import Clock, JobFunction, Work
from leaderboard.services.scoring_order import Prepared
from leaderboard.store.files import Files
from leaderboard.store.session import Transaction

JOB = "rescore"
"""The kind of the job that scores all runs of a task again."""

Progress = Callable[[int, int], None]
"""Is told how many are done of how many; may raise to stop the work between two runs."""


Broke = Callable[[Prepared], None]
"""Is told of a run whose scoring broke its limits, before that is recorded; may raise to prevent it."""


def failed(_prepared: Prepared) -> None:
    """A run that breaks the limits has failed."""


Recorded = Callable[[Session, str], None]
"""Is called with the new state of a run in the transaction that has written its scores."""


def left_due(_session: Session, _state: str) -> None:
    """The standings stay marked as due."""


def unwatched(_done: int, _total: int) -> None:
    """The progress of work that nobody watches."""


@dataclass(frozen=True, slots=True)
class Transactions:
    """The two kinds of transaction of a database, for work that needs many."""

    reading: Transaction
    writing: Transaction


@dataclass(frozen=True, slots=True)
class Rescored:
    """How many runs now have scores, and the numbers of those whose scoring failed."""

    scored: int
    failed: tuple[int, ...]


def rescore(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    run_ids: Iterable[int],
    clock: Clock,
    progress: Progress,
    broke: Broke = failed,
) -> Rescored:
    """Scores the given runs one by one and then brings all standings up to date once.

    Until then, and after a kill, `standings.due` says that they are behind. Raises NoGoldInstalled.
    """
    waiting = tuple(run_ids)
    scored, unscored = 0, []
    for done, run_id in enumerate(waiting):
        progress(done, len(waiting))
        if score_one(transactions, files, spec, scorer, run_id, clock, None, broke) == "scored":
            scored += 1
        else:
            unscored.append(run_id)
    with transactions.writing() as session:
        standings.refresh(session, spec, scorer.VERSION, clock())
    progress(len(waiting), len(waiting))
    return Rescored(scored, tuple(unscored))


def finish_pending(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> Rescored:
    """Finishes what a killed process left: runs without scores, and standings that are behind.

    Without gold there is nothing to do: the runs go on waiting for it.
    """
    with transactions.reading() as session:
        waiting = scoring.pending(session, spec)
        behind = standings.due(session, spec)
        has_gold = bool(gold.active(session, spec))
        waiting = waiting if gold.scores_now(session, spec) else ()
    if not has_gold or not (waiting or behind):
        return Rescored(0, ())
    return rescore(transactions, files, spec, scorer, waiting, clock, progress)


def rescore_all(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> Rescored:
    """Scores every run but the rejected ones. Raises NoGoldInstalled where there is any."""
    with transactions.reading() as session:
        waiting = scoring.scorable(session, spec)
    return rescore(transactions, files, spec, scorer, waiting, clock, progress)


def bring_up_to_date(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> Rescored:
    """Scores the runs that wait and those that have no score by the gold and the scorer of now."""
    with transactions.reading() as session:
        waiting = {*scoring.pending(session, spec), *scoring.outdated(session, spec, scorer)}
        can_score = gold.scores_now(session, spec) or not gold.active(session, spec)
    if waiting and can_score:
        return rescore(transactions, files, spec, scorer, sorted(waiting), clock, progress)
    return finish_pending(transactions, files, spec, scorer, clock, progress)


def again(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, run_id: int, clock: Clock
) -> Rescored:
    """Scores one run once more, also where its scoring had failed. Raises UnknownRun, NotScorable."""
    with transactions.writing() as session:
        scoring.retry(session, spec, run_id)
    return rescore(transactions, files, spec, scorer, (run_id,), clock, unwatched)


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`: all runs of the job's task.

    After a crash it goes on with the runs that were not scored since the job was written down.
    """

    def rescore_task(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        with transactions.reading() as session:
            waiting = scoring.scorable(session, spec, before=work.taken.created_at)

        def progress(done: int, total: int) -> None:
            work.progress(done, total)
            work.make_way()

        done = rescore(transactions, files, spec, scorer, waiting, clock, progress)
        return {"scored": done.scored, "failed": list(done.failed)}

    return rescore_task


def score_one(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    run_id: int,
    clock: Clock,
    report: Report | None = None,
    broke: Broke = failed,
    recorded: Recorded = left_due,
) -> str:
    """Scores a run and returns its state; the standings are left for later, and marked as due.

    `report` is that of the check just made, to spare reading the file again; `recorded` may do more in the
    transaction that writes the scores. Raises UnknownRun, NotScorable, NoGoldInstalled.
    """
    while True:
        with transactions.reading() as session:
            prepared = scoring.prepare(session, files, spec, scorer, run_id, report)
        if prepared.broke:
            broke(prepared)
        with transactions.writing() as session:
            state = scoring.record(session, spec, scorer, prepared, clock())
            if state is not None:
                recorded(session, state)
        if state is not None:
            return state
