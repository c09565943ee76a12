"""A team submits a run: what its phase and quota allow, from the upload to the scores.

The moment that decides is the one at which the request arrived, however long the file took to come. Every
run costs a slot: ordinary, contrastive and withdrawn ones alike. What costs none: a file whose form is not
right (there is a larger limit for those), a file that the team had sent before, a run whose scoring failed,
which is our fault, and one that organisers deleted. Organisers' submissions (`runs.record`) ask for no quota.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, Scorer, TaskSpec, say, say_count
from leaderboard.rules import Attempts, Quota, quota
from leaderboard.services import attempts, deadlines, inputs, runs, scoring_jobs
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Transactions
from leaderboard.services.runs import Details, Entrance, Received, Submission
from leaderboard.services.tasks import known, locked
from leaderboard.services.teams import NotInTheTeam, membership_of
from leaderboard.store.files import Files, Stored
from leaderboard.store.models import Run, Task, Team
from leaderboard.telemetry import context, meters

SCORED_AT_ONCE = 8_000_000
"""A file of up to so many bytes is scored while its sender waits."""

LONGEST_FILE_NAME = 200


class NoSlot(ServiceError):
    """The team may not send a run now; `quota` says what was reached and when it may again, `elsewhere`
    whether what the person sent for other teams has a part in that."""

    def __init__(self, used: Quota, elsewhere: bool = False) -> None:
        self.quota = used
        super().__init__(refusal(used, elsewhere))


class EmptyFile(ServiceError):
    """Nothing was sent."""

    def __init__(self) -> None:
        super().__init__(say("Choose a file; none was sent, or it was empty."))


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as a member of a team sent it: where it lies (a draft of the file store), what the sender
    called it, who sent it, and when the request arrived.

    `details.team` is not looked at: the run is that of the sender's team.
    """

    draft: Path
    file_name: str
    user_id: int
    arrived_at: datetime
    details: Details


@dataclass(frozen=True, slots=True)
class Doing:
    """Who does the scoring: `now` a job while the sender waits, `later` by telling the queue of it."""

    now: Callable[[int], object]
    later: Callable[[int], None]


@dataclass(frozen=True, slots=True)
class State:
    """Where a team stands at a moment: its quota in the phase that a run of now would go to, and whether such
    a run would come too late to count there. `elsewhere`: runs of other teams count in it, since the person
    who asks was in them."""

    quota: Quota
    late: bool
    elsewhere: bool = False

    @property
    def refusal(self) -> Message | None:
        """Why it may not send a run now; None where it may."""
        return refusal(self.quota, self.elsewhere) if self.quota.reached is not None else None


def state(session: Session, spec: TaskSpec, team_id: int, now: datetime, user_id: int | None = None) -> State:
    """Where a team stands, for the person who would send for it; None: for the team alone. Raises
    UnknownTask."""
    entrance = _entrance(session, spec, known(session, spec.name), team_id, now)
    used, elsewhere = _used(session, entrance, team_id, now, user_id)
    return State(used, entrance.late, elsewhere)


def states(session: Session, spec: TaskSpec, team_ids: Sequence[int], now: datetime) -> Mapping[int, State]:
    """`state` of many teams of a task, each for itself alone. Raises UnknownTask."""
    task = known(session, spec.name)
    grants, sent = deadlines.grants_by_team(session, task.id), attempts.by_team(session, task.id)
    doors = runs.entrances(session, spec, task, now, (grants.get(team_id, {}) for team_id in team_ids))
    used = (
        quota(door.phase, sent.get((team_id, door.phase_id), Attempts()), now)
        for team_id, door in zip(team_ids, doors, strict=True)
    )
    return {
        team_id: State(each, door.late) for team_id, door, each in zip(team_ids, doors, used, strict=True)
    }


