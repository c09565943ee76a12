"""The reads that several services share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, select, true
from sqlalchemy.orm import Session

from leaderboard.contract import Message
from leaderboard.store.models import (
    FROZEN,
    IN_TIME,
    SHOWN_SPLITS,
    Board,
    DraftFailure,
    GoldVersion,
    InputFile,
    Phase,
    Run,
    Score,
    Task,
    Team,
)

_AT_ONCE = 500
"""So many ids go into one statement: databases limit how many values it may have."""


SHOWN = (Run.withdrawn_at.is_(None), Run.hidden_at.is_(None), Run.deleted_at.is_(None))
"""Whether a run may stand anywhere for everybody to see; it must be scored as well."""


def task_named(session: Session, name: str) -> Task | None:
    """The task of that name, which a session asks the database for once."""
    known = _known_tasks(session).get(name)
    if known is not None and known in session:
        return known
    return _keep_task(session, name, select(Task).where(Task.name == name))


def lock_task(session: Session, name: str) -> Task | None:
    """The task of that name, for this transaction alone to change; others wait.

    (On SQLite the whole transaction is alone already.)
    """
    statement = select(Task).where(Task.name == name).with_for_update()
    return _keep_task(session, name, statement.execution_options(populate_existing=True))


def _known_tasks(session: Session) -> dict[str, Task]:
    """The tasks that a session has read, by name."""
    known: dict[str, Task] = session.info.setdefault("tasks", {})
    return known


def _keep_task(session: Session, name: str, statement: Select[Task]) -> Task | None:
    task = session.scalars(statement).one_or_none()
    if task is not None:
        _known_tasks(session)[name] = task
    return task


def phases_of(session: Session, task_id: int) -> Sequence[Phase]:
    """The phases of a task, those that its folder still declares first, in their order."""
    statement = select(Phase).where(Phase.task_id == task_id)
    return session.scalars(statement.order_by(Phase.declared.desc(), Phase.position, Phase.id)).all()


def stage_shown(phase: Phase, stage: str) -> str:
    """The stage of the boards that all but the organisers read: that of the copies while it is frozen."""
    return FROZEN[stage] if phase.frozen_at is not None else stage


def phase_of_run(session: Session, run_id: int) -> Phase:
    """The phase that a run belongs to."""
    return session.scalars(select(Phase).join(Run, Run.phase_id == Phase.id).where(Run.id == run_id)).one()


def phase_named(session: Session, task_id: int, name: str) -> Phase | None:
    """A phase of a task by its name."""
    return session.scalars(select(Phase).where(Phase.task_id == task_id, Phase.name == name)).one_or_none()


def team_named(session: Session, task_id: int, name: str) -> Team | None:
    """A team of a task by its name."""
    return session.scalars(select(Team).where(Team.task_id == task_id, Team.name == name)).one_or_none()


def active_inputs(session: Session, task_id: int) -> Sequence[InputFile]:
    """The public files that are handed out now."""
    statement = select(InputFile).where(InputFile.task_id == task_id, InputFile.active)
    return session.scalars(statement.order_by(InputFile.id)).all()


def active_gold(session: Session, task_id: int) -> Mapping[str, GoldVersion]:
    """The version of each track's gold that scores now, by track; a track without gold is absent."""
    statement = select(GoldVersion).where(GoldVersion.task_id == task_id, GoldVersion.state == "active")
    return {version.track: version for version in session.scalars(statement.order_by(GoldVersion.track))}


def gold_shown(session: Session, phase: Phase) -> Mapping[str, GoldVersion]:
    """The version of each track's gold whose scores all but the organisers read: while the phase is frozen,
    that which was active then."""
    if phase.frozen_at is None:
        return active_gold(session, phase.task_id)
    statement = (
        select(GoldVersion)
        .join(Board, Board.gold_version_id == GoldVersion.id)
        .where(Board.phase_id == phase.id, Board.stage == FROZEN[IN_TIME], Board.split.in_(SHOWN_SPLITS))
    )
    # The newest comes last and stays.
    return {version.track: version for version in session.scalars(statement.order_by(GoldVersion.number))}


