"""Building MJ from the counted runs of a task, and the paper's Table 3.

What MJ holds shows which pairs are scored and nearly how: it is for organisers until they publish it
(`leaderboard.services.mj_pages`).
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.formats.mj import write_mj
from leaderboard.resources.mj import Row, long_rows, unique_rows
from leaderboard.services import audit, boards, gold, inputs, mj_shares, parting, parts, queue, standings
from leaderboard.services.audit import SHELL, Actor, Change
from leaderboard.services.mj_combining import Combined, Table3, combine, no_list
from leaderboard.services.mj_plans import KIND, Plan, pair_scorer, preview
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import Files, Stored
from leaderboard.store.models import Job, Resource

JOB = "build_resource"
"""The kind of the job that builds."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be built: one of the paper's weightings, and the phase whose board counts (None: the
    current one)."""

    weights: str = "rank"
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """A build that is kept. `number` counts within the task; `again`: the same had been built before, and
    this is that build."""

    number: int
    again: bool
    plan: Plan
    table: Table3
    file_hash: str
    unique_hash: str


@dataclass(frozen=True, eq=False)
class _Made:
    plan: Plan
    combined: Combined
    public: Mapping[str, str]


def build(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    wanted: Wanted,
    clock: Clock,
    progress: Progress,
    confirm: Callable[[Session], None] = lambda _session: None,
    actor: Actor = SHELL,
) -> Built:
    """Builds MJ, keeps its two files by their hash and writes its row.

    Everything slow happens outside a transaction; `confirm` is asked in the one that writes, and may raise.
    The same runs, places and gold give the same bytes. Raises as `preview` and `combine`.
    """
    made = _make(transactions, files, spec, scorer, wanted, clock, progress)
    tracks = made.combined.tracks[wanted.weights]
    stored = keep(files, long_rows(tracks))
    unique = keep(files, unique_rows(long_rows(tracks), tracks))
    with transactions.writing() as session:
        confirm(session)
        before = _same(session, spec, made, stored)
        if before is not None and "shares" not in before.measures:
            before.measures = {**before.measures, "shares": mj_shares.as_json(made.combined.shares)}
        kept = (stored, unique)
        number = before.number if before else _record(session, spec, scorer, made, kept, actor, clock())
    return Built(
        number, before is not None, made.plan, made.combined.table, stored.file_hash, unique.file_hash
    )


def table_3(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    clock: Clock,
    progress: Progress,
    phase: str | None = None,
) -> Table3:
    """The paper's Table 3 for the stored runs; keeps nothing. Raises as `build`."""
    wanted = Wanted(phase=phase)
    return _make(transactions, files, spec, scorer, wanted, clock, progress).combined.table


