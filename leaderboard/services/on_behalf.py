"""Organisers submit a run for a team."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import audit, inputs, runs, scoring_jobs, submissions
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Transactions
from leaderboard.services.runs import Details, Received, Submission
from leaderboard.services.submissions import SCORED_AT_ONCE, Doing, EmptyFile, NoSlot
from leaderboard.services.tasks import locked
from leaderboard.services.team_moderation import UnknownTeam
from leaderboard.store.files import Files
from leaderboard.store.models import Run, Team


class NotYet(ServiceError):
    """A run cannot have been submitted at a moment to come."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that an organiser sends for a team: where it lies (a draft of the file store), its name, and
    when it arrived. `within_limits`: the team's quota holds for it as for the team's own. Without
    `details.submitted_at` it counts as sent when it arrived; another moment may be before a deadline."""

    draft: Path
    file_name: str
    team_id: int
    arrived_at: datetime
    details: Details
    within_limits: bool = False


def submit(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    upload: Upload,
    actor: Actor,
    clock: Clock,
    doing: Doing,
) -> Submission:
    """Keeps, checks and records a run of the team, and scores it now or lets the queue do so. The draft is
    gone at the end. A file that the team had before in the phase leads to that run.

    Raises EmptyFile, NotYet, NoSlot (within limits), NameRefused, RunRemoved, UnknownTeam and UnknownTask.
    """
    try:
        stored = files.kept.measured(upload.draft)
        if stored.size == 0:
            raise EmptyFile
        with transactions.reading() as session:
            folder = inputs.folder_of(session, files, spec)
        files.kept.keep(upload.draft, stored)
    finally:
        upload.draft.unlink(missing_ok=True)
    name = submissions.clean_file_name(upload.file_name)
    received = runs.checked(files, spec, scorer, stored, folder, name)
    with transactions.writing() as session:
        submission = record(session, spec, received, upload, actor, clock())
        waits = submission.state == "received" and not submission.again
        at_once = stored.size <= SCORED_AT_ONCE
        job_id = None
        if waits and at_once:
            job_id = scoring_jobs.reserve(session, spec.name, submission.run_id, clock())
        elif waits:
            scoring_jobs.request(session, spec.name, submission.run_id, clock(), doing.later)
    if job_id is not None:
        doing.now(job_id)
    return replace(submission, report=replace(submission.report, run=None))


def record(
    session: Session, spec: TaskSpec, received: Received, upload: Upload, actor: Actor, now: datetime
) -> Submission:
    """Writes the run's row, and that an organiser sent it. Raises as `submit` does."""
    task = locked(session, spec.name)
    team = session.get(Team, upload.team_id)
    if team is None or team.task_id != task.id or team.deleted_at is not None or team.merged_into is not None:
        raise UnknownTeam
    moment = upload.details.submitted_at or upload.arrived_at
    if moment > max(now, upload.arrived_at):
        raise NotYet(
            say(
                "The run cannot have been submitted at {time}: that is yet to come.",
                time=moment.strftime("%Y-%m-%d %H:%M UTC"),
            )
        )
    if upload.within_limits:
        used = submissions.state(session, spec, team.id, moment).quota
        if used.reached is not None:
            raise NoSlot(used)
    details = replace(upload.details, team=team.name, submitted_at=moment)
    submission = runs.record(session, spec, received, details, now)
    if not submission.again:
        run = session.get_one(Run, submission.run_id)
        after = {
            "team": team.name,
            "submitted_at": moment,
            "state": run.state,
            "kind": run.kind,
            "file": run.file_name,
            "file_hash": run.file_hash,
            "within_limits": upload.within_limits,
        }
        audit.record(
            session, actor, task.id, Change("run.submitted", "run", run.id, run.name, {}, after), now
        )
    return submission
