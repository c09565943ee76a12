"""Two consumers on two hosts with PostgreSQL alone: neither Redis nor a file of the queue that both see."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.engine import URL

from leaderboard.config import from_environment
from leaderboard.services import consumers, runs, scoring_jobs
from leaderboard.site import Site, utc_now
from leaderboard.store.models import Job, Run
from tests.databases import emptying, postgresql_schema
from tests.faults.checks import come_to_rest, toy_of
from tests.faults.running import SOAK, Running
from tests.processes import until
from tests.services.test_kills import check_runs, check_standings

__all__ = ["postgresql_schema"]

RUNS, TEAMS = 200, 50


@pytest.fixture
def site(postgresql_schema: URL, tmp_path: Path) -> Running:
    url = postgresql_schema.render_as_string(hide_password=False)
    settings = from_environment({"DATABASE_URL": url})
    assert settings.queue_url == url, "where nothing else is said, the queue is there too"
    files = (tmp_path / "files").as_uri()
    made = Running(tmp_path / "site", database_url=url, queue_url=url, storage_url=files)
    opened = made.open()
    with opened.database.writing() as session:
        session.connection().exec_driver_sql(";\n".join(emptying()))
    opened.close()
    made.ready()
    return made


def present(site: Site) -> int:
    with site.database.reading() as session:
        return len(consumers.present(session, utc_now()))


def submit(running: Running, site: Site) -> None:
    """Runs of many teams, left to the queue all at once."""
    chance = random.Random(9)
    spec, scorer = site.task("toy")
    for number in range(RUNS):
        path = running.write(f"runs/{number}.txt", *(round(chance.random(), 6) for _ in range(3)))
        with site.database.writing() as session:
            details = runs.Details(f"team {number % TEAMS}")
            run_id = runs.submit(session, site.files, spec, scorer, path, details, utc_now()).run_id
            scoring_jobs.request(session, "toy", run_id, utc_now(), site.jobs.deliver)


@pytest.mark.slow
@pytest.mark.skipif(not SOAK, reason="make soak; two consumers that share PostgreSQL are in test_faults too")
def test_two_workers_on_postgresql_alone_score_everything_once(site: Running) -> None:
    opened = site.open()
    try:
        site.consume(2)
        assert until(lambda: present(opened) == 2), site.log.read_text()
        submit(site, opened)
        come_to_rest(site)
        with opened.database.reading() as session:
            jobs = select(Job.state, func.count()).where(Job.kind == scoring_jobs.JOB).group_by(Job.state)
            assert [tuple(row) for row in session.execute(jobs)] == [("done", RUNS)]
            assert session.scalars(select(Run.attempts)).all() == [1] * RUNS
        check_runs(toy_of(site, opened), set())
        check_standings(toy_of(site, opened))
        assert not list(site.folder.rglob("queue.db"))
    finally:
        site.stop()
        opened.close()
