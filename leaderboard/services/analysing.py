"""Intervals and groups of boards: computed in the background once a board has changed, and stored.

An upload waits for none of it. A board whose lines are newer than its analysis is *due*; the queue is told
of it within a minute, and until then readers see the intervals of those lines that have not changed. Where
readers are told less than exact values there is none: an interval would tell where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import board_samples, board_values, queue
from leaderboard.services.board_samples import Lines
from leaderboard.services.board_values import Found
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known, locked
from leaderboard.store.files import Files
from leaderboard.store.models import SHOWN_SPLITS, Board, BoardAnalysis, GoldVersion, Job, Task

JOB = "analyse"
"""The kind of the job that analyses the boards of a task."""


def due(session: Session, spec: TaskSpec) -> tuple[int, ...]:
    """The boards of the task's tracks whose lines are newer than their analysis; of active gold alone."""
    task = known(session, spec.name)
    statement = _due().where(Board.task_id == task.id, Board.track.not_in(list(task.public_values)))
    return tuple(session.scalars(statement.with_only_columns(Board.id).order_by(Board.id)))


def request_due(session: Session, now: datetime, deliver: Deliver | None = None) -> tuple[int, ...]:
    """Leaves the boards that are due to the queue, a job for each task; returns the numbers of new jobs.

    A task whose job waits or runs gets no further one, nor one whose last job failed after its boards had
    changed: it would fail again.
    """
    jobs = []
    statement = (
        _due()
        .join(Task, Task.id == Board.task_id)
        .with_only_columns(Task.name, Task.id, Board.computed_at, Board.track, Task.public_values)
    )
    changed: dict[tuple[str, int], datetime] = {}
    for name, task_id, computed_at, track, public_values in session.execute(statement):
        if track in public_values:
            continue
        changed[name, task_id] = max(computed_at, changed.get((name, task_id), computed_at))
    for (name, task_id), moment in sorted(changed.items()):
        if not _is_asked(session, task_id, moment):
            jobs.append(queue.enqueue(session, JOB, name, {}, now, deliver))
    return tuple(jobs)


def finish(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
) -> int:
    """Analyses all boards of the task that are due, and returns how many. May be broken off at any point.

    Where the scorer has to draw it does so on every track for every run that stands on some board: studies
    set tracks beside each other.
    """
    with transactions.reading() as session:
        wanted = set(due(session, spec))
        boards = _current(session, spec) if wanted else ()
    done = 0
    for number, board_id in enumerate(boards):

        def within(run: int, runs: int, number: int = number) -> None:
            # Boards take as long as they have runs to read; the bar goes by the thousandth.
            progress(int(1000 * (number + run / max(runs, 1))), 1000 * len(boards))

        found = _draw(transactions, files, spec, scorer, board_id, within)
        if found is not None and board_id in wanted:
            _analyse(transactions, spec, scorer, found, clock)
            done += 1
    progress(1000 * len(boards), 1000 * len(boards))
    return done


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. Done again, it goes on with the boards still due."""

    def analyse_boards(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        return {"boards": finish(transactions, files, spec, scorer, clock, work.progress)}

    return analyse_boards


def _draw(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    board_id: int,
    progress: Progress,
) -> Found | None:
    """The board, once everything is drawn that it needs."""
    with transactions.reading() as session:
        found = board_values.read(session, spec, scorer, board_id)
    if found is None:
        return None
    for resampling in board_samples.resample(files, spec, scorer, found, progress):
        # Each on its own: what has been drawn for one run is not lost with the next.
        with transactions.writing() as session:
            if _told_exactly(session, spec, found):
                board_samples.keep(session, found, scorer.VERSION, resampling)
    return found


def _analyse(transactions: Transactions, spec: TaskSpec, scorer: Scorer, found: Found, clock: Clock) -> None:
    with transactions.reading() as session:
        lines = board_samples.analyse(session, found, scorer.VERSION)
    with transactions.writing() as session:
        if _told_exactly(session, spec, found):
            _store(session, found, lines, clock())
        board_samples.forget_unlisted(session, found)


def _told_exactly(session: Session, spec: TaskSpec, found: Found) -> bool:
    """Whether readers are still told the values that something was drawn from."""
    return found.track.name not in locked(session, spec.name).public_values


def _store(session: Session, found: Found, lines: Lines, now: datetime) -> None:
    if session.get(Board, found.board_id, populate_existing=True) is None:
        # It was taken away meanwhile.
        return
    row = session.get(BoardAnalysis, found.board_id) or BoardAnalysis(board_id=found.board_id)
    row.fingerprint, row.seed, row.draws = found.fingerprint, found.seed, board_samples.DRAWS
    row.groups, row.lettered = lines.groups, lines.lettered
    row.lines, row.computed_at = lines.as_json(), now
    session.add(row)
    session.flush()


def _due() -> Select[Board]:
    return (
        select(Board)
        .join(GoldVersion, GoldVersion.id == Board.gold_version_id)
        .outerjoin(BoardAnalysis, BoardAnalysis.board_id == Board.id)
        .where(
            Board.track.is_not(None),
            Board.split.in_(SHOWN_SPLITS),
            GoldVersion.state == "active",
            or_(BoardAnalysis.board_id.is_(None), BoardAnalysis.fingerprint != Board.fingerprint),
        )
    )


def _current(session: Session, spec: TaskSpec) -> tuple[int, ...]:
    """The boards of tracks by active gold."""
    task = known(session, spec.name)
    statement = (
        select(Board.id)
        .join(GoldVersion, GoldVersion.id == Board.gold_version_id)
        .where(
            Board.task_id == task.id,
            Board.track.not_in(list(task.public_values)),
            Board.split.in_(SHOWN_SPLITS),
            GoldVersion.state == "active",
        )
    )
    return tuple(session.scalars(statement.order_by(Board.id)))


def _is_asked(session: Session, task_id: int, changed_at: datetime) -> bool:
    statement = select(Job).where(Job.task_id == task_id, Job.kind == JOB).order_by(Job.id.desc()).limit(1)
    last = session.scalars(statement).one_or_none()
    if last is None:
        return False
    return last.state in ("waiting", "running") or (last.state == "failed" and last.created_at >= changed_at)