def request(
    session: Session,
    spec: TaskSpec,
    scorer: Scorer,
    wanted: Wanted,
    now: datetime,
    deliver: Deliver | None = None,
    actor: Actor = SHELL,
) -> int:
    """Leaves the build to the queue and returns the job's number. Raises as `preview`."""
    pair_scorer(spec, scorer)
    _bring_up_to_date(session, spec, scorer, now)
    phase = wanted.phase or boards.current_phase(spec, now)
    preview(session, spec, wanted.weights, phase)
    arguments = {"weights": wanted.weights, "phase": phase, "by": actor.user_id}
    job_id = queue.enqueue(session, JOB, spec.name, arguments, now, deliver)
    session.get_one(Job, job_id).made_by = actor.user_id
    return job_id


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`. Done again after a crash, it finds or makes the same."""

    def build_resource(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        wanted = Wanted(work.arguments.get("weights", "rank"), work.arguments.get("phase"))
        actor = Actor(work.arguments.get("by"), "job")
        parts = (transactions, files, spec, scorer, wanted, clock)
        built = build(*parts, work.progress, work.confirm, actor)
        return {"number": built.number, "weights": wanted.weights, "again": built.again}

    return build_resource


def _make(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    wanted: Wanted,
    clock: Clock,
    progress: Progress,
) -> _Made:
    pairs = pair_scorer(spec, scorer)
    with transactions.writing() as session:
        _bring_up_to_date(session, spec, scorer, clock())
    with transactions.reading() as session:
        plan = preview(session, spec, wanted.weights, wanted.phase or boards.current_phase(spec, clock()))
        phase = queries.phase_named(session, known(session, spec.name).id, plan.phase)
        how = None if phase is None else parts.how(session, phase)
        folder = inputs.folder_of(session, files, spec)
        rows = queries.active_inputs(session, known(session, spec.name).id)
        public = {row.file_name: row.file_hash for row in rows}
    if folder is None:
        raise no_list(spec)
    benchmark = gold.read(files, spec, scorer, plan.versions)
    # What is published with MJ must not tell the best run's value on the part that is kept back.
    shown = parting.divided(benchmark, spec, scorer, plan.versions, how).public if how else None
    return _Made(plan, combine(files, spec, pairs, plan, benchmark, folder, progress, shown), public)


def _bring_up_to_date(session: Session, spec: TaskSpec, scorer: Scorer, now: datetime) -> None:
    """What a killed process scored and did not place yet would be missing from MJ."""
    if standings.due(session, spec):
        standings.refresh(session, spec, scorer.VERSION, now)


def keep(files: Files, rows: Iterable[Row]) -> Stored:
    """Keeps the lines of an MJ as a file."""
    with tempfile.TemporaryFile() as temporary:
        text = io.TextIOWrapper(temporary, encoding="utf-8", newline="")
        write_mj(rows, text)
        text.flush()
        text.detach()
        temporary.seek(0)
        return files.kept.put(temporary)


def _same(session: Session, spec: TaskSpec, made: _Made, stored: Stored) -> Resource | None:
    """The earlier build from the same runs, with the same places and weights, whose file is the same too."""
    task = locked(session, spec.name)
    statement = select(Resource).where(
        Resource.task_id == task.id, Resource.kind == KIND, Resource.file_hash == stored.file_hash
    )
    for row in session.scalars(statement.order_by(Resource.number)):
        if (row.weights, row.inputs["tracks"]) == (made.plan.weighting, _tracks_as_json(made.plan)):
            return row
    return None


def _record(
    session: Session,
    spec: TaskSpec,
    scorer: Scorer,
    made: _Made,
    kept: tuple[Stored, Stored],
    actor: Actor,
    now: datetime,
) -> int:
    task = locked(session, spec.name)
    last = select(func.max(Resource.number)).where(Resource.task_id == task.id, Resource.kind == KIND)
    number = (session.scalar(last) or 0) + 1
    name = f"{spec.name}-mj-{number}-{made.plan.weighting}"
    long, unique = kept
    session.add(
        Resource(
            task_id=task.id,
            kind=KIND,
            number=number,
            weights=made.plan.weighting,
            inputs={
                "phase": made.plan.phase,
                "scorer_version": scorer.VERSION,
                "files": dict(made.public),
                "tracks": _tracks_as_json(made.plan),
            },
            file_name=f"{name}.csv",
            file_hash=long.file_hash,
            size=long.size,
            files={"unique": {"file_name": f"{name}-unique.csv", **asdict(unique)}},
            measures={
                "best": {track: asdict(best) for track, best in made.combined.table.best.items()},
                "combined": {weights: dict(line) for weights, line in made.combined.table.combined.items()},
                "shares": mj_shares.as_json(made.combined.shares),
            },
            created_at=now,
            created_by=actor.user_id,
        )
    )
    after = {"weights": made.plan.weighting, "phase": made.plan.phase, "sha256": long.file_hash}
    change = Change("resource.built", "resource", number, f"MJ {number}", after=after)
    audit.record(session, actor, task.id, change, now)
    return number


def _tracks_as_json(plan: Plan) -> dict[str, Any]:
    return {
        track.track: {
            "gold_version": track.version.number,
            "gold_hash": track.version.file_hash,
            "runs": [asdict(run) for run in track.runs],
        }
        | ({} if track.told is None else {"public_values": track.told})
        for track in plan.tracks
    }
