"""Drafts: new gold, or the gold of now under a new scorer, that counts only once it is applied.

A draft is made in one short transaction; a job (`draft_jobs`) scores all runs on it and works out what it
would change; `draft_applying` makes it count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say, say_count
from leaderboard.services import (
    audit,
    differences,
    draft_scoring,
    gold,
    queue,
)
from leaderboard.services.audit import Actor, Change
from leaderboard.services.draft_scoring import DraftEnded, locked_draft
from leaderboard.services.errors import ServiceError
from leaderboard.services.gold import New
from leaderboard.services.queue import Deliver
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Draft, DraftFailure, GoldVersion, Job, Score, Task

JOB = "draft"
"""The kind of the job that scores all runs on a draft, and applies it where that was asked for."""

Source = Literal["gold", "scorer", "judging"]


class NothingNew(ServiceError):
    """What was handed in is what scores already."""


class UnknownDraft(ServiceError):
    """The task has no draft of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(say("There is no draft {number}.", number=number))


class NotAllScored(ServiceError):
    """Runs have yet to be scored on the draft's versions."""

    def __init__(self, runs: int) -> None:
        super().__init__(
            say_count(
                "{count} run has yet to be scored on this draft.",
                "{count} runs have yet to be scored on this draft.",
                runs,
            )
        )


@dataclass(frozen=True, slots=True)
class Made:
    """A draft that was made: its number within the task, its number in the database, its job, by track the
    number of each new version, and the tracks whose file is the one that scores now."""

    number: int
    draft_id: int
    job_id: int
    versions: Mapping[str, int]
    unchanged: tuple[str, ...]


