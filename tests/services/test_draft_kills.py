"""Drafts whose processes are killed at random moments: the old state or the new one, and the work goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from leaderboard.services import drafts, queue, rescoring
from leaderboard.store.models import AuditEntry, Draft, GoldVersion, Job, Letter, News, Run, Score, Standing
from tests.services.drafting import apply, clock, job, make, page, ready
from tests.services.members import captain
from tests.services.test_kills import REPOSITORY, check_standings
from tests.services.toy import NOON, Toy

KILLS = int(
    os.environ.get("LEADERBOARD_KILLS", "20" if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else "1")
)
"""How many times each kind of process is killed on each database."""

RUNS = 24 if KILLS > 1 else 10


def submit_runs(toy: Toy, count: int = RUNS) -> None:
    chance = random.Random(3)
    captain(toy, "team 0")
    for number in range(count):
        values = [round(chance.random(), 3) for _ in range(3)]
        toy.submit(f"team {number}", *values, minute=number)
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)
    rescoring.finish_pending(transactions, toy.files, toy.spec, toy.scorer, clock, rescoring.unwatched)


def killed(toy: Toy, url: str, what: str, number: int, seconds: float) -> None:
    """Lets a process work for so long and kills it, unless it has finished by then."""
    command = [sys.executable, "-m", "tests.services.busy_drafts", url, str(toy.folder), what, str(number)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode in (0, -signal.SIGKILL)


def take_up_again(toy: Toy) -> None:
    """What a consumer does once the lease of a dead one has run out."""
    later = NOON + 2 * queue.LEASE
    with toy.database.writing() as session:
        found = queue.sweep(session, later)
    for job_id in found:
        queue.run(toy.database.writing, {drafts.JOB: job(toy)}, job_id, lambda: later + timedelta(seconds=1))


def standing(toy: Toy) -> list[tuple[object, ...]]:
    """All that an applied draft changes."""
    with toy.database.reading() as session:
        lines = select(Standing.board_id, Standing.position, Standing.team_id, Standing.value)
        found: list[tuple[object, ...]] = [tuple(row) for row in session.execute(lines.order_by(Standing.id))]
        found += [tuple(row) for row in session.execute(select(GoldVersion.id, GoldVersion.state))]
        found += [tuple(row) for row in session.execute(select(Draft.number, Draft.state, Draft.ended_at))]
        for table in (AuditEntry, News, Letter):
            found.append((table.__name__, session.scalar(select(func.count()).select_from(table))))
    return found


@pytest.mark.slow
def test_a_draft_whose_scoring_is_killed_is_finished_by_the_next_consumer(
    toy: Toy, database_url: str
) -> None:
    submit_runs(toy)
    chance = random.Random(20261130)
    for _ in range(KILLS):
        made = make(toy, tuple(round(chance.random(), 3) for _ in range(3)))
        before = standing(toy)
        killed(toy, database_url, "score", made.job_id, chance.uniform(0.0, 0.6))
        state = page(toy, made.number).draft.state
        assert state in ("scoring", "ready")
        assert state == "ready" or standing(toy) == before
        take_up_again(toy)
        found = page(toy, made.number)
        assert (found.draft.state, found.behind) == ("ready", 0)
        with toy.database.reading() as session:
            assert session.get_one(Job, made.job_id).state == "done"
            versions = session.get_one(Draft, made.draft_id).versions.values()
            counts = session.execute(
                select(Score.run_id, func.count())
                .where(Score.gold_version_id.in_(versions))
                .group_by(Score.run_id)
            ).all()
        assert [count for _, count in counts] == [2] * RUNS
        check_standings(toy)


@pytest.mark.slow
def test_a_draft_whose_applying_is_killed_is_applied_wholly_or_not_at_all(
    toy: Toy, database_url: str
) -> None:
    submit_runs(toy)
    chance = random.Random(20261201)
    for _ in range(KILLS):
        made = ready(toy, tuple(round(chance.random(), 3) for _ in range(3)))
        before = standing(toy)
        killed(toy, database_url, "apply", made.number, chance.uniform(0.0, 0.25))
        after = standing(toy)
        applied = page(toy, made.number).draft.state == "applied"
        assert applied or after == before
        with toy.database.reading() as session:
            versions = list(session.get_one(Draft, made.draft_id).versions.values())
            states = set(session.scalars(select(GoldVersion.state).where(GoldVersion.id.in_(versions))))
            told = session.scalar(
                select(func.count()).where(
                    AuditEntry.action == "draft.applied", AuditEntry.subject_id == str(made.number)
                )
            )
            assert session.scalar(select(func.count()).select_from(Run).where(Run.state == "scored")) == RUNS
        assert states == ({"active"} if applied else {"draft"})
        assert told == int(applied)
        check_standings(toy)
        if not applied:
            apply(toy, made.number)
            check_standings(toy)
