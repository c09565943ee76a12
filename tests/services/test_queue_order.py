"""Tasks take turns, and what nobody works at is found."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import update

from leaderboard.contract import say
from leaderboard.services import consumers, leases, queue, run_pages, scoring_jobs, standing_jobs, tasks
from leaderboard.services.leases import LEASE
from leaderboard.services.queue import Work
from leaderboard.store.models import Job, Run, Task
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy, make_spec

LATER = NOON + 2 * LEASE


def enqueue(toy: Toy, task: str, *kinds: str) -> list[int]:
    with toy.database.writing() as session:
        return [queue.enqueue(session, kind, task, {}, NOON) for kind in kinds]


def taken(toy: Toy, number: int) -> list[tuple[str | None, str]]:
    """The tasks and kinds of the next jobs, each done within a second."""
    found: list[tuple[str | None, str]] = []
    now = [NOON]

    def do(work: Work) -> dict[str, Any]:
        found.append((work.task, work.taken.kind))
        now[0] += timedelta(seconds=1)
        return {}

    registry = dict.fromkeys(("score", "rescore"), do)
    for _ in range(number):
        queue.run_next((toy.database.reading, toy.database.writing), registry, lambda: now[0])
    return found


def with_other(toy: Toy) -> Toy:
    with toy.database.writing() as session:
        tasks.install(session, make_spec(name="other"), NOON)
    return toy


def test_a_busy_task_does_not_starve_another(toy: Toy) -> None:
    enqueue(with_other(toy), "toy", *["score"] * 5)
    enqueue(toy, "other", "score", "score")
    assert [task for task, _ in taken(toy, 7)] == ["toy", "other", "toy", "other", "toy", "toy", "toy"]


def test_the_task_at_which_fewer_work_comes_first(toy: Toy) -> None:
    first, _ = enqueue(with_other(toy), "toy", "score", "score")
    enqueue(toy, "other", "score", "score")
    with toy.database.writing() as session:
        assert queue.take(session, first, NOON) is not None
    assert [task for task, _ in taken(toy, 3)] == ["other", "other", "toy"]


def test_runs_of_participants_come_before_long_work_of_their_task(toy: Toy) -> None:
    enqueue(toy, "toy", "rescore", "score")
    assert [kind for _, kind in taken(toy, 2)] == ["score", "rescore"]


def test_long_work_makes_way_and_goes_on_afterwards(toy: Toy) -> None:
    (long,) = enqueue(toy, "toy", "rescore")
    now = [NOON]
    steps: list[str] = []

    def rescore(work: Work) -> dict[str, Any]:
        for _ in range(2):
            now[0] += timedelta(seconds=4)
            steps.append("step")
            if len(steps) == 1:
                enqueue(toy, "toy", "score")
            work.make_way()
        return {}

    def score(_work: Work) -> dict[str, Any]:
        steps.append("score")
        return {}

    both = (toy.database.reading, toy.database.writing)
    states = [queue.run_next(both, {"rescore": rescore, "score": score}, lambda: now[0]) for _ in range(4)]
    assert (states, steps) == (
        ["waiting", "done", "done", None],
        ["step", "step", "score", "step", "step"],
    )
    with toy.database.reading() as session:
        assert session.get_one(Job, long).attempts == 1, "making way is no attempt"


def test_work_that_is_asked_to_stop_goes_back(toy: Toy) -> None:
    (job_id,) = enqueue(toy, "toy", "rescore")

    def rescore(work: Work) -> dict[str, Any]:
        work.progress(0, 2)
        raise AssertionError("it must stop before")

    asked = queue.run(toy.database.writing, {"rescore": rescore}, job_id, lambda: NOON, lambda: True)
    assert asked == "waiting"


def sweep(toy: Toy) -> tuple[int, ...]:
    with toy.database.writing() as session:
        return scoring_jobs.sweep(session, LATER)


def test_a_run_at_which_no_job_aims_gets_one(toy: Toy) -> None:
    run_id = toy.submit("a", 0.1, 0.5, 0.9).run_id
    with toy.database.writing() as session:
        assert not scoring_jobs.needs_sweep(session, NOON), "somebody has it in hand"
        assert scoring_jobs.needs_sweep(session, LATER)
    (job_id,) = sweep(toy)
    assert sweep(toy) == ()
    with toy.database.reading() as session:
        assert session.get_one(Job, job_id).run_id == run_id


def test_a_run_whose_job_failed_has_failed_and_can_be_asked_for_again(toy: Toy) -> None:
    run_id = toy.submit("a", 0.1, 0.5, 0.9).run_id
    with toy.database.writing() as session:
        held = queue.take(session, scoring_jobs.request(session, "toy", run_id, NOON), NOON)
        assert held is not None
        leases.give_up(session, held, say("the disk is full"), NOON)
    assert sweep(toy) == ()
    with toy.database.reading() as session:
        page = run_pages.show(session, toy.spec, run_id)
    assert (page.summary.state, page.failure_detail) == ("failed", "the disk is full")
    with toy.database.writing() as session:
        session.execute(update(Run).values(state="received"))
    assert len(sweep(toy)) == 1, "the failed job is not held against it twice"


def test_boards_that_are_behind_are_left_to_the_queue_once(toy: Toy) -> None:
    with toy.database.writing() as session:
        session.execute(update(Task).values(standings_due=True))
    with toy.database.writing() as session:
        assert len(standing_jobs.request_due(session, NOON)) == 1
        assert standing_jobs.request_due(session, NOON) == ()


def test_a_duty_is_one_consumers_at_a_time(database: Database) -> None:
    def ask(seconds: float) -> bool:
        with database.writing() as session:
            return consumers.take_duty(session, "letters", NOON + timedelta(seconds=seconds))

    assert [ask(0), ask(0), ask(59), ask(60), ask(61)] == [True, False, False, True, False]


def test_consumers_are_seen_until_they_are_gone(database: Database) -> None:
    with database.writing() as session:
        first = consumers.arrive(session, "here", 1, 2, NOON)
        consumers.arrive(session, "there", 2, 1, NOON)
        assert [each.host for each in consumers.present(session, NOON)] == ["here", "there"]
        consumers.seen(session, first, NOON + consumers.GONE)
        assert len(consumers.present(session, NOON + 1.5 * consumers.GONE)) == 1
        consumers.leave(session, first)
        assert consumers.present(session, NOON + 1.5 * consumers.GONE) == ()
