"""Background work: once in effect, however often it is delivered and whoever dies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from leaderboard.contract import say
from leaderboard.services import job_pages, queue, rescoring
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import LEASE, LeaseLost, Work
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def enqueue(database: Database, kind: str = "count", deliver: queue.Deliver | None = None) -> int:
    with database.writing() as session:
        return queue.enqueue(session, kind, None, {"to": 3}, NOON, deliver)


def page(database: Database, job_id: int) -> job_pages.JobPage:
    with database.reading() as session:
        return job_pages.show(session, job_id)


def sweep(database: Database, clock: Clock) -> tuple[int, ...]:
    with database.writing() as session:
        return queue.sweep(session, clock())


def count(work: Work) -> Mapping[str, Any]:
    for number in range(work.arguments["to"]):
        work.progress(number, work.arguments["to"])
    return {"counted": work.arguments["to"]}


def broken(_work: Work) -> Mapping[str, Any]:
    raise OSError("the disk is full")


def run(database: Database, clock: Clock, job_id: int, function: queue.JobFunction = count) -> str | None:
    return queue.run(database.writing, {"count": function}, job_id, clock)


def test_a_job_is_done_and_keeps_its_result(database: Database, clock: Clock) -> None:
    job_id = enqueue(database)
    assert run(database, clock, job_id) == "done"
    done = page(database, job_id)
    assert (done.state, done.result, done.attempts, done.error) == ("done", {"counted": 3}, 1, None)


def test_a_job_delivered_twice_is_done_once(database: Database, clock: Clock) -> None:
    job_id = enqueue(database)
    assert [run(database, clock, job_id), run(database, clock, job_id)] == ["done", None]


def test_a_job_in_somebodys_hands_is_left_alone(database: Database, clock: Clock) -> None:
    job_id = enqueue(database)
    inner: list[str | None] = []

    def meanwhile(_work: Work) -> Mapping[str, Any]:
        inner.append(run(database, clock, job_id))
        return {}

    assert run(database, clock, job_id, meanwhile) == "done"
    assert inner == [None]


def test_a_job_that_breaks_off_is_tried_again_later_and_fails_in_the_end(
    database: Database, clock: Clock
) -> None:
    job_id = enqueue(database)
    states = []
    for seconds in (0, 10, 60):
        assert seconds == 0 or run(database, clock, job_id, broken) is None, "it must wait"
        clock.move(seconds=seconds)
        states.append(run(database, clock, job_id, broken))
    assert states == ["waiting", "waiting", "failed"]
    assert "the disk is full" in str(page(database, job_id).error)
    clock.move(days=1)
    assert run(database, clock, job_id, broken) is None
    assert sweep(database, clock) == ()


def test_what_a_service_refuses_is_not_tried_again(database: Database, clock: Clock) -> None:
    def refused(_work: Work) -> Mapping[str, Any]:
        raise ServiceError(say("There is no gold."))

    job_id = enqueue(database)
    assert run(database, clock, job_id, refused) == "failed"
    assert str(page(database, job_id).error) == "There is no gold."


def test_a_kind_that_nobody_knows_fails_and_says_so(database: Database, clock: Clock) -> None:
    job_id = enqueue(database, kind="fly")
    assert run(database, clock, job_id) == "failed"
    assert "kind fly" in str(page(database, job_id).error)


def test_progress_is_seen_and_prolongs_the_lease(database: Database, clock: Clock) -> None:
    job_id = enqueue(database)
    seen = []

    def slow(work: Work) -> Mapping[str, Any]:
        for number in range(3):
            work.progress(number, 3)
            seen.append(page(database, job_id).done)
            clock.move(seconds=15)
            assert sweep(database, clock) == ()
        return {}

    assert run(database, clock, job_id, slow) == "done"
    assert seen == [0, 1, 2]


def test_a_dead_consumers_job_is_swept_up_and_its_late_result_is_refused(
    database: Database, clock: Clock
) -> None:
    job_id = enqueue(database)

    def dead_for_a_while(work: Work) -> Mapping[str, Any]:
        clock.move(seconds=LEASE.total_seconds() + 1)
        assert sweep(database, clock) == (job_id,)
        assert run(database, clock, job_id) == "done"
        with pytest.raises(LeaseLost):
            work.progress(1, 1)
        with database.writing() as session, pytest.raises(LeaseLost):
            work.confirm(session)
        return {"counted": "too late"}

    assert run(database, clock, job_id, dead_for_a_while) is None
    assert page(database, job_id).result == {"counted": 3}


def test_a_job_whose_consumers_all_die_fails_readably(database: Database, clock: Clock) -> None:
    job_id = enqueue(database)
    for _ in range(queue.ATTEMPTS):
        with database.writing() as session:
            assert queue.take(session, job_id, clock()) is not None
        clock.move(seconds=LEASE.total_seconds() + 1)
    assert sweep(database, clock) == ()
    dead = page(database, job_id)
    assert (dead.state, str(dead.error)) == (
        "failed",
        "The process that worked at it ended 3 times without a word.",
    )


def test_a_consumer_that_is_stopped_gives_its_job_back(database: Database, clock: Clock) -> None:
    def stopped(_work: Work) -> Mapping[str, Any]:
        raise KeyboardInterrupt

    job_id = enqueue(database)
    with pytest.raises(KeyboardInterrupt):
        run(database, clock, job_id, stopped)
    assert (page(database, job_id).state, page(database, job_id).attempts) == ("waiting", 0)
    assert sweep(database, clock) == (job_id,)


def test_the_queue_is_told_after_the_commit_and_never_of_what_was_rolled_back(database: Database) -> None:
    told: list[int] = []

    def deliver(job_id: int) -> None:
        assert page(database, job_id).state == "waiting"
        told.append(job_id)

    job_id = enqueue(database, deliver=deliver)
    assert told == [job_id]
    with pytest.raises(ZeroDivisionError), database.writing() as session:
        told.append(queue.enqueue(session, "count", None, {}, NOON, deliver) // 0)
    assert told == [job_id]


def test_a_job_whose_message_was_lost_is_delivered_again(database: Database, clock: Clock) -> None:
    def lost(_job_id: int) -> None:
        raise ConnectionError

    job_id = enqueue(database, deliver=lost)
    assert sweep(database, clock) == ()
    clock.move(seconds=queue.REDELIVER.total_seconds() + 1)
    assert sweep(database, clock) == (job_id,)
    assert sweep(database, clock) == ()


def test_jobs_are_listed_newest_first(toy: Toy) -> None:
    with toy.database.writing() as session:
        ids = [queue.enqueue(session, "rescore", "toy", {}, NOON) for _ in range(3)]
        listed = job_pages.listing(session, "toy")
        assert job_pages.listing(session, "other") == ()
    assert [job.job_id for job in listed] == ids[::-1]


def test_an_unknown_job_says_so(database: Database) -> None:
    with pytest.raises(job_pages.UnknownJob, match="no job 7"):
        page(database, 7)


def rescore_function(toy: Toy, clock: Callable[[], datetime]) -> queue.JobFunction:
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)
    return rescoring.job(transactions, toy.files, lambda _name: (toy.spec, toy.scorer), clock)


def test_rescoring_a_task_is_a_job(toy: Toy, clock: Clock) -> None:
    bad = toy.enter("bad", 666)
    toy.enter("a", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.3, 0.3, 0.3))
    clock.move(hours=1)
    with toy.database.writing() as session:
        job_id = queue.enqueue(session, "rescore", "toy", {}, clock())
    assert queue.run(toy.database.writing, {"rescore": rescore_function(toy, clock)}, job_id, clock) == "done"
    assert page(toy.database, job_id).result == {"scored": 1, "failed": [bad]}
    assert toy.lines("near") == [("a", 1)]


def test_a_rescoring_that_was_cut_off_goes_on_where_it_was(toy: Toy, clock: Clock) -> None:
    for team in "abc":
        toy.enter(team, 0.1, 0.5, ord(team))
    clock.move(hours=1)
    with toy.database.writing() as session:
        job_id = queue.enqueue(session, "rescore", "toy", {}, clock())
    clock.move(seconds=1)
    rescore = rescore_function(toy, clock)

    def cut_off(work: Work) -> Mapping[str, Any]:
        real = work.progress

        def progress(done: int, total: int) -> None:
            if done == 2:
                raise KeyboardInterrupt
            real(done, total)

        work.progress = progress  # type: ignore[method-assign]
        return rescore(work)

    with pytest.raises(KeyboardInterrupt):
        queue.run(toy.database.writing, {"rescore": cut_off}, job_id, clock)
    queue.run(toy.database.writing, {"rescore": rescore}, job_id, clock)
    assert page(toy.database, job_id).result == {"scored": 1, "failed": []}