def gold_numbered(session: Session, task_id: int, track: str, number: int) -> GoldVersion | None:
    """A version of a track's gold by its number."""
    wanted = (GoldVersion.task_id == task_id, GoldVersion.track == track, GoldVersion.number == number)
    return session.scalars(select(GoldVersion).where(*wanted)).one_or_none()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored run as a board needs it."""

    run_id: int
    team_id: int
    team: str
    submitted_at: datetime
    kind: str
    late: bool
    disqualified: bool
    disqualified_for: str | None
    selected: bool
    final: bool
    file_hash: str
    received_at: datetime


def gold_versions(session: Session, ids: Collection[int]) -> Sequence[GoldVersion]:
    """Versions of gold by their ids, in the order of tracks."""
    statement = select(GoldVersion).where(GoldVersion.id.in_(ids))
    return session.scalars(statement.order_by(GoldVersion.track)).all()


def candidates(session: Session, phase_id: int, draft_id: int | None = None) -> list[Candidate]:
    """The runs that a board of the phase may list: scored, neither withdrawn nor hidden nor deleted.

    With a draft of gold, those that it may list once that is applied.
    """
    statement = (
        select(
            Run.id.label("run_id"),
            Run.team_id,
            Team.name.label("team"),
            Run.submitted_at,
            Run.kind,
            Run.late,
            Run.disqualified_at.is_not(None).label("disqualified"),
            Run.disqualified_for,
            Run.selected,
            Run.final,
            Run.file_hash,
            Run.received_at,
        )
        .join(Team, Team.id == Run.team_id)
        .where(
            Run.phase_id == phase_id,
            _scored(draft_id),
            *SHOWN,
        )
        .order_by(Run.id)
    )
    return [Candidate(**row) for row in session.execute(statement).mappings()]


def _scored(draft_id: int | None) -> ColumnElement[bool]:
    if draft_id is None:
        return Run.state == "scored"
    failed = exists().where(DraftFailure.draft_id == draft_id, DraftFailure.run_id == Run.id)
    return Run.state.in_(("scored", "failed")) & ~failed


def values_of_measure(
    session: Session,
    phase_id: int,
    gold_version_id: int,
    measure: str,
    splits: Collection[str] = SHOWN_SPLITS,
) -> dict[int, tuple[float | None, Message | None]]:
    """For every run of a phase that has it, the value of one measure, or None and the reason."""
    statement = (
        select(Score.run_id, Score.value, Score.undefined)
        .join(Run, Run.id == Score.run_id)
        .where(
            Score.gold_version_id == gold_version_id,
            Score.measure == measure,
            Score.split.in_(splits),
            Run.phase_id == phase_id,
        )
    )
    return {run_id: (value, reason) for run_id, value, reason in session.execute(statement)}


def values_of_runs(
    session: Session,
    run_ids: Collection[int],
    gold_version_ids: Collection[int],
    splits: Collection[str] = SHOWN_SPLITS,
) -> dict[int, dict[str, dict[str, float | None]]]:
    """All values of the given runs: run → track → measure → value."""
    values: dict[int, dict[str, dict[str, float | None]]] = {}
    for some in _parts(sorted(run_ids)):
        statement = select(Score.run_id, Score.track, Score.measure, Score.value).where(
            Score.run_id.in_(some),
            Score.gold_version_id.in_(gold_version_ids),
            Score.split.in_(splits),
        )
        for run_id, track, measure, value in session.execute(statement):
            values.setdefault(run_id, {}).setdefault(track, {})[measure] = value
    return values


def per_topic_of(
    session: Session,
    run_ids: Collection[int],
    gold_version_id: int,
    measure: str,
    until: datetime | None = None,
) -> list[bytes]:
    """The values by topic of those of the runs that have some for one measure, scored by the moment `until`,
    in the order of runs."""
    found: list[bytes] = []
    for some in _parts(sorted(run_ids)):
        statement = select(Score.per_topic).where(
            Score.run_id.in_(some),
            Score.gold_version_id == gold_version_id,
            Score.measure == measure,
            Score.split.in_(SHOWN_SPLITS),
            Score.per_topic.is_not(None),
            true() if until is None else Score.scored_at <= until,
        )
        found += [packed for packed in session.scalars(statement.order_by(Score.run_id)) if packed]
    return found


def scores_of_measure(
    session: Session, run_ids: Collection[int], gold_version_id: int, measure: str
) -> dict[int, tuple[float | None, bytes | None]]:
    """For those of the runs that have it, the value of one measure and its values by topic."""
    found: dict[int, tuple[float | None, bytes | None]] = {}
    for some in _parts(sorted(run_ids)):
        statement = select(Score.run_id, Score.value, Score.per_topic).where(
            Score.run_id.in_(some),
            Score.gold_version_id == gold_version_id,
            Score.measure == measure,
            Score.split.in_(SHOWN_SPLITS),
        )
        found |= {run_id: (value, packed) for run_id, value, packed in session.execute(statement)}
    return found


def names_of_runs(session: Session, run_ids: Collection[int]) -> dict[int, str]:
    """What their teams call the runs."""
    names: dict[int, str] = {}
    for some in _parts(sorted(run_ids)):
        rows = session.execute(select(Run.id, Run.name).where(Run.id.in_(some)))
        names |= {row.id: row.name for row in rows}
    return names


def scores_of_run(session: Session, run_id: int) -> Sequence[tuple[Score, GoldVersion]]:
    """Every score of a run with the gold version it was made with, the newest version first. What drafts
    would score stays with their organisers."""
    statement = (
        select(Score, GoldVersion)
        .join(GoldVersion, GoldVersion.id == Score.gold_version_id)
        .where(
            Score.run_id == run_id,
            Score.split.in_(SHOWN_SPLITS),
            GoldVersion.state.in_(("active", "retired")),
        )
        .order_by(GoldVersion.number.desc(), Score.id)
    )
    return [(score, version) for score, version in session.execute(statement)]


def teams_of_runs(session: Session, run_ids: Collection[int]) -> dict[int, int]:
    """The number of each run's team."""
    found: dict[int, int] = {}
    for some in _parts(sorted(run_ids)):
        statement = select(Run.id, Run.team_id).where(Run.id.in_(some))
        found.update({row.id: row.team_id for row in session.execute(statement)})
    return found


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
