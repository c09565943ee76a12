"""A consumer on another host whose store of objects refuses while it scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import runs, scoring_jobs
from leaderboard.services.leases import ATTEMPTS
from leaderboard.site import Site, utc_now
from leaderboard.store.models import Job, Run
from tests.databases import fresh_sqlite
from tests.faults.checks import come_to_rest, toy_of
from tests.faults.gate import Gate
from tests.faults.running import SOAK, Running
from tests.processes import until
from tests.services.test_kills import check_runs, check_standings
from tests.store.objects import s3_server

PERIODS = ATTEMPTS + 2
"""So often a job is seen to wait for the store: more often than it has attempts."""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Before a store of objects with a bucket, which the environment names."""
    with s3_server() as s3:
        made = Gate(s3.url)
        s3.url = made.url
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        s3.make_bucket()
        yield made
        made.close()


def submit(running: Running, site: Site) -> int:
    path = running.write("run.txt", 0.1, 0.5, 0.8)
    spec, scorer = site.task("toy")
    with site.database.writing() as session:
        run_id = runs.submit(session, site.files, spec, scorer, path, runs.Details("a"), utc_now()).run_id
        scoring_jobs.request(session, "toy", run_id, utc_now(), site.jobs.deliver)
    return run_id


def waits_until(site: Site) -> tuple[str | None, int]:
    """Until when the job waits for the store, and how many attempts it has used up."""
    with site.database.reading() as session:
        job = session.scalars(select(Job).where(Job.kind == scoring_jobs.JOB)).one()
        why = str(job.error)
        waits = job.state == "waiting" and "StorageUnavailable" in why
        return (str(job.not_before) if waits else None), job.attempts


@pytest.mark.slow
@pytest.mark.skipif(not SOAK, reason="make soak: takes a minute")
def test_a_run_whose_file_cannot_be_fetched_for_long_is_scored_in_the_end(gate: Gate, tmp_path: Path) -> None:
    running = Running(tmp_path / "site", storage_url="s3://leaderboard/site")
    fresh_sqlite(running.settings.instance)
    running.ready()
    site = running.open()
    run_id = submit(running, site)
    gate.mode = "busy"
    running.consume(1)
    try:
        seen: set[str | None] = set()

        def seen_often() -> bool:
            seen.add(waits_until(site)[0])
            return len(seen - {None}) >= PERIODS

        assert until(seen_often, patience=300.0, pause=0.5), running.log.read_text()
        assert waits_until(site)[1] <= 1, "none but the present one"
        gate.mode = "open"
        come_to_rest(running)
        check_runs(toy_of(running, site), {run_id})
        check_standings(toy_of(running, site))
        with site.database.reading() as session:
            assert session.get_one(Run, run_id).attempts == 1
    finally:
        running.stop()
        site.close()