def submit(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    upload: Upload,
    clock: Clock,
    doing: Doing,
) -> Submission:
    """Keeps and checks an upload, and scores it now or lets the queue do so. The draft is gone at the end.

    A file that the team had sent before in this phase leads to that run. Raises NoSlot, EmptyFile,
    NotInTheTeam, NameRefused and UnknownTask.
    """
    try:
        submission = _submit(transactions, files, spec, scorer, upload, clock, doing)
    except (NoSlot, EmptyFile) as refused:
        meters.REJECTED.add(spec.name, "no-slot" if isinstance(refused, NoSlot) else "empty")
        raise
    if submission.state == "rejected" and not submission.again:
        for kind in {fault.kind for fault in submission.report.faults}:
            meters.REJECTED.add(spec.name, kind)
    return submission


def _submit(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    upload: Upload,
    clock: Clock,
    doing: Doing,
) -> Submission:
    try:
        stored = files.kept.measured(upload.draft)
        if stored.size == 0:
            raise EmptyFile
        with transactions.reading() as session:
            earlier = precheck(session, spec, upload, stored)
            folder = inputs.folder_of(session, files, spec)
        if earlier is not None:
            return earlier
        files.kept.keep(upload.draft, stored)
    finally:
        upload.draft.unlink(missing_ok=True)
    received = runs.checked(files, spec, scorer, stored, folder, clean_file_name(upload.file_name))
    with transactions.writing() as session:
        submission = record(session, spec, received, upload, clock())
        job_id = _let_score(session, spec, submission, stored, clock(), doing)
    context.add({"task": spec.name, "run": submission.run_id})
    if job_id is not None:
        doing.now(job_id)
    return replace(submission, report=replace(submission.report, run=None))


def precheck(session: Session, spec: TaskSpec, upload: Upload, stored: Stored) -> Submission | None:
    """The team's earlier run of the same file, before anybody has looked into it; None where there is none.

    Spares the check of what could not be taken anyway; `record` decides. Raises NoSlot, NotInTheTeam and
    UnknownTask.
    """
    task = known(session, spec.name)
    team = team_of(session, task, upload.user_id)
    entrance = _entrance(session, spec, task, team.id, upload.arrived_at)
    earlier = runs.same_file(session, entrance.phase_id, team.id, stored.file_hash)
    if earlier is not None:
        return runs.submission_of(earlier, entrance.phase.name, runs.unread(earlier), again=True)
    used, there = _used(session, entrance, team.id, upload.arrived_at, upload.user_id)
    if used.reached is not None:
        raise NoSlot(used, there)
    return None


def record(session: Session, spec: TaskSpec, received: Received, upload: Upload, now: datetime) -> Submission:
    """Writes the run's row where the quota allows it at the moment the upload arrived.

    Nothing else of the task is written meanwhile, so that of two uploads racing for the last slot one gets
    it. Raises NoSlot, NotInTheTeam, NameRefused and UnknownTask.
    """
    task = locked(session, spec.name)
    team = team_of(session, task, upload.user_id)
    entrance = _entrance(session, spec, task, team.id, upload.arrived_at)
    earlier = _before(session, entrance, team.id, received)
    if earlier is not None:
        return runs.submission_of(earlier, entrance.phase.name, received.report, again=True)
    used, there = _used(session, entrance, team.id, upload.arrived_at, upload.user_id)
    # A file in order is not refused because of faulty ones that came in while it was checked.
    if used.reached is not None and not (received.report.accepted and used.reached == "rejected today"):
        raise NoSlot(used, there)
    details = replace(upload.details, name=upload.details.name or _name_from(received.file_name))
    return runs.write(session, team, entrance, received, details, upload.arrived_at, now)


def team_of(session: Session, task: Task, user_id: int) -> Team:
    """The team that a person submits for. Raises NotInTheTeam."""
    membership = membership_of(session, task.id, user_id)
    if membership is None:
        raise NotInTheTeam
    return session.get_one(Team, membership.team_id)


