"""Scoring stored runs against the gold that is active now.

`prepare` computes without changing anything, which may take long; `record` writes what it found in one short
transaction. Doing both twice, or in two processes at once, has the effect of once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol, runtime_checkable

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Report, Scorer, Scores, TaskSpec, say
from leaderboard.services import announced_values, gold, inputs, parts, standings
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring_order import Order, Prepared, carry_out
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import PRIVATE, PUBLIC, WHOLE, Phase, Run, Score, Task
from leaderboard.telemetry import context, meters


class UnknownRun(ServiceError):
    """The task has no run of that number."""

    def __init__(self, spec: TaskSpec, run_id: int) -> None:
        super().__init__(say("The task {task} has no run {run}.", task=spec.name, run=run_id))


class NotScorable(ServiceError):
    """A rejected run has nothing to score."""


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
    if prepared.scores is not None:
        keep(session, spec, run, prepared, scorer.VERSION, now)
        run.scored_at = now
    run.state = "failed" if prepared.scores is None else "scored"
    run.attempts += 1
    run.lease_until = None
    run.failure, run.failure_detail = prepared.failure, prepared.detail
    if prepared.report is not None and prepared.report.accepted:
        run.warnings, run.notes = prepared.report.warnings, prepared.report.notes
        run.left_out = prepared.report.left_out
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
    found = announced_values.Found(kept, _by_split(prepared), prepared.by_unit)
    announced_values.keep(session, spec, run, found, scorer_version, now)


def _by_split(prepared: Prepared) -> Mapping[str, Scores]:
    """The scores by the part of the gold that they are on."""
    if prepared.scores is None:
        return {}
    if prepared.private is None:
        return {WHOLE: prepared.scores}
    return {PUBLIC: prepared.scores, PRIVATE: prepared.private}


def made_as_now(session: Session, task: Task, run: Run, prepared: Prepared) -> bool:
    """Whether the phase of a run still parts its gold as these scores were made, and as much is told of them;
    writes the parts of units down that are new."""
    if prepared.scores is None:
        return True
    split = session.get_one(Phase, run.phase_id, populate_existing=True).split
    if (split is None) != (prepared.units is None) or prepared.public_values != task.public_values:
        return False
    return prepared.units is None or parts.keep(session, run.phase_id, prepared.units)
