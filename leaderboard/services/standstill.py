"""What everybody but the organisers may know of runs while the ranking of their phase is frozen.

That is what was known at that moment: runs that were scored by then, with the values of then, by the gold of
then. A run that was scored or scored anew since shows others nothing of it, whenever it came. Its own team
sees what a new run scored by the gold of then, as ever where the phase shows that, but no place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.store import queries
from leaderboard.store.models import FROZEN, SHOWN_SPLITS, Board, Phase, Run, Score, Standing

Values = Mapping[str, Mapping[str, float | None]]


def shown_scored() -> ColumnElement[bool]:
    """Whether a run counts as scored for everybody; for statements that join runs and their phases."""
    then = exists().where(
        Score.run_id == Run.id, Score.split.in_(SHOWN_SPLITS), Score.scored_at <= Phase.frozen_at
    )
    stands = exists().where(
        Standing.run_id == Run.id,
        Standing.board_id == Board.id,
        Board.phase_id == Phase.id,
        Board.stage.in_(FROZEN.values()),
    )
    return or_(
        and_(Phase.frozen_at.is_(None), Run.state == "scored"),
        and_(Phase.frozen_at.is_not(None), or_(then, stands)),
    )


def scored_then(session: Session, phase: Phase) -> frozenset[int] | None:
    """The runs whose stored scores by the gold of then are those of then; None where nothing is frozen."""
    if phase.frozen_at is None:
        return None
    versions = [version.id for version in queries.gold_shown(session, phase).values()]
    statement = (
        select(Score.run_id)
        .join(Run, Run.id == Score.run_id)
        .where(
            Run.phase_id == phase.id,
            Score.gold_version_id.in_(versions),
            Score.split.in_(SHOWN_SPLITS),
            Score.scored_at <= phase.frozen_at,
        )
    )
    return frozenset(session.scalars(statement.distinct()))


def known_then(session: Session, phase: Phase) -> frozenset[int] | None:
    """The runs that everybody knows: besides those `scored_then` any that stand on the frozen boards, which
    have the values of then even where the run was scored anew. None where nothing is frozen."""
    scored = scored_then(session, phase)
    return None if scored is None else scored | frozenset(values_then(session, phase))


def values_then(session: Session, phase: Phase) -> dict[int, Values]:
    """By run, the values on all tracks that the frozen boards show; empty where nothing is frozen."""
    if phase.frozen_at is None:
        return {}
    versions = [version.id for version in queries.gold_shown(session, phase).values()]
    statement = (
        select(Standing.run_id, Standing.values)
        .join(Board, Board.id == Standing.board_id)
        .where(
            Board.phase_id == phase.id,
            Board.stage.in_(FROZEN.values()),
            Board.gold_version_id.in_(versions),
            Standing.run_id.is_not(None),
        )
    )
    return {run_id: values for run_id, values in session.execute(statement) if run_id is not None}


def values_of_team(session: Session, phase: Phase, run_ids: Collection[int]) -> dict[int, Values]:
    """What these runs of the phase scored, as their own team may know it."""
    versions = [version.id for version in queries.gold_shown(session, phase).values()]
    values: dict[int, Values] = dict(queries.values_of_runs(session, run_ids, versions))
    then = values_then(session, phase)
    return values | {run_id: then[run_id] for run_id in run_ids if run_id in then}