def refusal(used: Quota, elsewhere: bool = False) -> Message:
    """Why a team may not send a run, and when it may; for a quota that is reached. `elsewhere`: because of
    what other teams sent while the person was in them."""
    if elsewhere and used.reached != "not open yet":
        return _refusal_of_person(used)
    phase = used.phase
    at = "" if used.next_slot is None else used.next_slot.strftime("%Y-%m-%d %H:%M UTC")
    if used.reached == "not open yet":
        return say("This phase opens at {time}; nothing can be submitted before.", time=at)
    if used.reached == "runs in all":
        return say_count(
            "Your team has sent the one run that this phase allows.",
            "Your team has sent all {count} runs that this phase allows.",
            phase.runs_in_all or 0,
        )
    if used.reached == "runs today":
        why = say_count(
            "Your team has sent the one run that a day allows (days begin at midnight UTC).",
            "Your team has sent the {count} runs that a day allows (days begin at midnight UTC).",
            phase.runs_per_day or 0,
        )
    else:
        why = say_count(
            "{count} file of your team was faulty today, which is the limit (days begin at midnight UTC).",
            "{count} files of your team were faulty today, which is the limit (days begin at midnight UTC).",
            used.rejected_today,
        )
    if used.next_slot is None:
        return say("{why} The phase closes before the next slot would open.", why=why)
    return say("{why} The next slot opens at {time}.", why=why, time=at)


def _refusal_of_person(used: Quota) -> Message:
    why = say(
        "What other teams sent while you were in them counts for you too, and with it your limit is reached. "
        "The others in your team may still have slots."
    )
    if used.next_slot is None:
        return why
    at = used.next_slot.strftime("%Y-%m-%d %H:%M UTC")
    return say("{why} The next slot opens at {time}.", why=why, time=at)


def clean_file_name(name: str) -> str:
    """What a sender called the file, without folders and what cannot be printed."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(character for character in last if character.isprintable())[-LONGEST_FILE_NAME:] or "run"


def _name_from(file_name: str) -> str:
    try:
        return runs.clean_name(Path(file_name).stem[: runs.LONGEST_NAME])
    except runs.NameRefused:
        return "run"


def _let_score(
    session: Session, spec: TaskSpec, submission: Submission, stored: Stored, now: datetime, doing: Doing
) -> int | None:
    """Writes down that the run is to be scored; returns the job's number where that is to be done now.
    Written with the run, it is there where the run is, whatever becomes of this process."""
    if submission.again or submission.state != "received":
        return None
    if stored.size <= SCORED_AT_ONCE:
        return scoring_jobs.reserve(session, spec.name, submission.run_id, now)
    scoring_jobs.request(session, spec.name, submission.run_id, now, doing.later)
    return None


def _before(session: Session, entrance: Entrance, team_id: int, received: Received) -> Run | None:
    """The team's earlier run of the same file. Also one that was rejected with the same faults: to send it
    again costs nothing."""
    earlier = runs.same_file(session, entrance.phase_id, team_id, received.stored.file_hash)
    if earlier is not None or received.report.accepted:
        return earlier
    statement = select(Run).where(
        Run.phase_id == entrance.phase_id,
        Run.team_id == team_id,
        Run.file_hash == received.stored.file_hash,
        Run.state == "rejected",
        Run.deleted_at.is_(None),
    )
    faults = [runs.fault_as_json(fault) for fault in received.report.faults]
    rejected = session.scalars(statement.order_by(Run.id.desc()))
    return next((run for run in rejected if run.faults == faults), None)


def _entrance(session: Session, spec: TaskSpec, task: Task, team_id: int, moment: datetime) -> Entrance:
    """Where a run of the team goes, with what the organisers allowed it."""
    return runs.entrance_at(session, spec, task, moment, deadlines.grants_of(session, team_id))


def _used(
    session: Session, entrance: Entrance, team_id: int, moment: datetime, user_id: int | None
) -> tuple[Quota, bool]:
    """What is used for a team and the person who sends for it (None: for the team alone), and whether what
    other teams sent has a part in that."""
    own = attempts.of_team(session, entrance.phase_id, team_id)
    used = quota(entrance.phase, own, moment)
    if used.reached is not None or user_id is None:
        return used, False
    there = attempts.elsewhere(session, entrance.phase_id, team_id, user_id)
    return quota(entrance.phase, attempts.together(own, there), moment), bool(there.sent or there.rejected)
