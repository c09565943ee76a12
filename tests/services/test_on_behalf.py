"""Organisers submit runs for teams."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.contract import PhaseSpec
from leaderboard.services import on_behalf, queue, scoring_jobs
from leaderboard.services.audit import Actor
from leaderboard.services.on_behalf import NotYet, Upload
from leaderboard.services.rescoring import Transactions
from leaderboard.services.runs import Details, Submission
from leaderboard.services.submissions import Doing, EmptyFile, NoSlot
from leaderboard.services.team_moderation import UnknownTeam
from leaderboard.store.models import AuditEntry, Run
from tests.services.members import captain, draft, send, team_id
from tests.services.toy import NOON, TITLE, Toy

ACTOR = Actor(None, "web")


def submit(
    toy: Toy, team: int, *values: object, hours: float = 0, within: bool = False, **details: Any
) -> Submission:
    moment = NOON + timedelta(hours=hours)
    upload = Upload(draft(toy, *values), "sent.txt", team, moment, Details("", **details), within)
    transactions = Transactions(toy.database.reading, toy.database.writing)

    def clock() -> datetime:
        return moment

    job = scoring_jobs.job(transactions, toy.files, lambda _: (toy.spec, toy.scorer), clock)

    def do(job_id: int) -> None:
        queue.run(toy.database.writing, {scoring_jobs.JOB: job}, job_id, clock)

    return on_behalf.submit(
        transactions, toy.files, toy.spec, toy.scorer, upload, ACTOR, clock, Doing(do, do)
    )


@pytest.fixture
def tight(toy: Toy) -> Toy:
    """One run a team, until a day after noon."""
    phase = PhaseSpec("evaluation", TITLE, NOON - timedelta(days=1), NOON + timedelta(days=1), runs_in_all=1)
    toy.spec = replace(toy.spec, phases=(phase,))
    return toy.install()


def test_a_run_for_a_team_is_scored_and_the_log_says_who_sent_it(toy: Toy) -> None:
    team = team_id(toy, captain(toy, "a"))
    done = submit(toy, team, 0.1, 0.5, 0.9)
    assert dict(toy.lines("near")) == {"a": 1}
    with toy.database.reading() as session:
        (entry,) = session.scalars(select(AuditEntry).where(AuditEntry.subject_kind == "run"))
    assert (entry.action, entry.subject_id, entry.after["team"]) == ("run.submitted", str(done.run_id), "a")
    again = submit(toy, team, 0.1, 0.5, 0.9)
    assert (again.again, again.run_id) == (True, done.run_id)


def test_neither_quota_nor_deadline_bind_organisers_unless_they_want(tight: Toy) -> None:
    leader = captain(tight, "a")
    send(tight, leader, 0.1, 0.5, 0.9)
    team = team_id(tight, leader)
    with pytest.raises(NoSlot):
        submit(tight, team, 0.2, 0.5, 0.9, within=True)
    assert not submit(tight, team, 0.2, 0.5, 0.9).late
    assert submit(tight, team, 0.3, 0.5, 0.9, hours=30).late
    done = submit(tight, team, 0.4, 0.5, 0.9, hours=30, submitted_at=NOON)
    assert not done.late
    with tight.database.reading() as session:
        assert session.get_one(Run, done.run_id).submitted_at == NOON


def test_a_moment_to_come_is_refused(toy: Toy) -> None:
    team = team_id(toy, captain(toy, "a"))
    with pytest.raises(NotYet, match="2026-03-01 13:00 UTC"):
        submit(toy, team, 0.1, submitted_at=NOON + timedelta(hours=1))


def test_what_is_no_run_is_refused_and_a_faulty_one_is_recorded(toy: Toy) -> None:
    team = team_id(toy, captain(toy, "a"))
    with pytest.raises(EmptyFile):
        submit(toy, team)
    with pytest.raises(UnknownTeam):
        submit(toy, 999, 0.1)
    done = submit(toy, team, "x")
    assert (done.state, done.report.fault_count) == ("rejected", 1)
