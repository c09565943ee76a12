"""Jobs whose database or storage is away for a while: they wait, and it costs no attempt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from leaderboard.jobs import Jobs, make_queue
from leaderboard.services import consumers, job_pages, queue
from leaderboard.services.leases import OUTAGE
from leaderboard.services.outages import is_outage
from leaderboard.services.queue import Work
from leaderboard.services.rescoring import Transactions
from leaderboard.store.objects import StorageUnavailable
from leaderboard.store.session import Database
from tests.services.toy import NOON


@dataclass
class Clock:
    now = NOON

    def __call__(self) -> Any:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "WAITS", (0.0, 0.0))


@dataclass
class Line:
    """The way to a database that breaks so many times before it holds again."""

    database: Database
    breaks: int = 0

    @contextmanager
    def writing(self) -> Iterator[Session]:
        if self.breaks:
            self.breaks -= 1
            raise OperationalError("BEGIN", {}, Exception("server closed the connection unexpectedly"))
        with self.database.writing() as session:
            yield session


def enqueue(database: Database) -> int:
    with database.writing() as session:
        return queue.enqueue(session, "greet", None, {}, NOON)


def greeting(line: Line, folder: Path, clock: Clock) -> Jobs:
    def greet(_work: Work) -> Mapping[str, Any]:
        return {}

    transactions = Transactions(line.database.reading, line.writing)
    return Jobs(make_queue(folder / "queue.db"), transactions, {"greet": greet}, clock)


def page(database: Database, job_id: int) -> job_pages.JobPage:
    with database.reading() as session:
        return job_pages.show(session, job_id)


def test_a_storage_that_does_not_answer_for_long_makes_no_job_fail(database: Database, clock: Clock) -> None:
    def away(_work: Work) -> Mapping[str, Any]:
        raise StorageUnavailable("please reduce your request rate")

    job_id = enqueue(database)
    transactions = database.reading, database.writing
    for _ in range(3 * queue.ATTEMPTS):
        assert queue.run_next(transactions, {"greet": away}, clock) == "waiting"
        assert queue.run_next(transactions, {"greet": away}, clock) is None, "not at once again"
        clock.now += OUTAGE
    waits = page(database, job_id)
    assert (waits.state, waits.attempts) == ("waiting", 0)
    assert "please reduce your request rate" in str(waits.error)
    assert queue.run_next(transactions, {"greet": lambda _work: {"said": "hello"}}, clock) == "done"
    assert page(database, job_id).error is None


def test_work_that_is_done_when_the_database_restarts_is_written_down_and_not_done_again(
    database: Database, clock: Clock
) -> None:
    line, done = Line(database), []

    def greet(_work: Work) -> Mapping[str, Any]:
        done.append("hello")
        line.breaks = 2
        return {}

    job_id = enqueue(database)
    assert queue.run(line.writing, {"greet": greet}, job_id, clock) == "done"
    assert (page(database, job_id).state, done) == ("done", ["hello"])


def test_who_does_a_job_for_a_sender_leaves_it_to_others_where_the_database_is_gone(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    line = Line(database, breaks=1)
    jobs = greeting(line, tmp_path, clock)
    job_id = enqueue(database)
    jobs.run(job_id)
    assert page(database, job_id).state == "waiting"
    jobs.run(job_id)
    assert page(database, job_id).state == "done"


def test_a_message_that_is_used_up_while_the_database_is_gone_is_made_up_for(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    line = Line(database)
    jobs = greeting(line, tmp_path, clock)
    with database.writing() as session:
        job_id = queue.enqueue(session, "greet", None, {}, NOON, jobs.deliver)
    line.breaks = 1
    jobs.huey.execute(jobs.huey.dequeue())
    assert page(database, job_id).state == "waiting"
    jobs.sweep()
    jobs.huey.execute(jobs.huey.dequeue())
    assert page(database, job_id).state == "done"
    jobs.sweep()
    assert jobs.huey.dequeue() is None, "once is enough"


def test_a_consumer_that_was_forgotten_is_told_so(database: Database) -> None:
    with database.writing() as session:
        mine = consumers.arrive(session, "here", 1, 1, NOON)
        assert consumers.seen(session, mine, NOON)
        later = NOON + consumers.GONE + timedelta(seconds=1)
        consumers.arrive(session, "there", 2, 1, later)
        assert not consumers.seen(session, mine, later)


def test_a_lock_or_a_lost_connection_is_an_outage_and_a_wrong_statement_on_postgresql_is_not(
    database: Database,
) -> None:
    assert is_outage(StorageUnavailable("it does not answer"))
    assert not is_outage(PermissionError("not yours"))
    with pytest.raises((OperationalError, ProgrammingError)) as wrong, database.reading() as session:
        session.execute(text("SELECT nothing FROM nowhere"))
    assert is_outage(wrong.value) == (database.url.get_backend_name() == "sqlite")
