"""Scoring stored runs against the gold that is active now.

`prepare` computes without changing anything, which may take long; `record` writes what it found in one short
transaction. Doing both twice, or in two processes at once, has the effect of once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sqlalchemy import delete, exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, Report, Scorer, Scores, TaskSpec, TrackScores, say
from leaderboard.services import gold, inputs, standings
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import WHOLE, Run, Score

PER_TOPIC = np.dtype("<f8")
"""How per-topic values are kept, in the order of the gold version's topics."""


class UnknownRun(ServiceError):
    """The task has no run of that number."""

    def __init__(self, spec: TaskSpec, run_id: int) -> None:
        super().__init__(say("The task {task} has no run {run}.", task=spec.name, run=run_id))


class NotScorable(ServiceError):
    """A rejected run has nothing to score."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The scores of a run on these gold versions, or why there are none.

    `failure` is for everybody; `detail` may speak of gold and is for organisers only. `broke`: the scoring
    broke its limits of time or memory, or ended its process, which may go better another time.
    """

    run_id: int
    versions: tuple[gold.Version, ...]
    report: Report | None
    scores: Scores | None
    failure: Message | None = None
    detail: str | None = None
    broke: bool = False

    def without_run(self) -> Prepared:
        """The same without the columns of the run, which may be large."""
        return self if self.report is None else replace(self, report=replace(self.report, run=None))


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that scoring a run needs, whoever does it: files on this machine, and in `before` the run
    and the versions of gold."""

    spec: TaskSpec
    path: Path
    folder: Path | None
    gold: Mapping[str, Path]
    before: Prepared


@runtime_checkable
class Apart(Protocol):
    """A scorer that has stored runs scored elsewhere than in this process."""

    def prepare(self, order: Order) -> Prepared: ...


def score(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    run_id: int,
    now: datetime,
    report: Report | None = None,
) -> str:
    """Scores a run and brings the standings up to date, in the caller's transaction; returns its new state.

    `report` is that of the check just made, to spare reading the file again. A scorer that breaks makes the
    run *failed*, with the reason. Raises UnknownRun, NotScorable, NoGoldInstalled.
    """
    state = None
    while state is None:
        prepared = prepare(session, files, spec, scorer, run_id, report)
        state = record(session, spec, scorer, prepared, now)
    standings.refresh(session, spec, scorer.VERSION, now, [_run(session, spec, run_id).phase_id])
    return state


def prepare(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    run_id: int,
    report: Report | None = None,
    versions: tuple[gold.Version, ...] = (),
) -> Prepared:
    """Computes the scores of a run on these versions of gold, on the active ones where none is named.

    Changes nothing. Raises UnknownRun, NotScorable, NoGoldInstalled.
    """
    run = _run(session, spec, run_id)
    if run.state == "rejected":
        raise NotScorable(say("The form of run {run} was not right; there is nothing to score.", run=run_id))
    versions = versions or gold.active(session, spec)
    if not versions:
        raise gold.NoGoldInstalled(spec)
    benchmarks = gold.paths(files, spec, versions)
    folder = inputs.folder_of(session, files, spec)
    try:
        path = files.kept.path(run.file_hash)
    except FileMissing as missing:
        failure = say("The file of this run is missing from the storage. The fault is ours.")
        return Prepared(run_id, versions, None, None, failure, str(missing))
    order = Order(spec, path, folder, benchmarks, Prepared(run_id, versions, report, None))
    if isinstance(scorer, Apart):
        return scorer.prepare(replace(order, before=order.before.without_run()))
    return carry_out(order, scorer)


def carry_out(order: Order, scorer: Scorer) -> Prepared:
    """Computes the scores of a run, here and now."""
    before = order.before
    benchmark = gold.read_at(order.gold, order.spec, scorer, before.versions)
    return _compute(order.spec, scorer, order.path, order.folder, benchmark, before)


def record(session: Session, spec: TaskSpec, scorer: Scorer, prepared: Prepared, now: datetime) -> str | None:
    """Writes prepared scores and the run's state, and returns that; None, writing nothing, where other gold
    has become active meanwhile and they must be prepared again.

    The standings are left for `standings.refresh`, and marked as due.
    """
    task = locked(session, spec.name)
    active = {version.id for version in queries.active_gold(session, task.id).values()}
    if not active <= {version.id for version in prepared.versions}:
        return None
    run = _run(session, spec, prepared.run_id)
    run.attempts += 1
    run.lease_until = None
    run.failure, run.failure_detail = prepared.failure, prepared.detail
    if prepared.report is not None and prepared.report.accepted:
        run.warnings, run.notes = prepared.report.warnings, prepared.report.notes
        run.left_out = prepared.report.left_out
    if prepared.scores is None:
        run.state = "failed"
    else:
        keep(session, run, prepared.versions, prepared.scores, scorer.VERSION, now)
        run.state, run.scored_at = "scored", now
    standings.mark_due(task)
    session.flush()
    return run.state


def pending(session: Session, spec: TaskSpec) -> tuple[int, ...]:
    """The runs that were received and wait for their scores, the oldest first."""
    statement = select(Run.id).where(Run.task_id == known(session, spec.name).id, Run.state == "received")
    return tuple(session.scalars(statement.order_by(Run.received_at, Run.id)))


def outdated(session: Session, spec: TaskSpec, scorer: Scorer) -> tuple[int, ...]:
    """The scored runs that miss a score by the active gold and the present scorer, the oldest first."""
    task = known(session, spec.name)
    missing = [
        ~exists().where(
            Score.run_id == Run.id,
            Score.gold_version_id == version.id,
            Score.scorer_version == scorer.VERSION,
        )
        for version in queries.active_gold(session, task.id).values()
    ]
    found: set[int] = set()
    for condition in missing:
        found |= set(
            session.scalars(select(Run.id).where(Run.task_id == task.id, Run.state == "scored", condition))
        )
    return tuple(sorted(found))


def scorable(session: Session, spec: TaskSpec, before: datetime | None = None) -> tuple[int, ...]:
    """All runs of the task but the rejected ones, the oldest first; with `before`, without those that were
    scored at that moment or later."""
    statement = select(Run.id).where(Run.task_id == known(session, spec.name).id, Run.state != "rejected")
    if before is not None:
        statement = statement.where(or_(Run.scored_at.is_(None), Run.scored_at < before))
    return tuple(session.scalars(statement.order_by(Run.id)))


def retry(session: Session, spec: TaskSpec, run_id: int) -> bool:
    """Lets a failed run wait for its scores again; whether it had failed. Raises UnknownRun."""
    locked(session, spec.name)
    run = _run(session, spec, run_id)
    if run.state != "failed":
        return False
    run.state, run.failure, run.failure_detail = "received", None, None
    session.flush()
    return True


def _run(session: Session, spec: TaskSpec, run_id: int) -> Run:
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.task_id != known(session, spec.name).id:
        raise UnknownRun(spec, run_id)
    return run


def _compute(
    spec: TaskSpec, scorer: Scorer, path: Path, folder: Path | None, benchmark: Any, before: Prepared
) -> Prepared:
    """The scores, or as failure whatever the task's own code has raised: its faults must not stop ours."""
    run_id, versions, report = before.run_id, before.versions, before.report
    try:
        if report is None or (report.accepted and report.run is None):
            report = scorer.check(spec, path, folder)
        if not report.accepted:
            why = str(report.faults[0]) if report.faults else ""
            return Prepared(
                run_id, versions, report, None, say("The file is no longer accepted: {why}", why=why)
            )
        scores = scorer.score(spec, report.run, benchmark)
        _check_shapes(scores, versions)
    except MemoryError as error:
        much = say("Scoring it needed more memory than it may have.")
        return Prepared(run_id, versions, None, None, much, f"{type(error).__name__}: {error}", broke=True)
    except Exception as error:
        failure = say(
            "The scorer broke on this run. The fault is ours; it can be scored again once it is mended."
        )
        return Prepared(run_id, versions, report, None, failure, f"{type(error).__name__}: {error}")
    return Prepared(run_id, versions, report, scores)


