"""The report of probing as its page shows it: read as it is stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.services import probing, probing_words
from leaderboard.services.probing_found import ORDER
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.models import ProbingFinding, ProbingReport, User


@dataclass(frozen=True, slots=True)
class RunNamed:
    """A run of a finding."""

    run_id: int
    name: str
    team: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was seen, in words. `honest` says when honest work looks the same. `changed`: it is not
    any more what was looked at; `gone`: it is not found any more. `more`: so many runs are not named."""

    number: int
    kind: str
    strength: str
    head: Message
    sentence: Message
    honest: Message
    teams: tuple[tuple[int, str], ...]
    runs: tuple[RunNamed, ...]
    more: int
    numbers: Mapping[str, Any]
    found_at: datetime
    changed_at: datetime
    looked_at: datetime | None
    looked_by: str
    note: str
    gone: bool

    @property
    def open(self) -> bool:
        """Whether somebody should look at it."""
        return not self.gone and (self.looked_at is None or self.looked_at < self.changed_at)


@dataclass(frozen=True, slots=True)
class Report:
    """What is stored for a task. `computed_at` None: nothing yet. `behind`: runs or members have changed
    since; `working`: a job is at it or waits; `failed`: why the last one did not end."""

    computed_at: datetime | None
    runs: int
    teams: int
    unreadable: int
    reads_runs: bool
    behind: bool
    working: bool
    failed: Message | None
    findings: tuple[Finding, ...]


NAMED = 12
"""So many runs of a finding are named."""


def show(session: Session, spec: TaskSpec) -> Report:
    """The report as it is stored: what is to be looked at first, the strongest at the head. Raises
    UnknownTask."""
    task = known(session, spec.name)
    row, job = session.get(ProbingReport, task.id), probing.last_job(session, task.id)
    working = job is not None and job.state in ("waiting", "running")
    rows = session.scalars(select(ProbingFinding).where(ProbingFinding.task_id == task.id)).all()
    findings = _told(session, rows)
    in_order = sorted(findings, key=lambda each: (not each.open, each.gone, _strength(each), each.number))
    return Report(
        computed_at=None if row is None else row.computed_at,
        runs=0 if row is None else row.runs,
        teams=0 if row is None else row.teams,
        unreadable=0 if row is None else row.unreadable,
        reads_runs=row is None or row.reads_runs,
        behind=row is None or row.fingerprint != probing.fingerprint(session, task.id),
        working=working,
        failed=job.error if job is not None and job.state == "failed" else None,
        findings=tuple(in_order),
    )


def _strength(finding: Finding) -> int:
    return ORDER[finding.strength]  # type: ignore[index]  # the database holds no other words


def _told(session: Session, rows: Sequence[ProbingFinding]) -> list[Finding]:
    teams = probing.names_of_teams(session, {team for row in rows for team in row.about["teams"]})
    runs = _names_of_runs(session, {run for row in rows for run in row.about["runs"][:NAMED]}, teams)
    lookers = {row.looked_by for row in rows if row.looked_by is not None}
    people = {row.id: row.name for row in session.scalars(select(User).where(User.id.in_(lookers)))}
    return [_finding(row, teams, runs, people) for row in rows]


def _finding(
    row: ProbingFinding, teams: Mapping[int, str], runs: Mapping[int, RunNamed], people: Mapping[int, str]
) -> Finding:
    named = [(team, teams[team]) for team in row.about["teams"] if team in teams]
    first = row.about["runs"][:NAMED]
    return Finding(
        number=row.id,
        kind=row.kind,
        strength=row.strength,
        head=probing_words.HEADS[row.kind],
        sentence=probing_words.sentence(row.kind, row.numbers, [name for _, name in named]),
        honest=probing_words.HONEST[row.kind],
        teams=tuple(named),
        runs=tuple(runs[run] for run in first if run in runs),
        more=len(row.about["runs"]) - len(first),
        numbers=row.numbers,
        found_at=row.found_at,
        changed_at=row.changed_at,
        looked_at=row.looked_at,
        looked_by=people.get(row.looked_by or 0, ""),
        note=row.note,
        gone=row.gone_at is not None,
    )


def _names_of_runs(
    session: Session, runs: Collection[int], teams: Mapping[int, str]
) -> Mapping[int, RunNamed]:
    names, of_team = queries.names_of_runs(session, runs), queries.teams_of_runs(session, runs)
    return {run: RunNamed(run, name, teams.get(of_team[run], "")) for run, name in names.items()}
