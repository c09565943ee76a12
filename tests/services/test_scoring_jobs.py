"""Runs that are scored one after the other, and the rankings behind them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.services import (
    analysing,
    consumers,
    job_pages,
    leases,
    queue,
    run_pages,
    scoring_jobs,
    standing_jobs,
    standings,
)
from leaderboard.services.leases import LeaseLost
from leaderboard.services.queue import JobFunction
from leaderboard.services.rescoring import Transactions
from leaderboard.services.work import Work
from leaderboard.store.models import Job, Run, Score, Task
from tests.services.toy import NOON, Toy


@pytest.fixture
def scorable(toy: Toy) -> Toy:
    toy.install_gold()
    return toy


def wait(toy: Toy, *teams: str) -> list[int]:
    """A run of each team waits, with a job that aims at it."""
    found = []
    for number, team in enumerate(teams):
        run_id = toy.submit(team, 0.1, 0.5, 0.9 - number / 10).run_id
        with toy.database.writing() as session:
            found.append(scoring_jobs.request(session, "toy", run_id, NOON))
    return found


def functions(toy: Toy, now: datetime = NOON) -> dict[str, JobFunction]:
    parts: Any = (
        Transactions(toy.database.reading, toy.database.writing),
        toy.files,
        lambda _name: (toy.spec, toy.scorer),
        lambda: now,
    )
    return {each.JOB: each.job(*parts) for each in (scoring_jobs, standing_jobs)}


def work_off(toy: Toy, number: int, now: datetime = NOON) -> list[str | None]:
    both = (toy.database.reading, toy.database.writing)
    return [queue.run_next(both, functions(toy, now), lambda: now) for _ in range(number)]


def is_behind(toy: Toy) -> bool:
    with toy.database.reading() as session:
        return standings.due(session, toy.spec)


def first_place_and_reason(toy: Toy) -> tuple[int | None, str]:
    with toy.database.reading() as session:
        run_id = session.scalars(select(Run.id).order_by(Run.id).limit(1)).one()
        result = run_pages.show(session, toy.spec, run_id).results[0]
    return result.place, str(result.reason)


def differs_from_a_fresh_computation(toy: Toy) -> int:
    with toy.database.writing() as session:
        return standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)


def test_of_many_runs_in_a_row_the_last_brings_the_rankings_up_to_date(scorable: Toy) -> None:
    wait(scorable, "a", "b", "c")
    assert work_off(scorable, 2) == ["done", "done"]
    assert is_behind(scorable)
    soon = "The ranking does not have this run yet; it is brought up to date in a moment."
    assert first_place_and_reason(scorable) == (None, soon)
    assert work_off(scorable, 2) == ["done", None]
    assert not is_behind(scorable)
    assert first_place_and_reason(scorable) == (1, "None")
    assert differs_from_a_fresh_computation(scorable) == 0


def test_rankings_do_not_wait_for_long_where_a_run_takes_long(scorable: Toy) -> None:
    _, loops = wait(scorable, "a", "b")
    with scorable.database.writing() as session:
        assert queue.take(session, loops, NOON) is not None
    assert work_off(scorable, 1) == ["done"]
    assert is_behind(scorable)
    with scorable.database.writing() as session:
        assert standing_jobs.needs(session, NOON)
        assert len(standing_jobs.request_due(session, NOON)) == 1
        assert not standing_jobs.needs(session, NOON)
    assert work_off(scorable, 1) == ["done"]
    assert not is_behind(scorable)
    assert differs_from_a_fresh_computation(scorable) == 0


def test_rankings_wait_neither_for_a_row_of_runs_nor_for_long_work_beside_it(scorable: Toy) -> None:
    wait(scorable, "a", "b", "c")
    with scorable.database.writing() as session:
        long_work = queue.enqueue(session, analysing.JOB, "toy", {}, NOON)
        assert queue.take(session, long_work, NOON) is not None
    assert work_off(scorable, 1) == ["done"]
    assert is_behind(scorable)
    with scorable.database.writing() as session:
        assert len(standing_jobs.request_due(session, NOON)) == 1
    assert work_off(scorable, 1) == ["done"]
    assert not is_behind(scorable)
    with scorable.database.reading() as session:
        assert len(session.scalars(select(Run).where(Run.state == "received")).all()) == 2
    assert work_off(scorable, 3) == ["done", "done", None]
    assert differs_from_a_fresh_computation(scorable) == 0


def test_between_two_rankings_that_take_long_runs_are_scored(scorable: Toy) -> None:
    later = NOON + timedelta(minutes=1)
    with scorable.database.writing() as session:
        standings.mark_due(session.scalars(select(Task)).one())
        (job_id,) = standing_jobs.request_due(session, NOON)
        row = session.get_one(Job, job_id)
        row.state, row.finished_at = "done", later
    with scorable.database.reading() as session:
        assert not standing_jobs.needs(session, later + timedelta(seconds=1))
        assert standing_jobs.needs(session, later + standing_jobs.OFTEN)


def test_rankings_that_cannot_be_brought_up_to_date_are_not_tried_all_the_time(scorable: Toy) -> None:
    with scorable.database.writing() as session:
        standings.mark_due(session.scalars(select(Task)).one())
        (job_id,) = standing_jobs.request_due(session, NOON)
        session.get_one(Job, job_id).state = "failed"
    with scorable.database.reading() as session:
        assert not standing_jobs.needs(session, NOON + timedelta(minutes=1))
        assert standing_jobs.needs(session, NOON + standing_jobs.FAILED)


def test_a_run_that_is_tried_again_later_holds_up_no_ranking(scorable: Toy) -> None:
    _, poison = wait(scorable, "a", "b")
    with scorable.database.writing() as session:
        row = session.get_one(Job, poison)
        row.attempts, row.not_before = 1, NOON + timedelta(minutes=1)
    assert work_off(scorable, 1) == ["done"]
    assert not is_behind(scorable)


def while_its_sender_waits(toy: Toy, job_id: int) -> str | None:
    """Does a job in the request that sent the run."""
    return queue.run(toy.database.writing, functions(toy), job_id, lambda: NOON)


def test_a_run_that_nobody_will_score_holds_up_no_ranking(scorable: Toy) -> None:
    small, _ = wait(scorable, "a", "b")
    assert while_its_sender_waits(scorable, small) == "done"
    assert not is_behind(scorable)
    assert first_place_and_reason(scorable) == (1, "None")


def test_rankings_are_left_to_the_consumer_that_scores_what_waits(scorable: Toy) -> None:
    small, _ = wait(scorable, "a", "b")
    with scorable.database.writing() as session:
        consumers.arrive(session, "host", 1, 1, NOON)
    assert while_its_sender_waits(scorable, small) == "done"
    assert is_behind(scorable)
    assert work_off(scorable, 1) == ["done"]
    assert not is_behind(scorable)


def test_of_senders_that_wait_at_once_the_last_brings_the_rankings_up_to_date(scorable: Toy) -> None:
    jobs = []
    for team in "abc":
        run_id = scorable.submit(team, 0.1, 0.5, 0.9).run_id
        with scorable.database.writing() as session:
            jobs.append(scoring_jobs.reserve(session, "toy", run_id, NOON))
    behind = []
    for job_id in jobs:
        assert while_its_sender_waits(scorable, job_id) == "done"
        behind.append(is_behind(scorable))
    assert behind == [True, True, False]


def test_scores_and_the_end_of_the_job_are_written_together_or_not_at_all(
    scorable: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job_id,) = wait(scorable, "a")
    finish: Callable[..., str] = leases.finish

    def taken_meanwhile(session: Any, taken: Any, result: Any, now: Any) -> str:
        finish(session, taken, result, now)
        raise LeaseLost

    monkeypatch.setattr(leases, "finish", taken_meanwhile)
    registry = functions(scorable)
    assert queue.run(scorable.database.writing, registry, job_id, lambda: NOON) is None
    with scorable.database.reading() as session:
        assert session.scalars(select(Score.id)).all() == []
        assert job_pages.show(session, job_id).state == "running"


def test_a_job_that_wrote_its_end_is_not_ended_again(scorable: Toy) -> None:
    with scorable.database.writing() as session:
        job_id = queue.enqueue(session, "greet", "toy", {}, NOON)

    def greet(work: Work) -> dict[str, str]:
        with work.transaction() as session:
            work.finish(session, {"said": "hello"})
        return {"said": "something else"}

    assert queue.run(scorable.database.writing, {"greet": greet}, job_id, lambda: NOON) == "done"
    with scorable.database.reading() as session:
        assert job_pages.show(session, job_id).result == {"said": "hello"}
