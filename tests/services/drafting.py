"""Drafts of the toy task's gold, for tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import select

from leaderboard.services import draft_applying, draft_jobs, draft_pages, drafts, queue, standings
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.draft_pages import DraftPage
from leaderboard.services.drafts import Made
from leaderboard.services.rescoring import Transactions
from leaderboard.services.tables import Table
from leaderboard.store import queries
from leaderboard.store.models import Job
from tests.services.toy import NOON, Toy

TURNED = (0.9, 0.5, 0.1)
"""Gold of the track `near` that turns its ranking round."""


def make(toy: Toy, near: tuple[object, ...] = TURNED, actor: Actor = SHELL) -> Made:
    """A draft with other gold for the track `near`."""
    path = toy.write("drafted/near.txt", *near)
    with toy.database.writing() as session:
        return drafts.make(
            session, toy.files, toy.spec, toy.scorer, {"near": path}, "gold", "try it", actor, NOON
        )


def job(toy: Toy, **options: Any) -> queue.JobFunction:
    transactions = Transactions(toy.database.reading, toy.database.writing)
    return draft_jobs.job(transactions, toy.files, lambda _: (toy.spec, toy.scorer), clock, **options)


def clock() -> datetime:
    return NOON


def work(toy: Toy, job_id: int, **options: Any) -> str | None:
    """Does a job as a consumer does; returns the state it ends in."""
    return queue.run(toy.database.writing, {drafts.JOB: job(toy, **options)}, job_id, clock)


def ready(toy: Toy, near: tuple[object, ...] = TURNED) -> Made:
    """A draft on which all runs are scored."""
    made = make(toy, near)
    assert work(toy, made.job_id) == "done"
    return made


def apply(toy: Toy, number: int, actor: Actor = SHELL, url: str = "") -> None:
    with toy.database.writing() as session:
        draft_applying.apply(session, toy.spec, toy.scorer, number, actor, NOON, url)


def discard(toy: Toy, number: int) -> None:
    with toy.database.writing() as session:
        drafts.discard(session, toy.spec, number, SHELL, NOON)


def page(toy: Toy, number: int) -> DraftPage:
    with toy.database.reading() as session:
        return draft_pages.show(session, toy.spec, number)


def tables(toy: Toy) -> list[Table]:
    """All boards, computed afresh."""
    with toy.database.reading() as session:
        task = queries.task_named(session, toy.spec.name)
        assert task is not None
        return [
            table
            for phase in queries.phases_of(session, task.id)
            for table in standings.compute(session, toy.spec, toy.scorer.VERSION, phase.id)
        ]


def last_job(toy: Toy) -> int:
    with toy.database.reading() as session:
        return session.scalars(select(Job.id).order_by(Job.id.desc())).first() or 0
