"""Submitting runs.

A run is kept in two steps, each whole in itself: its file, by hash; then its row. Whoever is told of a run
finds both.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Fault, PhaseSpec, Report, Scorer, TaskSpec, say
from leaderboard.rules import Grant, Kind, Window, phases_of, window_of_team
from leaderboard.services import deadlines, inputs, task_specs
from leaderboard.services.errors import ServiceError
from leaderboard.services.leases import LEASE
from leaderboard.services.methods import UNSAID, Method
from leaderboard.services.tasks import locked
from leaderboard.store import queries
from leaderboard.store.columns import message_as_json
from leaderboard.store.files import Files, Stored
from leaderboard.store.models import Phase, Run, Task, Team

LONGEST_NAME = 100


class NameRefused(ServiceError):
    """A team's or a run's name cannot be used."""


class RunRemoved(ServiceError):
    """The team had sent this very file, and the organisers have deleted that run."""

    def __init__(self) -> None:
        super().__init__(say("The organisers have deleted the run of this very file; ask them about it."))


class TeamRemoved(ServiceError):
    """The team was deleted, or joined to another."""

    def __init__(self, team: str) -> None:
        super().__init__(say("The team {team} was deleted, or joined to another one.", team=team))


class RunRejected(ServiceError):
    """The form of the file is not right; `report` has every fault. The attempt is recorded as `run_id`."""

    def __init__(self, run_id: int, report: Report) -> None:
        self.run_id = run_id
        self.report = report
        super().__init__(say("The file cannot be scored as it is; see its faults."))


@dataclass(frozen=True, slots=True)
class Details:
    """What a team says about its run. Without a `name` the file's is taken; without `submitted_at`, now."""

    team: str
    name: str = ""
    description: str = ""
    kind: Kind = "ordinary"
    submitted_at: datetime | None = None
    method: Method = UNSAID


@dataclass(frozen=True, slots=True)
class Received:
    """A file that is kept and checked, and not yet a run."""

    stored: Stored
    file_name: str
    report: Report


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of a submission.

    `again`: the team had submitted the same file in this phase before, and `run_id` is that earlier run,
    which stays as it is (`withdrawn`, perhaps). `late`: the phase had closed.
    """

    run_id: int
    phase: str
    state: str
    late: bool
    again: bool
    withdrawn: bool
    report: Report

    def accepted(self) -> Submission:
        """Itself; raises RunRejected where the form was not right. (Ask after the transaction has ended,
        so that the attempt stays recorded.)"""
        if self.state == "rejected":
            raise RunRejected(self.run_id, self.report)
        return self


def submit(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    path: Path,
    details: Details,
    now: datetime,
) -> Submission:
    """`receive` and `record` in one transaction. Where others write too, do the slow `receive` before it."""
    received = receive(files, spec, scorer, path, inputs.folder_of(session, files, spec))
    return record(session, spec, received, details, now)


def receive(
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    path: Path,
    inputs_folder: Path | None,
    file_name: str | None = None,
) -> Received:
    """Keeps the file at `path` and checks its form, without a database. `file_name` is what the sender
    called it, the name at `path` by default."""
    return checked(files, spec, scorer, files.kept.put_file(path), inputs_folder, file_name or path.name)


def checked(
    files: Files, spec: TaskSpec, scorer: Scorer, stored: Stored, inputs_folder: Path | None, file_name: str
) -> Received:
    """Checks the form of a file that is kept already."""
    # The kept copy is checked: nobody can change that one between the check and the scoring.
    report = scorer.check(spec, files.kept.path(stored.file_hash), inputs_folder)
    return Received(stored, Path(file_name).name, report)


@dataclass(frozen=True, slots=True)
class Entrance:
    """Where a run of one moment goes: the phase, its row's number, and whether it comes too late there."""

    phase: PhaseSpec
    phase_id: int
    late: bool


def record(
    session: Session, spec: TaskSpec, received: Received, details: Details, now: datetime
) -> Submission:
    """Writes the run's row: *received*, or *rejected* where the check found faults.

    For organisers, whom no quota limits; `submissions.record` is for teams. Raises NameRefused, RunRemoved,
    TeamRemoved and UnknownTask.
    """
    team_name = clean_name(details.team)
    task = locked(session, spec.name)
    submitted_at = details.submitted_at or now
    team = _team(session, task, team_name, now)
    entrance = entrance_at(session, spec, task, submitted_at, deadlines.grants_of(session, team.id))
    earlier = same_file(session, entrance.phase_id, team.id, received.stored.file_hash)
    if earlier is not None:
        return submission_of(earlier, entrance.phase.name, received.report, again=True)
    return write(session, team, entrance, received, details, submitted_at, now)


def entrance_at(
    session: Session, spec: TaskSpec, task: Task, moment: datetime, grants: Mapping[str, Grant] | None = None
) -> Entrance:
    """Where a run of that moment goes, for a team with these grants (by the name of the phase).

    The times are those stored now, which may be newer than `spec`. Raises ServiceError where the phase is
    declared and not installed.
    """
    return entrances(session, spec, task, moment, [grants or {}])[0]


