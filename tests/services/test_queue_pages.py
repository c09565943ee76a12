"""Where a run stands in the queue, as honestly as it can be said."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services import consumers, leases, queue, queue_pages, scoring_jobs
from leaderboard.services.queue_pages import Place
from leaderboard.store.models import Job
from tests.services.test_queue_order import with_other
from tests.services.toy import NOON, Toy


def place(toy: Toy, run_id: int) -> Place:
    with toy.database.reading() as session:
        found = queue_pages.place_of(session, run_id, NOON)
    assert found is not None
    return found


def job_of(session: Session, run_id: int) -> int:
    return session.scalars(select(Job.id).where(Job.run_id == run_id)).one()


def requested(toy: Toy, *teams: str) -> list[int]:
    runs = [toy.submit(team, 0.1, 0.5, 0.9).run_id for team in teams]
    with toy.database.writing() as session:
        for run_id in runs:
            scoring_jobs.request(session, "toy", run_id, NOON)
    return runs


def test_the_place_counts_who_comes_before_while_tasks_take_turns(toy: Toy) -> None:
    first, second, third = requested(with_other(toy), "a", "b", "c")
    with toy.database.writing() as session:
        for _ in range(2):
            queue.enqueue(session, "score", "other", {}, NOON)
    assert [place(toy, run_id).number for run_id in (first, second, third)] == [2, 4, 5]
    assert place(toy, first).seconds is None, "nobody works, and nothing was scored yet"


def test_the_estimate_goes_by_the_last_runs_and_by_who_works(toy: Toy) -> None:
    done, _, last = requested(toy, "a", "b", "c")
    with toy.database.writing() as session:
        taken = queue.take(session, job_of(session, done), NOON)
        assert taken is not None
        leases.finish(session, taken, {}, NOON + timedelta(seconds=30))
        consumers.arrive(session, "here", 1, 1, NOON)
    assert (place(toy, last).number, place(toy, last).seconds) == (2, 60)


def test_what_is_being_done_is_part_of_the_estimate(toy: Toy) -> None:
    done, running, waiting = requested(toy, "a", "b", "c")
    with toy.database.writing() as session:
        taken = queue.take(session, job_of(session, done), NOON - timedelta(seconds=100))
        assert taken is not None
        leases.finish(session, taken, {}, NOON)
        consumers.arrive(session, "here", 1, 1, NOON)
        assert queue.take(session, job_of(session, running), NOON - timedelta(seconds=10)) is not None
    assert (place(toy, waiting).number, place(toy, waiting).seconds) == (1, 90 + 100)


def test_a_run_that_an_outage_keeps_waiting_is_not_said_to_be_next(toy: Toy) -> None:
    (run_id,) = requested(toy, "a")
    with toy.database.writing() as session:
        taken = queue.take(session, job_of(session, run_id), NOON)
        assert taken is not None
        leases.put_off(session, taken, say("The storage refuses."), NOON)
    found = place(toy, run_id)
    assert (found.again_at, found.attempt) == (NOON + leases.OUTAGE, 1)


def test_a_run_that_is_tried_again_says_when(toy: Toy) -> None:
    (run_id,) = requested(toy, "a")
    with toy.database.writing() as session:
        taken = queue.take(session, job_of(session, run_id), NOON)
        assert taken is not None
        assert queue_pages.place_of(session, run_id, NOON).running  # type: ignore[union-attr]
        leases.fail(session, taken, say("the disk is full"), NOON)
    found = place(toy, run_id)
    assert (found.again_at, found.attempt, found.many) == (NOON + leases.BACK_OFF, 2, 3)


def test_organisers_see_all_that_waits_and_what_failed(toy: Toy) -> None:
    requested(with_other(toy), "a", "b")
    failed = toy.enter("c", 666)
    with toy.database.writing() as session:
        queue.enqueue(session, "score", "other", {}, NOON)
        job_id = queue.enqueue(session, "rescore", "toy", {}, NOON)
        taken = queue.take(session, job_id, NOON)
        assert taken is not None
        leases.give_up(session, taken, say("There is no gold."), NOON)
        found = queue_pages.show(session, toy.spec, NOON)
    assert [line.team for line in found.lines] == ["a", "b"]
    assert (found.waiting, found.running, found.of_others) == (2, 0, 1)
    assert [each.run_id for each in found.failed_runs] == [failed]
    assert [str(line.error) for line in found.failed_jobs] == ["There is no gold."]
