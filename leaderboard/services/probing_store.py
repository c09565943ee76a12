"""Keeping what was found, with what organisers noted about it before."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services.probing_found import ORDER, Found
from leaderboard.services.probing_sketches import LOOKED_AT
from leaderboard.services.tasks import locked
from leaderboard.store.models import ProbingFinding, ProbingReport, Run, RunSketch

MOST = 1000
"""So many findings are kept of a task at most, the strongest."""


def keep(
    session: Session,
    spec: TaskSpec,
    found: Collection[Found],
    fingerprint: str,
    reader: str | None,
    now: datetime,
) -> None:
    """Stores a report in place of the one before. A finding that is not there any more goes, unless somebody
    has looked at it: then it stays as gone. Raises UnknownTask."""
    task_id = locked(session, spec.name).id
    before = {
        row.key: row
        for row in session.scalars(select(ProbingFinding).where(ProbingFinding.task_id == task_id))
    }
    strongest = sorted(found, key=lambda each: ORDER[each.strength])[:MOST]
    there = {each.key for each in strongest}
    for each in strongest:
        _keep(session, task_id, each, before.get(each.key), now)
    for key, row in before.items():
        if key in there:
            continue
        if row.looked_at is None and not row.note:
            session.delete(row)
        else:
            row.gone_at = row.gone_at or now
    _report(session, task_id, fingerprint, reader, now)
    session.flush()


def _keep(session: Session, task_id: int, found: Found, row: ProbingFinding | None, now: datetime) -> None:
    about = {"teams": list(found.teams), "runs": list(found.runs)}
    if row is None:
        row = ProbingFinding(task_id=task_id, key=found.key, kind=found.kind, found_at=now, note="")
        row.about, row.strength, row.changed_at = about, found.strength, now
        session.add(row)
    elif row.about != about or row.strength != found.strength or row.gone_at is not None:
        row.about, row.strength, row.changed_at, row.gone_at = about, found.strength, now, None
    row.numbers = dict(found.numbers)


def _report(session: Session, task_id: int, fingerprint: str, reader: str | None, now: datetime) -> None:
    runs, teams = session.execute(
        select(func.count(), func.count(Run.team_id.distinct())).where(Run.task_id == task_id, *LOOKED_AT)
    ).one()
    unreadable = session.scalar(
        select(func.count())
        .select_from(RunSketch)
        .join(Run, Run.id == RunSketch.run_id)
        .where(Run.task_id == task_id, *LOOKED_AT, RunSketch.sketch.is_(None))
    )
    row = session.get(ProbingReport, task_id) or ProbingReport(task_id=task_id)
    row.fingerprint, row.computed_at, row.reads_runs = fingerprint, now, reader is not None
    row.runs, row.teams, row.unreadable = runs, teams, unreadable or 0
    session.add(row)