def entrances(
    session: Session, spec: TaskSpec, task: Task, moment: datetime, granted: Iterable[Mapping[str, Grant]]
) -> list[Entrance]:
    """`entrance_at` for many teams, by what each was granted, with one look at the phases."""
    rows = {row.name: row for row in queries.phases_of(session, task.id)}
    declared = phases_of(spec)
    stored = [task_specs.phase_of(rows[phase.name]) if phase.name in rows else phase for phase in declared]
    return [_entrance(spec, rows, window_of_team(stored, grants, moment)) for grants in granted]


def _entrance(spec: TaskSpec, rows: Mapping[str, Phase], found: Window) -> Entrance:
    if found.phase.name not in rows:
        raise ServiceError(
            say(
                "The phase {phase} of {task} is not installed yet; run `init`.",
                phase=found.phase.name,
                task=spec.name,
            )
        )
    return Entrance(found.phase, rows[found.phase.name].id, found.late)


def write(
    session: Session,
    team: Team,
    entrance: Entrance,
    received: Received,
    details: Details,
    submitted_at: datetime,
    now: datetime,
) -> Submission:
    """Adds the row of a run; whether there may be one is for the caller to know. Raises NameRefused."""
    run_name = clean_name(details.name or Path(received.file_name).stem[:LONGEST_NAME] or "run")
    run = _row(received, details, now)
    run.name, run.task_id, run.phase_id, run.team_id = run_name, team.task_id, entrance.phase_id, team.id
    run.submitted_at, run.late = submitted_at, entrance.late
    session.add(run)
    session.flush()
    return submission_of(run, entrance.phase.name, received.report, again=False)


def _row(received: Received, details: Details, now: datetime) -> Run:
    report, method = received.report, details.method
    return Run(
        description=details.description,
        method_system=method.system,
        method_resources=method.resources,
        method_manner=method.manner,
        method_link=method.link,
        file_hash=received.stored.file_hash,
        file_name=received.file_name,
        size=received.stored.size,
        received_at=now,
        state="received" if report.accepted else "rejected",
        # Whoever writes it is about to score it, or to leave that to the queue.
        lease_until=now + LEASE if report.accepted else None,
        kind=details.kind,
        warnings=report.warnings,
        notes=report.notes,
        left_out=report.left_out,
        faults=[fault_as_json(fault) for fault in report.faults],
        fault_count=report.fault_count,
    )


def same_file(session: Session, phase_id: int, team_id: int, file_hash: str) -> Run | None:
    """The team's earlier run of the same file. One that was rejected is none: the rules, or the public
    inputs, may have changed since. Raises RunRemoved where organisers have deleted it."""
    statement = select(Run).where(
        Run.phase_id == phase_id,
        Run.team_id == team_id,
        Run.file_hash == file_hash,
        Run.state != "rejected",
    )
    earlier = session.scalars(statement).one_or_none()
    if earlier is not None and earlier.deleted_at is not None:
        raise RunRemoved
    return earlier


def submission_of(run: Run, phase: str, report: Report, *, again: bool) -> Submission:
    """What is told of a run that was written just now, or (`again`) before."""
    return Submission(run.id, phase, run.state, run.late, again, run.withdrawn_at is not None, report)


def unread(run: Run) -> Report:
    """What an earlier check found, for a run whose file nobody reads again."""
    return Report(
        None, fault_count=run.fault_count, warnings=run.warnings, notes=run.notes, left_out=run.left_out
    )


def _team(session: Session, task: Task, name: str, now: datetime) -> Team:
    team = queries.team_named(session, task.id, name)
    if team is None:
        team = Team(task_id=task.id, name=name, created_at=now)
        session.add(team)
        session.flush()
    if team.deleted_at is not None or team.merged_into is not None:
        raise TeamRemoved(team.name)
    return team


def clean_name(name: str) -> str:
    """The name in one Unicode form, with single spaces, so that the same name is the same team.

    Raises NameRefused.
    """
    clean = " ".join(unicodedata.normalize("NFC", name).split())
    if not clean:
        raise NameRefused(say("The team needs a name."))
    if len(clean) > LONGEST_NAME:
        raise NameRefused(
            say(
                'The name "{name}" is longer than {most} characters; shorten it.',
                name=clean,
                most=LONGEST_NAME,
            )
        )
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co") for character in clean):
        raise NameRefused(
            say('The name "{name}" holds characters that cannot be seen; type it again.', name=clean)
        )
    return clean


def fault_as_json(fault: Fault) -> dict[str, object]:
    """A fault as the run's row keeps it."""
    return {
        "line": fault.line,
        "column": fault.column,
        "kind": fault.kind,
        "message": message_as_json(fault.message),
    }
