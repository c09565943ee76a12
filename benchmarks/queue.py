"""A queue that is full beforehand, worked through by one consumer and by two.

Consumers are processes as users start them (``worker``), each with one of its own that scores. Two share
this machine with the database; where it has two cores, twice the speed cannot be had. How much two processes
compute together that share nothing is printed beside it: two cores may be halves of one.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchmarks.rescoring import new_run
from benchmarks.sites import Installed, consuming, installed, until
from benchmarks.variations import variations
from leaderboard.services import scoring_jobs, tasks
from leaderboard.site import utc_now
from leaderboard.store import queries
from leaderboard.store.models import Job, Run, Team

RUNS = 400
"""Half of them of RUSSE, half of CAsT."""

COUNTED = 50_000_000

LONGEST = 900.0
"""So many seconds one measurement may take."""


@dataclass(frozen=True)
class Worked:
    """Runs a second between the first that was scored and the last; the seconds from the moment the queue
    was full until it was empty; and whether all were scored."""

    rate: float
    seconds: float
    scored: int
    runs: int


def run(runs: int = RUNS, data: Path | None = None) -> None:
    """Measures with one consumer and with two, and prints."""
    found = {}
    for consumers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            found[consumers] = measure(Path(folder), consumers, runs, data)
    print(f"\nA queue of {runs} runs, RUSSE and CAsT by turns")
    print(f"  two processes that only count do {_room():.2f} × as much as one")
    for consumers, worked in found.items():
        print(
            f"  {consumers} consumer{'s' if consumers > 1 else ' '}  {worked.rate:>7.1f} runs/s"
            f"  {worked.rate / found[1].rate:>5.2f} ×  {worked.seconds:>7.1f} s from full to empty,"
            f" {worked.scored} of {worked.runs} scored"
        )


def _room() -> float:
    together = multiprocessing.get_context("spawn").Pool(2)
    with together as pool:
        pool.map(_counted, [1, 1], chunksize=1)
        alone = pool.apply(_counted, (COUNTED,))
        both = pool.map(_counted, [COUNTED, COUNTED], chunksize=1)
    return sum(alone / each for each in both)


def _counted(most: int) -> float:
    """The seconds it takes to count so far."""
    began = time.perf_counter()
    for _ in range(most):
        pass
    return time.perf_counter() - began


def measure(folder: Path, consumers: int, runs: int, data: Path | None = None) -> Worked:
    """Fills the queue of a new installation and has consumers work it off."""
    with ExitStack() as stack:
        there = stack.enter_context(installed(folder, data))
        files = _keep(there, runs)
        stack.enter_context(consuming(there, consumers))
        _fill(there, files)
        full = time.monotonic()
        until(lambda: _waiting(there) == 0, LONGEST, "an empty queue")
        return _worked(there, time.monotonic() - full)


def _keep(there: Installed, runs: int) -> list[tuple[str, str, int]]:
    """Task, hash and size of files that are kept already."""
    ways = [(each.spec.name, variations(each)) for each in there.exhibits]
    kept = []
    for number in range(runs):
        task, files = ways[number % len(ways)]
        stored = there.site.files.kept.put(BytesIO(next(files)))
        kept.append((task, stored.file_hash, stored.size))
    return kept


def _fill(there: Installed, files: list[tuple[str, str, int]]) -> None:
    """Each run by a team of its own, all of them waiting from one moment on."""
    with there.site.database.writing() as session:
        for number, (task, file_hash, size) in enumerate(files):
            run_id = _run(session, task, number, file_hash, size)
            scoring_jobs.request(session, task, run_id, utc_now(), there.site.jobs.deliver)


def _run(session: Session, task: str, number: int, file_hash: str, size: int) -> int:
    task_id, now = tasks.known(session, task).id, utc_now()
    team = Team(task_id=task_id, name=f"team {number}", created_at=now)
    session.add(team)
    session.flush()
    phase_id = queries.phases_of(session, task_id)[0].id
    row = new_run(task_id, phase_id, team.id, file_hash, now)
    row.size = size
    session.add(row)
    session.flush()
    return row.id


def _waiting(there: Installed) -> int:
    with there.site.database.reading() as session:
        unfinished = select(func.count()).select_from(Job).where(Job.state.in_(("waiting", "running")))
        return session.scalar(unfinished) or 0


def _worked(there: Installed, seconds: float) -> Worked:
    with there.site.database.reading() as session:
        first, last, scored = session.execute(
            select(func.min(Run.scored_at), func.max(Run.scored_at), func.count()).where(
                Run.state == "scored"
            )
        ).one()
        whole = session.scalar(select(func.count()).select_from(Run)) or 0
    between = (last - first).total_seconds() if first and last else 0.0
    return Worked((scored - 1) / between if between else 0.0, seconds, scored, whole)
