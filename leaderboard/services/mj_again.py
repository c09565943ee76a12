"""Building an MJ again from the inputs that were noted with it: the same bytes, or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.resources.mj import long_rows
from leaderboard.services import gold, queue
from leaderboard.services.audit import Actor
from leaderboard.services.mj import keep
from leaderboard.services.mj_combining import combine, no_list
from leaderboard.services.mj_pages import Mj, of_number
from leaderboard.services.mj_plans import NotBuildable, Plan, TrackPlan, pair_scorer
from leaderboard.services.queue import Clock, Deliver, JobFunction, Work
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import GoldVersion, Job, Resource

JOB = "repeat_resource"
"""The kind of the job that builds one again."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """What came of building MJ `number` again. `scorer_version` is that of the scorer of now."""

    number: int
    same: bool
    file_hash: str
    scorer_version: str


def again(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    number: int,
    progress: Progress,
) -> Repeated:
    """Builds an MJ from the runs, weights, gold versions and public files that were noted with it; keeps the
    file, and writes nothing down.

    Raises UnknownMj; NotBuildable and GoldStayedBehind where an input is not here any more; RunUnusable.
    """
    pairs = pair_scorer(spec, scorer)
    with transactions.reading() as session:
        mj = of_number(session, spec, number)
        plan = _plan(session, spec, mj)
        public = _public(session, spec, number)
    benchmark = gold.read(files, spec, scorer, plan.versions)
    try:
        folder = files.kept.folder(public)
    except FileMissing as missing:
        raise no_list(spec) from missing
    combined = combine(files, spec, pairs, plan, benchmark, folder, progress)
    stored = keep(files, list(long_rows(combined.tracks[mj.weights])))
    same = stored.file_hash == mj.long.file_hash
    return Repeated(number, same, stored.file_hash, scorer.VERSION)


def _plan(session: Session, spec: TaskSpec, mj: Mj) -> Plan:
    task = known(session, spec.name)
    tracks = []
    for track in mj.tracks:
        statement = select(GoldVersion).where(
            GoldVersion.task_id == task.id,
            GoldVersion.track == track.track,
            GoldVersion.number == track.gold_version,
        )
        row = session.scalars(statement).one_or_none()
        if row is None:
            raise NotBuildable(
                say(
                    "Version {number} of the benchmark of {track} is not here any more.",
                    number=track.gold_version,
                    track=track.track,
                )
            )
        tracks.append(TrackPlan(track.track, gold.version_of(row), track.runs, ()))
    return Plan(spec.name, mj.phase, mj.weights, tuple(tracks), tuple(track.version for track in tracks))


def _public(session: Session, spec: TaskSpec, number: int) -> Mapping[str, str]:
    """The public files of then, name to hash."""
    task = known(session, spec.name)
    inputs = session.scalars(
        select(Resource.inputs).where(Resource.task_id == task.id, Resource.number == number)
    ).one()
    files: dict[str, str] = inputs["files"]
    return files


def request(
    session: Session,
    spec: TaskSpec,
    number: int,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> int:
    """Leaves it to the queue and returns the job's number. Raises UnknownMj."""
    of_number(session, spec, number)
    job_id = queue.enqueue(session, JOB, spec.name, {"number": number}, now, deliver)
    session.get_one(Job, job_id).made_by = actor.user_id
    return job_id


def job(
    transactions: Transactions,
    files: Files,
    task_of: Callable[[str], tuple[TaskSpec, Scorer]],
    clock: Clock,  # noqa: ARG001 - what jobs are given
) -> JobFunction:
    """What a queue does for a job of the kind `JOB`."""

    def repeat_resource(work: Work) -> Mapping[str, Any]:
        spec, scorer = task_of(work.task)
        done = again(transactions, files, spec, scorer, int(work.arguments["number"]), work.progress)
        return {
            "number": done.number,
            "same": done.same,
            "sha256": done.file_hash,
            "scorer_version": done.scorer_version,
        }

    return repeat_resource
