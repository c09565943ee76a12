"""Submitting runs.

A run is kept in two steps, each whole in itself: its file, by hash; then its row. Whoever is told of a run
finds both.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Fault, Report, Scorer, TaskSpec, say
from leaderboard.rules import Kind, phases_of, window
from leaderboard.services import inputs
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import locked
from leaderboard.store import queries
from leaderboard.store.columns import message_as_json
from leaderboard.store.files import Files, Stored
from leaderboard.store.models import Run, Task, Team

LONGEST_NAME = 100


class NameRefused(ServiceError):
    """A team's or a run's name cannot be used."""


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
    stored = files.kept.put_file(path)
    # The kept copy is checked: nobody can change that one between the check and the scoring.
    report = scorer.check(spec, files.kept.path(stored.file_hash), inputs_folder)
    return Received(stored, Path(file_name or path.name).name, report)


def record(
    session: Session, spec: TaskSpec, received: Received, details: Details, now: datetime
) -> Submission:
    """Writes the run's row: *received*, or *rejected* where the check found faults.

    Raises NameRefused and UnknownTask.
    """
    team_name = clean_name(details.team)
    run_name = clean_name(details.name or Path(received.file_name).stem[:LONGEST_NAME] or "run")
    task = locked(session, spec.name)
    submitted_at = details.submitted_at or now
    found = window(phases_of(spec), submitted_at)
    phase = queries.phase_named(session, task.id, found.phase.name)
    if phase is None:
        raise ServiceError(
            say(
                "The phase {phase} of {task} is not installed yet; run `init`.",
                phase=found.phase.name,
                task=spec.name,
            )
        )
    team = _team(session, task, team_name, now)
    earlier = _same_file(session, phase.id, team.id, received.stored.file_hash)
    if earlier is not None:
        return _submission(earlier, phase.name, received.report, again=True)
    run = _row(received, details, now)
    run.name, run.task_id, run.phase_id, run.team_id = run_name, task.id, phase.id, team.id
    run.submitted_at, run.late = submitted_at, found.late
    session.add(run)
    session.flush()
    return _submission(run, phase.name, received.report, again=False)


def _row(received: Received, details: Details, now: datetime) -> Run:
    report = received.report
    return Run(
        description=details.description,
        file_hash=received.stored.file_hash,
        file_name=received.file_name,
        size=received.stored.size,
        received_at=now,
        state="received" if report.accepted else "rejected",
        kind=details.kind,
        warnings=report.warnings,
        notes=report.notes,
        left_out=report.left_out,
        faults=[fault_as_json(fault) for fault in report.faults],
        fault_count=report.fault_count,
    )


def _same_file(session: Session, phase_id: int, team_id: int, file_hash: str) -> Run | None:
    """The team's earlier run of the same file. One that was rejected is none: the rules, or the public
    inputs, may have changed since."""
    statement = select(Run).where(
        Run.phase_id == phase_id,
        Run.team_id == team_id,
        Run.file_hash == file_hash,
        Run.state != "rejected",
    )
    return session.scalars(statement).one_or_none()


def _submission(run: Run, phase: str, report: Report, *, again: bool) -> Submission:
    return Submission(run.id, phase, run.state, run.late, again, run.withdrawn_at is not None, report)


def _team(session: Session, task: Task, name: str, now: datetime) -> Team:
    team = queries.team_named(session, task.id, name)
    if team is None:
        team = Team(task_id=task.id, name=name, created_at=now)
        session.add(team)
        session.flush()
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
