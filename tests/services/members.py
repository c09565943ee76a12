"""People in teams, for tests of what teams do."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from leaderboard.services import queue, scoring_jobs, submissions, teams
from leaderboard.services.rescoring import Transactions
from leaderboard.services.runs import Details, Submission
from leaderboard.services.submissions import Doing, Upload
from leaderboard.services.teams import Named
from leaderboard.store.models import User
from tests.services.toy import NOON, Toy


def person(toy: Toy) -> int:
    """A confirmed account."""
    with toy.database.writing() as session:
        user = User(
            email=f"{uuid.uuid4().hex}@example.org",
            fs_uniquifier=uuid.uuid4().hex,
            created_at=NOON,
            confirmed_at=NOON,
        )
        session.add(user)
        session.flush()
        return user.id


def captain(toy: Toy, team: str) -> int:
    """A person who has made a team of that name."""
    user_id = person(toy)
    with toy.database.writing() as session:
        teams.found(session, toy.spec, user_id, Named(team), NOON)
    return user_id


def team_id(toy: Toy, user_id: int) -> int:
    with toy.database.reading() as session:
        page = teams.of_person(session, toy.spec, user_id, NOON)
    assert page is not None
    return page.team_id


def draft(toy: Toy, *values: object) -> Path:
    path = toy.files.kept.draft()
    path.write_text("".join(f"{value}\n" for value in values))
    return path


def send(toy: Toy, user_id: int, *values: object, hours: float = 0, **details: Any) -> Submission:
    """Sends a run so many hours after noon, as a member of a team does, and has it scored."""
    moment = NOON + timedelta(hours=hours)
    upload = Upload(draft(toy, *values), "my run.txt", user_id, moment, Details("", **details))
    transactions = Transactions(toy.database.reading, toy.database.writing)

    def clock() -> datetime:
        return moment

    job = scoring_jobs.job(transactions, toy.files, lambda _: (toy.spec, toy.scorer), clock)

    def do(job_id: int) -> None:
        queue.run(toy.database.writing, {scoring_jobs.JOB: job}, job_id, clock)

    doing = Doing(now=do, later=do)
    return submissions.submit(transactions, toy.files, toy.spec, toy.scorer, upload, clock, doing)