def _check_shapes(scores: Scores, versions: tuple[gold.Version, ...]) -> None:
    for version in versions:
        if version.track not in scores:
            raise ValueError(f"no scores for the track {version.track}")
        track = scores[version.track]
        if track.per_topic and tuple(track.topics) != version.topics:
            raise ValueError(f"the topics of {version.track} are not those of the gold")
        for measure, values in track.per_topic.items():
            if len(values) != len(version.topics):
                raise ValueError(f"{measure} on {version.track} has {len(values)} per-topic values")


def keep(
    session: Session,
    run: Run,
    versions: tuple[gold.Version, ...],
    scores: Scores,
    scorer_version: str,
    now: datetime,
) -> None:
    """Writes the scores of a run on these versions, in place of what it had on them."""
    ids = [version.id for version in versions]
    session.execute(delete(Score).where(Score.run_id == run.id, Score.gold_version_id.in_(ids)))
    for version in versions:
        track = scores[version.track]
        session.add_all(
            Score(
                run_id=run.id,
                gold_version_id=version.id,
                track=version.track,
                measure=measure,
                split=WHOLE,
                value=float(value) if math.isfinite(value) else None,
                undefined=_undefined(track.undefined, measure, value),
                per_topic=_packed(track, measure),
                answered=track.answered,
                total=track.total,
                scorer_version=scorer_version,
                file_hash=run.file_hash,
                scored_at=now,
            )
            for measure, value in track.values.items()
        )


def _undefined(reasons: Mapping[str, Message], measure: str, value: float) -> Message | None:
    if math.isfinite(value):
        return None
    return reasons.get(measure) or say("{measure} is undefined for this run.", measure=measure)


def _packed(track: TrackScores, measure: str) -> bytes | None:
    values = track.per_topic.get(measure)
    return None if values is None else np.asarray(values, PER_TOPIC).tobytes()
