"""Reading one run, and lists of runs, as pages want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import cast

import numpy as np
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from leaderboard.contract import Fault, FloatArray, Message, TaskSpec, say
from leaderboard.services import public_values
from leaderboard.services.methods import Manner, Method
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
class TrackResult:
    """What a run scored on a track with one gold version (a number; `active` where it scores now).

    `undefined` has the reason for each value that is None. `answered` of `total` is for organisers where
    it counts pairs. `place` and `reason` are those of the run's own line on the board of that gold
    version; where the board has no line for it (`listed` is False), `reason` says why. `told`
    says what the values are where they are not the exact ones.
    """

    track: str
    gold_version: int
    active: bool
    scorer_version: str
    scored_at: datetime
    values: Mapping[str, float | None]
    undefined: Mapping[str, Message]
    answered: int
    total: int
    listed: bool
    place: int | None
    reason: Message | None
    told: Message | None = None


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
        results=_results(session, spec, run, shown_of),
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


def _results(
    session: Session, spec: TaskSpec, run: models.Run, shown_of: models.Phase | None
) -> tuple[TrackResult, ...]:
    scores: dict[int, list[models.Score]] = {}
    versions: dict[int, models.GoldVersion] = {}
    for score, version in queries.scores_of_run(session, run.id):
        versions[version.id] = version
        scores.setdefault(version.id, []).append(score)
    stage = models.IN_TIME if shown_of is None else queries.stage_shown(shown_of, models.IN_TIME)
    lines = {
        board.gold_version_id: (standing, board)
        for standing, board in session.execute(
            select(models.Standing, models.Board)
            .join(models.Board, models.Board.id == models.Standing.board_id)
            .where(models.Standing.run_id == run.id, models.Board.stage == stage)
        )
    }
    order = {track.name: number for number, track in enumerate(spec.tracks)}
    due = session.get_one(models.Task, run.task_id).standings_due
    made = _rankings_made(session, run, stage) if due else {}
    results = [
        _result(
            run,
            versions[key],
            found,
            lines.get(key),
            shown_of,
            behind=due and _is_behind(found, made.get(key)),
        )
        for key, found in scores.items()
    ]
    if shown_of is not None and shown_of.frozen_at is not None:
        results = _of_gold(results, queries.gold_shown(session, shown_of))
    told = {track.name: words for track, words in public_values.told_on(session, spec)}
    results = [replace(each, told=told.get(each.track)) for each in results]
    return tuple(sorted(results, key=lambda r: (order.get(r.track, len(order)), r.track, -r.gold_version)))


def _rankings_made(session: Session, run: models.Run, stage: str) -> Mapping[int | None, datetime]:
    """When the rankings of the phase were made on which the run's team stands, by gold version."""
    board = models.Board
    statement = (
        select(board.gold_version_id, board.computed_at)
        .join(models.Standing, models.Standing.board_id == board.id)
        .where(board.phase_id == run.phase_id, board.stage == stage, models.Standing.team_id == run.team_id)
        .distinct()
    )
    return dict(session.execute(statement).all())


def _is_behind(scores: list[models.Score], made_at: datetime | None) -> bool:
    """Whether a ranking that is about to be made anew, made at that time, may lack a run that it does not
    list."""
    return made_at is None or made_at < scores[0].scored_at


def _of_gold(results: list[TrackResult], shown: Mapping[str, models.GoldVersion]) -> list[TrackResult]:
    """The results under the gold that is shown, which count as those of now, and under older gold."""
    return [
        replace(result, active=result.gold_version == shown[result.track].number)
        for result in results
        if result.track in shown and result.gold_version <= shown[result.track].number
    ]


def _result(
    run: models.Run,
    version: models.GoldVersion,
    scores: list[models.Score],
    line: tuple[models.Standing, models.Board] | None,
    shown_of: models.Phase | None,
    *,
    behind: bool,
) -> TrackResult:
    first = scores[0]
    frozen_at = None if shown_of is None else shown_of.frozen_at
    standing, board = line or (None, None)
    found = TrackResult(
        track=version.track,
        gold_version=version.number,
        active=version.state == "active",
        scorer_version=first.scorer_version,
        scored_at=first.scored_at,
        values={score.measure: score.value for score in scores},
        undefined={score.measure: score.undefined for score in scores if score.undefined is not None},
        answered=first.answered,
        total=first.total,
        listed=standing is not None,
        place=standing.place if standing else None,
        reason=standing.reason if standing else _why_unlisted(run, first.scored_at, frozen_at, behind=behind),
    )
    if standing is None or board is None or frozen_at is None or first.scored_at <= frozen_at:
        return found
    # It was scored anew since; the ranking that everybody reads has what it scored then.
    return replace(
        found,
        scorer_version=board.scorer_version,
        scored_at=board.computed_at,
        values=standing.values.get(version.track, {}),
        undefined={},
    )


def _why_unlisted(
    run: models.Run, scored_at: datetime, frozen_at: datetime | None, *, behind: bool
) -> Message:
    if run.withdrawn_at is not None:
        return say("The team has withdrawn this run.")
    if run.deleted_at is not None:
        return say("The organisers have deleted this run.")
    if run.hidden_at is not None:
        return say("The organisers have hidden this run.")
    if frozen_at is not None and scored_at > frozen_at:
        return say("The ranking of this phase is frozen, and this run does not stand on it.")
    if behind:
        return say("The ranking does not have this run yet; it is brought up to date in a moment.")
    return say("Another run of the team counts on this track.")


def _fault(parts: Mapping[str, object]) -> Fault:
    line, column, message, kind = (parts.get(name) for name in ("line", "column", "message", "kind"))
    return Fault(
        line if isinstance(line, int) else None,
        column if isinstance(column, int) else None,
        message_from_json(message if isinstance(message, dict) else {"template": ""}),
        str(kind),
    )