def make(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    paths: Mapping[str, Path],
    source: Source,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> Made:
    """A draft with new gold for some tracks (track to file), and the job that scores it.

    All files are read first; when one is wrong there is no draft. A version carries the name that task.toml
    declares for its file. Raises FormatError naming file and line, NothingNew, UnknownTask.
    """
    topics = scorer.read_gold(spec, paths).topics
    task = locked(session, spec.name)
    active = queries.active_gold(session, task.id)
    new, unchanged = [], []
    for track, path in paths.items():
        file_hash = files.gold.put_file(path).file_hash
        if track in active and active[track].file_hash == file_hash:
            unchanged.append(track)
        else:
            new.append(New(track, spec.track(track).gold, file_hash, topics[track], note))
    if not new:
        raise NothingNew(say("These files are the ones that score now; there is nothing to change."))
    draft = _add(session, task, scorer, source, new, note, actor, now)
    return _made(session, spec, draft, new, tuple(unchanged), actor, now, deliver)


def make_for_scorer(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> Made:
    """A draft with the gold of now under the scorer of now, and the job that scores it.

    Raises NothingNew where all scores were made by this very scorer, NoGoldInstalled, UnknownTask.
    """
    task = locked(session, spec.name)
    active = gold.active(session, spec)
    if not active:
        raise gold.NoGoldInstalled(spec)
    if not older_scorers(session, spec, scorer):
        raise NothingNew(
            say("All scores were made by version {version} of the scorer already.", version=scorer.VERSION)
        )
    topics = gold.read(files, spec, scorer, active).topics
    new = [
        New(version.track, version.file_name, version.file_hash, topics[version.track], note)
        for version in active
    ]
    draft = _add(session, task, scorer, "scorer", new, note, actor, now)
    return _made(session, spec, draft, new, (), actor, now, deliver)


def older_scorers(session: Session, spec: TaskSpec, scorer: Scorer) -> tuple[str, ...]:
    """The versions of the scorer, other than the present one, that made scores which count now."""
    active = [version.id for version in queries.active_gold(session, known(session, spec.name).id).values()]
    statement = select(Score.scorer_version).where(
        Score.gold_version_id.in_(active), Score.scorer_version != scorer.VERSION
    )
    return tuple(session.scalars(statement.distinct().order_by(Score.scorer_version)))


def score_again(
    session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime, deliver: Deliver | None = None
) -> int:
    """Has the runs scored that the draft lacks, and the difference worked out anew; returns the job's number.

    Raises UnknownDraft, DraftEnded.
    """
    locked(session, spec.name)
    draft = opened(session, spec, number)
    draft.state = "scoring"
    return enqueue(session, spec, draft, {}, actor, now, deliver)


def go_on(
    session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime, deliver: Deliver | None = None
) -> int:
    """Has a draft finished whose job has ended without that; returns the job's number, which is the old one
    where that still works.

    Raises UnknownDraft, DraftEnded.
    """
    locked(session, spec.name)
    draft = opened(session, spec, number)
    job = session.get(Job, draft.job_id or 0, populate_existing=True)
    if job is not None and job.state in ("waiting", "running"):
        return job.id
    more = {"apply": job.arguments["apply"]} if job is not None and "apply" in job.arguments else {}
    return enqueue(session, spec, draft, more, actor, now, deliver)


def compare(session: Session, spec: TaskSpec, draft_id: int, now: datetime) -> None:
    """Keeps what applying the draft would change; it is ready then. Raises DraftEnded, NotAllScored."""
    locked(session, spec.name)
    draft = locked_draft(session, draft_id)
    if draft.state not in draft_scoring.OPEN:
        raise DraftEnded(draft)
    require_scores(session, draft)
    draft.difference = differences.between(session, spec, draft)
    draft.compared_at = now
    if draft.state == "scoring":
        draft.state = "ready"
    session.flush()


def discard(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> None:
    """Gives the draft up. It stays in the list with its difference; what it scored goes.

    Raises UnknownDraft, DraftEnded.
    """
    task = locked(session, spec.name)
    draft = opened(session, spec, number)
    ids = list(draft.versions.values())
    session.execute(delete(Score).where(Score.gold_version_id.in_(ids)))
    session.execute(delete(DraftFailure).where(DraftFailure.draft_id == draft.id))
    session.execute(update(GoldVersion).where(GoldVersion.id.in_(ids)).values(state="discarded"))
    draft.state, draft.ended_at, draft.ended_by = "discarded", now, actor.user_id
    record(session, task, draft, "draft.discarded", actor, now)


def numbered(session: Session, spec: TaskSpec, number: int) -> Draft:
    """The row of a draft. Raises UnknownDraft, UnknownTask."""
    statement = select(Draft).where(Draft.task_id == known(session, spec.name).id, Draft.number == number)
    draft = session.scalars(statement.execution_options(populate_existing=True)).one_or_none()
    if draft is None:
        raise UnknownDraft(number)
    return draft


def opened(session: Session, spec: TaskSpec, number: int) -> Draft:
    """The row of a draft, for this transaction alone to change. Raises UnknownDraft, DraftEnded."""
    draft = locked_draft(session, numbered(session, spec, number).id)
    if draft.state not in draft_scoring.OPEN:
        raise DraftEnded(draft)
    return draft


def _add(
    session: Session,
    task: Task,
    scorer: Scorer,
    source: Source,
    new: Sequence[New],
    note: str,
    actor: Actor,
    now: datetime,
) -> Draft:
    active = queries.active_gold(session, task.id)
    versions = {each.track: gold.add(session, task.id, each, "draft", actor, now).id for each in new}
    highest = session.scalar(select(func.max(Draft.number)).where(Draft.task_id == task.id))
    draft = Draft(
        task_id=task.id,
        number=(highest or 0) + 1,
        source=source,
        state="scoring",
        scorer_version=scorer.VERSION,
        versions=versions,
        replaces={track: active[track].id if track in active else None for track in versions},
        note=note,
        made_at=now,
        made_by=actor.user_id,
    )
    session.add(draft)
    session.flush()
    return draft


def _made(
    session: Session,
    spec: TaskSpec,
    draft: Draft,
    new: Sequence[New],
    unchanged: tuple[str, ...],
    actor: Actor,
    now: datetime,
    deliver: Deliver | None,
) -> Made:
    numbers = {
        version.track: version.number
        for version in queries.gold_versions(session, list(draft.versions.values()))
    }
    task = known(session, spec.name)
    record(session, task, draft, "draft.made", actor, now, after=numbers)
    job_id = enqueue(session, spec, draft, {}, actor, now, deliver)
    return Made(draft.number, draft.id, job_id, {each.track: numbers[each.track] for each in new}, unchanged)


def enqueue(
    session: Session,
    spec: TaskSpec,
    draft: Draft,
    more: Mapping[str, object],
    actor: Actor,
    now: datetime,
    deliver: Deliver | None,
) -> int:
    """Writes down a job for the draft and returns its number; `more` is what it is told besides."""
    arguments = {"draft": draft.id, "number": draft.number, **more}
    draft.job_id = queue.enqueue(session, JOB, spec.name, arguments, now, deliver)
    session.get_one(Job, draft.job_id).made_by = actor.user_id
    session.flush()
    return draft.job_id


def record(
    session: Session,
    task: Task,
    draft: Draft,
    action: str,
    actor: Actor,
    now: datetime,
    before: Mapping[str, int] | None = None,
    after: Mapping[str, int] | None = None,
) -> None:
    """Adds to the log what was done to a draft, with the versions of gold before and after."""
    name = f"{task.name} {draft.number}"
    change = Change(action, "draft", draft.number, name, before or {}, after or {}, draft.note)
    audit.record(session, actor, task.id, change, now)


def require_scores(session: Session, draft: Draft) -> None:
    """Makes sure that the draft lacks no scores. Raises NotAllScored."""
    left = draft_scoring.left(session, draft)
    if left:
        raise NotAllScored(len(left))
