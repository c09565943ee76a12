"""The standings of a task: computed from the stored scores when something changes, and stored.

What is computed depends on the stored runs and scores alone, not on the order in which they came; storing
the same standings again changes nothing. Whoever changes them tells the news in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from sqlalchemy import Select, delete, insert, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import news, notices
from leaderboard.services.shifts import Shift, settled_as, shift_between
from leaderboard.services.tables import Line, Table, Values, compute
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.models import FINAL, IN_TIME, POST_EVALUATION, Board, Phase, Standing, Task

__all__ = ["Line", "Table", "Values", "compute", "due", "mark_due", "refresh"]


Tell = Callable[[Session, TaskSpec, Task, int, Sequence[Shift], datetime], None]
"""Tells people how the boards of a phase (its number in the database) shifted."""


def refresh(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    now: datetime,
    phase_ids: Collection[int] | None = None,
    tell: Tell = notices.write,
) -> int:
    """Computes and stores the boards of the given phases (None: all); returns how many have changed.

    What changed for readers becomes news, and people are told: who was overtaken and wants to know, if
    nobody else is named. Both wait while runs have yet to be scored on the gold of now, and while the
    phase is frozen.
    """
    task = locked(session, spec.name)
    session.flush()
    if phase_ids is None:
        phase_ids = [phase.id for phase in queries.phases_of(session, task.id)]
        task.standings_due = False
    changed = 0
    for phase_id in phase_ids:
        frozen = session.get_one(Phase, phase_id).frozen_at is not None
        shifts = []
        for table in (tables := compute(session, spec, scorer_version, phase_id)):
            board = _changed(session, task, table)
            if board is None:
                continue
            changed += 1
            shift = _store(session, board, table, now, told=not frozen)
            if shift is not None and table.stage == IN_TIME:
                shifts.append(shift)
        for stage in (POST_EVALUATION, FINAL):
            if not any(table.stage == stage for table in tables):
                changed += _forget(session, phase_id, stage)
        if shifts:
            news.places_changed(session, task, phase_id, shifts, now)
            tell(session, spec, task, phase_id, shifts, now)
    return changed


def tell_kept_back(
    session: Session, spec: TaskSpec, scorer_version: str, phase_id: int, now: datetime
) -> None:
    """Tells how the boards of a phase shifted while news of it were kept back."""
    task, shifts = locked(session, spec.name), []
    for table in compute(session, spec, scorer_version, phase_id):
        board = session.scalars(_stored_as(table)).one_or_none()
        if board is None or table.stage != IN_TIME or not table.settled:
            continue
        after = settled_as(table.versions, table.lines)
        before = after if board.settled is None else board.settled
        board.settled = after
        if (shift := shift_between(table.track, before, after)) is not None:
            shifts.append(shift)
    if shifts:
        news.places_changed(session, task, phase_id, shifts, now)
        notices.write(session, spec, task, phase_id, shifts, now)


def mark_due(task: Task) -> None:
    """Remembers that scores were written which the boards do not show yet."""
    task.standings_due = True


def due(session: Session, spec: TaskSpec) -> bool:
    """Whether scores were written which the boards do not show yet."""
    return known(session, spec.name).standings_due


def _changed(session: Session, task: Task, table: Table) -> Board | None:
    """The board of a table, a new one where there is none; None where it holds that very table already."""
    board = session.scalars(_stored_as(table)).one_or_none()
    if board is not None:
        return None if board.fingerprint == table.fingerprint else board
    return Board(
        task_id=task.id,
        phase_id=table.phase_id,
        stage=table.stage,
        track=table.track,
        split=table.split,
        gold_version_id=table.gold_version_id,
        revision=0,
    )


def _stored_as(table: Table) -> Select[Board]:
    return select(Board).where(
        Board.phase_id == table.phase_id,
        Board.stage == table.stage,
        Board.track.is_(None) if table.track is None else Board.track == table.track,
        Board.gold_version_id.is_(None)
        if table.gold_version_id is None
        else Board.gold_version_id == table.gold_version_id,
    )


def _store(session: Session, board: Board, table: Table, now: datetime, *, told: bool) -> Shift | None:
    """Writes the table; returns how places shifted since all runs had last been scored and this was `told`,
    None where that is not known yet, or they did not, or it is kept back."""
    before = _settled_before(session, board)
    after = settled_as(table.versions, table.lines)
    board.settled = after if table.settled and told else before
    board.split = table.split
    board.scorer_version = table.scorer_version
    board.versions = dict(table.versions)
    board.computed_at = now
    board.revision += 1
    board.fingerprint = table.fingerprint
    session.add(board)
    session.flush()
    session.execute(delete(Standing).where(Standing.board_id == board.id))
    if table.lines:
        rows = [_row(board.id, *numbered) for numbered in enumerate(table.lines, 1)]
        # Without the option, lines with and without a place would go in statements of their own.
        session.execute(insert(Standing).execution_options(render_nulls=True), rows)
    return shift_between(table.track, before, after) if table.settled and told else None


def _settled_before(session: Session, board: Board) -> dict[str, object]:
    """How places were, whichever version of the gold they stood on then."""
    statement = (
        select(Board)
        .where(
            Board.phase_id == board.phase_id,
            Board.stage == board.stage,
            Board.track.is_(None) if board.track is None else Board.track == board.track,
        )
        .order_by(Board.computed_at.desc(), Board.id.desc())
        .limit(1)
    )
    with session.no_autoflush:
        last = session.scalars(statement).one_or_none()
    if last is None:
        return {}
    if last.settled is not None:
        return last.settled
    # It was stored before news were told: what stands there is what readers have seen.
    lines = session.scalars(select(Standing).where(Standing.board_id == last.id)).all()
    return settled_as(last.versions, lines)


def _forget(session: Session, phase_id: int, stage: str) -> int:
    """Takes the boards of a stage away, where the phase has none of it any more."""
    gone = list(session.scalars(select(Board.id).where(Board.phase_id == phase_id, Board.stage == stage)))
    if gone:
        session.execute(delete(Standing).where(Standing.board_id.in_(gone)))
        session.execute(delete(Board).where(Board.id.in_(gone)))
    return len(gone)


def _row(board_id: int, position: int, line: Line) -> dict[str, object]:
    return {
        "board_id": board_id,
        "position": position,
        "place": line.place,
        "team_id": line.team_id,
        "run_id": line.run_id,
        "value": line.value,
        "values": line.values,
        "places": line.places,
        "runs": line.runs,
        "reason": line.reason,
        "kind": line.kind,
    }
