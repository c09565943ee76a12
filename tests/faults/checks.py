"""What must hold once a site has come to rest after a fault."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from leaderboard.services import scoring, standings
from leaderboard.site import Site
from leaderboard.store.files import ORPHAN_AGE
from leaderboard.store.models import Job, Run, Team
from tests.faults.running import RUNS, Running
from tests.faults.senders import Wave
from tests.processes import until
from tests.services.test_kills import check_runs, check_standings
from tests.services.toy import Toy

_FAILED = Job.state == "failed"

REST = 150.0
"""Within so many seconds all is scored: a dead consumer's jobs are taken over, a second attempt is made."""


def come_to_rest(running: Running) -> None:
    """Waits until nothing is to be done any more."""
    site = running.open()
    try:
        assert until(lambda: _is_at_rest(site), REST, pause=1.0), (
            _what_is_left(site) + running.log.read_text()[-4000:]
        )
    finally:
        site.close()


def check(running: Running, waves: Iterable[Wave]) -> None:
    """Every acknowledged upload is there and scored once, quotas are right, nothing is half, and the
    standings are those of a fresh computation."""
    site = running.open()
    try:
        toy = toy_of(running, site)
        told = {number for wave in waves for team in wave.teams for number in team.acknowledged.values()}
        check_runs(toy, told)
        check_standings(toy)
        for wave in waves:
            _check_quotas(site, wave)
        with site.database.reading() as session:
            # New ones may come by the clock, for intervals of boards.
            failed = [(job.kind, str(job.error)) for job in session.scalars(select(Job).where(_FAILED))]
            assert failed == [], failed
        _check_folders(site, running.folder)
    finally:
        site.close()


def toy_of(running: Running, site: Site) -> Toy:
    """The site as tests of the services know it."""
    toy = Toy(site.database, running.folder, site.catalog.find("toy"))
    toy.files = site.files
    return toy


def _check_quotas(site: Site, wave: Wave) -> None:
    """Each team has sent more than it may: as many runs as it may count, and it was told of each."""
    for team in wave.teams:
        with site.database.reading() as session:
            rows = session.execute(
                select(Run.file_hash, Run.id).join(Team, Team.id == Run.team_id).where(Team.name == team.name)
            )
            found = {file_hash: number for file_hash, number in rows}  # noqa: C416 - a result has keys(), so dict() would take it for a mapping
        assert found == team.acknowledged, (found, team)
        assert len(found) == RUNS, (found, team)


def _check_folders(site: Site, folder: Path) -> None:
    """What killed processes left is removed when its time has come, and nothing else was left."""
    site.files.sweep(time.time() + ORPHAN_AGE + 60)
    for incoming in folder.rglob("incoming"):
        if site.settings.instance in incoming.parents:
            assert list(incoming.iterdir()) == []


def _is_at_rest(site: Site) -> bool:
    try:
        return _has_nothing_to_do(site)
    except OperationalError:
        # PostgreSQL may notice only now that one of its processes was killed.
        return False


def _has_nothing_to_do(site: Site) -> bool:
    with site.database.reading() as session:
        spec = site.spec(session, "toy")
        live = select(func.count()).select_from(Job).where(Job.state.in_(("waiting", "running")))
        return (
            not session.scalar(live)
            and not scoring.pending(session, spec)
            and not standings.due(session, spec)
        )


def _what_is_left(site: Site) -> str:
    with site.database.reading() as session:
        spec = site.spec(session, "toy")
        jobs = [
            (job.id, job.kind, job.state, job.attempts, job.not_before, str(job.error))
            for job in session.scalars(select(Job).where(Job.state != "done"))
        ]
        return f"{jobs} {scoring.pending(session, spec)} {standings.due(session, spec)}\n"
