"""Scoring stored runs against the gold that is active now.

`prepare` computes without changing anything, which may take long; `record` writes what it found in one short
transaction. Doing both twice, or in two processes at once, has the effect of once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.analysis.public_values import BY_UNIT
from leaderboard.contract import Gold, Message, Report, Scorer, Scores, TaskSpec, say
from leaderboard.services import announced_values, gold, inputs, parts, samples, score_rows, standings
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import PRIVATE, PUBLIC, WHOLE, Phase, Run, Score, Task
from leaderboard.telemetry import context, meters

_OURS = say("The scorer broke on this run. The fault is ours; it can be scored again once it is mended.")


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
    broke its limits of time or memory, or ended its process, which may go better another time. Where
    the phase parts its gold, `scores` are on the public part, `private` on the other, and `units` say which
    is which. `public_values` is how what everybody is told was made when they were computed, and `by_unit`
    what runs are compared by where that needs it.
    """

    run_id: int
    versions: tuple[gold.Version, ...]
    report: Report | None
    scores: Scores | None
    failure: Message | None = None
    detail: str | None = None
    broke: bool = False
    private: Scores | None = None
    units: parts.Units | None = None
    public_values: Mapping[str, str] = field(default_factory=dict)
    by_unit: announced_values.Units = field(default_factory=dict)

    @property
    def by_split(self) -> Mapping[str, Scores]:
        """The scores by the part of the gold that they are on."""
        if self.scores is None:
            return {}
        return {WHOLE: self.scores} if self.private is None else {PUBLIC: self.scores, PRIVATE: self.private}

    def without_run(self) -> Prepared:
        """The same without the columns of the run, which may be large."""
        return self if self.report is None else replace(self, report=replace(self.report, run=None))


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that scoring a run needs, whoever does it: files on this machine, in `before` the run and
    the versions of gold, in `how` the way its phase parts that."""

    spec: TaskSpec
    path: Path
    folder: Path | None
    gold: Mapping[str, Path]
    before: Prepared
    how: parts.How | None = None


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
    task = known(session, spec.name)
    versions = versions or gold.active(session, spec)
    if not versions:
        raise gold.NoGoldInstalled(spec)
    benchmarks = gold.paths(files, spec, versions)
    how = parts.how(session, session.get_one(Phase, run.phase_id))
    folder = inputs.folder_of(session, files, spec)
    try:
        path = files.kept.path(run.file_hash)
    except FileMissing as missing:
        failure = say("The file of this run is missing from the storage. The fault is ours.")
        return Prepared(run_id, versions, None, None, failure, str(missing))
    before = Prepared(run_id, versions, report, None, public_values=dict(task.public_values))
    order = Order(spec, path, folder, benchmarks, before, how)
    with context.bound({"run": run_id, "task": spec.name}):
        return replace(_timed(order, scorer), public_values=before.public_values)


def _timed(order: Order, scorer: Scorer) -> Prepared:
    began = meters.clock()
    if isinstance(scorer, Apart):
        found = scorer.prepare(replace(order, before=order.before.without_run()))
    else:
        found = carry_out(order, scorer)
    outcome = "failed" if found.scores is None else "scored"
    meters.SCORING_SECONDS.took(meters.clock() - began, order.spec.name, outcome)
    return found


def carry_out(order: Order, scorer: Scorer) -> Prepared:
    """Computes the scores of a run, here and now."""
    before = order.before
    benchmark = gold.read_at(order.gold, order.spec, scorer, before.versions)
    if order.how is None:
        found = _compute(order.spec, scorer, order.path, order.folder, benchmark, before)
        return _by_unit(order, scorer, benchmark, found)
    parted = parts.divided(benchmark, order.spec, scorer, before.versions, order.how)
    found = _compute(order.spec, scorer, order.path, order.folder, parted.public, before)
    if found.scores is None:
        return found
    again = replace(before, report=found.report)
    private = _compute(order.spec, scorer, order.path, order.folder, parted.private, again)
    if private.scores is None:
        return private
    found = _by_unit(order, scorer, parted.public, found)
    return replace(found, private=private.scores, units=parted.units)


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
    if not made_as_now(session, task, run, prepared):
        return None
    run.attempts += 1
    run.lease_until = None
    run.failure, run.failure_detail = prepared.failure, prepared.detail
    if prepared.report is not None and prepared.report.accepted:
        run.warnings, run.notes = prepared.report.warnings, prepared.report.notes
        run.left_out = prepared.report.left_out
    if prepared.scores is None:
        run.state = "failed"
    else:
        keep(session, spec, run, prepared, scorer.VERSION, now)
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
        scores = score_rows.in_order_of_gold(scorer.score(spec, report.run, benchmark), versions)
    except MemoryError as error:
        much = say("Scoring it needed more memory than it may have.")
        return Prepared(run_id, versions, None, None, much, f"{type(error).__name__}: {error}", broke=True)
    except Exception as error:
        return Prepared(run_id, versions, report, None, _OURS, f"{type(error).__name__}: {error}")
    return Prepared(run_id, versions, report, scores)


def _by_unit(order: Order, scorer: Scorer, benchmark: Gold, found: Prepared) -> Prepared:
    """With what the run is compared by to others of its team, on tracks whose public values need that."""
    if found.scores is None or found.report is None:
        return found
    wanted = [
        track
        for track in order.spec.tracks
        if order.before.public_values.get(track.name) == BY_UNIT
        and track.name in found.scores
        and not found.scores[track.name].topics
    ]
    run = found.report.run
    try:
        units = {track.name: samples.by_unit(order.spec, scorer, benchmark, track, run) for track in wanted}
    except Exception as error:
        return replace(found, scores=None, failure=_OURS, detail=f"{type(error).__name__}: {error}")
    return replace(found, by_unit={name: each for name, each in units.items() if each is not None})


def keep(
    session: Session,
    spec: TaskSpec,
    run: Run,
    prepared: Prepared,
    scorer_version: str,
    now: datetime,
    versions: tuple[gold.Version, ...] | None = None,
) -> None:
    """Writes prepared scores, those on `versions` alone where these are given, and what is told of them."""
    kept = prepared.versions if versions is None else versions
    found = announced_values.Found(kept, prepared.by_split, prepared.by_unit)
    announced_values.keep(session, spec, run, found, scorer_version, now)


def made_as_now(session: Session, task: Task, run: Run, prepared: Prepared) -> bool:
    """Whether the phase of a run still parts its gold as these scores were made, and as much is told of them;
    writes the parts of units down that are new."""
    if prepared.scores is None:
        return True
    split = session.get_one(Phase, run.phase_id, populate_existing=True).split
    if (split is None) != (prepared.units is None) or prepared.public_values != task.public_values:
        return False
    return prepared.units is None or parts.keep(session, run.phase_id, prepared.units)
