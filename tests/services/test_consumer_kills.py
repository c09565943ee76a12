"""Consumers killed at random moments, and messages that are lost or come twice: every run is scored once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.catalog import load_scorer
from leaderboard.services import scoring_jobs, standing_jobs
from leaderboard.services.leases import LEASE
from leaderboard.services.queue import Deliver
from leaderboard.store.models import Job
from tests.services.consuming import jobs_of, utc_now
from tests.services.test_kills import check_runs, check_standings
from tests.services.toy import Toy, make_spec

REPOSITORY = Path(__file__).resolve().parents[2]

KILLS = int(
    os.environ.get("LEADERBOARD_KILLS", "40" if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else "1")
)
"""How many times a consumer is killed on each database."""

RUNS = 12
"""So many runs come between two kills."""


def consumer(toy: Toy, url: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.services.consuming", url, str(toy.folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def hand_in(toy: Toy, chance: random.Random, deliver: Deliver) -> set[int]:
    """Runs with their jobs, of whose messages some are lost and some come twice."""
    told = set()
    for _ in range(RUNS):
        values = [round(chance.random(), 6) for _ in range(3)]
        run_id = toy.submit(chance.choice("abcdef"), *values, minute=chance.randrange(1000)).run_id
        with toy.database.writing() as session:
            job_id = scoring_jobs.request(session, "toy", run_id, utc_now(), deliver)
        if chance.random() < 0.3:
            deliver(job_id)
        told.add(run_id)
    return told


def finish(toy: Toy) -> None:
    """What other consumers do once the leases of the dead ones have run out."""

    def later() -> datetime:
        return utc_now() + 4 * LEASE

    jobs = jobs_of(toy, load_scorer(toy.spec), later)
    jobs.sweep()
    with toy.database.writing() as session:
        standing_jobs.request_due(session, later(), jobs.deliver)
    jobs.drain()


@pytest.mark.slow
def test_every_run_is_scored_once_whoever_dies_and_whatever_is_lost(toy: Toy, database_url: str) -> None:
    toy.spec = make_spec(scorer=Path(__file__).with_name("poison.py"))
    chance = random.Random(20260701)
    told: set[int] = set()
    for _ in range(KILLS):
        jobs = jobs_of(toy, load_scorer(toy.spec), utc_now)

        def deliver(job_id: int, jobs: Deliver = jobs.deliver) -> None:
            if chance.random() < 0.7:
                jobs(job_id)

        process = consumer(toy, database_url)
        told |= hand_in(toy, chance, deliver)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.0, 1.5))
        assert process.poll() is None, "it must be busy until it is killed"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        finish(toy)
        check_runs(toy, told)
        check_standings(toy)
        with toy.database.reading() as session:
            assert {job.state for job in session.scalars(select(Job))} == {"done"}
