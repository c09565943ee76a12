from __future__ import annotations

from datetime import timedelta

from leaderboard.services import consumers, leases, letters, queue, queue_numbers, rescoring
from leaderboard.services.queue_numbers import NO_TASK, Line
from tests.services.toy import NOON, Toy


def test_the_queue_is_counted_by_task_with_the_age_of_the_oldest_that_waits(toy: Toy) -> None:
    with toy.database.writing() as session:
        first, *_ = (
            queue.enqueue(session, rescoring.JOB, "toy", {}, NOON + timedelta(minutes=minutes))
            for minutes in (0, 1, 2)
        )
        queue.enqueue(session, "whole site", None, {}, NOON)
        leases.take(session, first, NOON + timedelta(minutes=3))
        consumers.arrive(session, "here", 1, 4, NOON + timedelta(minutes=4))
        letters.write(session, "ann@example.org", "Hello", "There", NOON)
    with toy.database.reading() as session:
        found = queue_numbers.numbers(session, NOON + timedelta(minutes=4))
    assert found.lines["toy"] == Line(waiting=2, running=1, oldest=180.0)
    assert found.lines[NO_TASK] == Line(waiting=1, running=0, oldest=240.0)
    assert (found.consumers, found.threads, found.letters) == (1, 4, 1)


def test_a_task_without_jobs_has_its_line_too(toy: Toy) -> None:
    with toy.database.reading() as session:
        assert queue_numbers.numbers(session, NOON).lines == {"toy": Line(), NO_TASK: Line()}
