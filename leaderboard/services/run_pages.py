"""Reading one run, and lists of runs, as pages want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

import numpy as np
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from leaderboard.contract import Fault, FloatArray, Message, TaskSpec
from leaderboard.services.methods import Manner, Method
from leaderboard.services.run_results import TrackResult, results_of
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.tasks import known
from leaderboard.store import models, queries
from leaderboard.store.columns import message_from_json
from leaderboard.store.files import Files


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list of runs says about each."""

    run_id: int
    name: str
    team: str
    phase: str
    submitted_at: datetime
    state: str
    kind: str
    late: bool
    selected: bool
    final: bool
    withdrawn: bool
    disqualified: bool
    hidden: bool
    file_hash: str
    size: int


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything about a run. `results` have the newest gold version first within each track;
    `failure_detail` is for organisers only."""

    summary: Summary
    description: str
    method: Method
    file_name: str
    received_at: datetime
    warnings: tuple[Message, ...]
    notes: tuple[Message, ...]
    left_out: tuple[Message, ...]
    faults: tuple[Fault, ...]
    fault_count: int
    failure: Message | None
    failure_detail: str | None
    results: tuple[TrackResult, ...]


@dataclass(frozen=True, slots=True)
class PerTopic:
    """The values of a run on a track topic by topic: measure to array, in the order of `topics`."""

    topics: tuple[str, ...]
    values: Mapping[str, FloatArray]


def listing(session: Session, spec: TaskSpec, team: str | None = None) -> tuple[Summary, ...]:
    """The runs of a task, or of one of its teams, in the order of submission; deleted ones are left out."""
    statement = _summaries(known(session, spec.name).id)
    if team is not None:
        statement = statement.where(models.Team.name == team)
    rows = session.execute(statement.order_by(models.Run.submitted_at, models.Run.id))
    return tuple(summary_of(run, team_name, phase) for run, team_name, phase in rows)


def show(session: Session, spec: TaskSpec, run_id: int) -> RunPage:
    """A run with the scores and places that the public reads of it, and while its phase is frozen what it
    scored since by the gold of then. Raises UnknownRun, also for a deleted one."""
    run, team, phase = _found(session, spec, run_id)
    return page_of(session, spec, run, team, phase, session.get_one(models.Phase, run.phase_id))


def page_of(
    session: Session,
    spec: TaskSpec,
    run: models.Run,
    team: str,
    phase: str,
    shown_of: models.Phase | None = None,
) -> RunPage:
    """Everything about a run of that team and phase, deleted or not: as it is, or as the public reads it of
    the phase `shown_of`."""
    return RunPage(
        summary=summary_of(run, team, phase),
        description=run.description,
        method=method_of(run),
        file_name=run.file_name,
        received_at=run.received_at,
        warnings=run.warnings,
        notes=run.notes,
        left_out=run.left_out,
        faults=tuple(_fault(fault) for fault in run.faults),
        fault_count=run.fault_count,
        failure=run.failure,
        failure_detail=run.failure_detail,
        results=results_of(session, spec, run, shown_of),
    )


def per_topic(
    session: Session, spec: TaskSpec, run_id: int, until: datetime | None = None
) -> Mapping[str, PerTopic]:
    """For each track with topics, the run's values per topic by the gold that its phase shows; with `until`,
    none that were scored later. Raises UnknownRun."""
    run, _, _ = _found(session, spec, run_id)
    shown = queries.gold_shown(session, session.get_one(models.Phase, run.phase_id))
    ids = {version.id for version in shown.values()}
    values: dict[str, dict[str, FloatArray]] = {}
    topics: dict[str, tuple[str, ...]] = {}
    for score, version in queries.scores_of_run(session, run_id):
        if version.id not in ids or score.per_topic is None:
            continue
        if until is not None and score.scored_at > until:
            continue
        topics[score.track] = tuple(version.topics)
        array = np.frombuffer(score.per_topic, PER_TOPIC).astype(np.float64)
        values.setdefault(score.track, {})[score.measure] = array
    return {
        track.name: PerTopic(topics[track.name], values[track.name])
        for track in spec.tracks
        if track.name in values
    }


def method_of(run: models.Run) -> Method:
    """What the team says about how the run was made."""
    manner = cast(Manner, run.method_manner)
    return Method(run.method_system, run.method_resources, manner, run.method_link)


def path_of(session: Session, files: Files, spec: TaskSpec, run_id: int) -> Path:
    """Where the file of a run lies on this machine. Raises UnknownRun, FileMissing."""
    run, _, _ = _found(session, spec, run_id)
    return files.kept.path(run.file_hash)


def _summaries(task_id: int) -> Select[models.Run, str, str]:
    return (
        select(models.Run, models.Team.name, models.Phase.name)
        .join(models.Team, models.Team.id == models.Run.team_id)
        .join(models.Phase, models.Phase.id == models.Run.phase_id)
        .where(models.Run.task_id == task_id, models.Run.deleted_at.is_(None))
    )


def _found(session: Session, spec: TaskSpec, run_id: int) -> tuple[models.Run, str, str]:
    statement = _summaries(known(session, spec.name).id).where(models.Run.id == run_id)
    row = session.execute(statement).one_or_none()
    if row is None:
        raise UnknownRun(spec, run_id)
    return row[0], row[1], row[2]


def summary_of(run: models.Run, team: str, phase: str) -> Summary:
    """What a list says about a run of that team and phase."""
    return Summary(
        run_id=run.id,
        name=run.name,
        team=team,
        phase=phase,
        submitted_at=run.submitted_at,
        state=run.state,
        kind=run.kind,
        late=run.late,
        selected=run.selected,
        final=run.final,
        withdrawn=run.withdrawn_at is not None,
        disqualified=run.disqualified_at is not None,
        hidden=run.hidden_at is not None,
        file_hash=run.file_hash,
        size=run.size,
    )


def _fault(parts: Mapping[str, object]) -> Fault:
    line, column, message, kind = (parts.get(name) for name in ("line", "column", "message", "kind"))
    return Fault(
        line if isinstance(line, int) else None,
        column if isinstance(column, int) else None,
        message_from_json(message if isinstance(message, dict) else {"template": ""}),
        str(kind),
    )
