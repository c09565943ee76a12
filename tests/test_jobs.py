"""Huey carries job numbers; a real consumer does them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from huey import RedisHuey
from sqlalchemy import create_engine
from sqlalchemy.engine import URL

from leaderboard.jobs import BadQueue, Jobs, make_queue, queue_at
from leaderboard.services import job_pages, queue
from leaderboard.services.queue import Work
from leaderboard.services.rescoring import Transactions
from leaderboard.store.session import Database
from tests.databases import fresh_sqlite, postgresql_schema

__all__ = ["postgresql_schema"]


def clock() -> datetime:
    return datetime.now(UTC)


def both(database: Database) -> Transactions:
    return Transactions(database.reading, database.writing)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(fresh_sqlite(tmp_path))
    yield opened
    opened.close()


def enqueue(database: Database, jobs: Jobs) -> int:
    with database.writing() as session:
        return queue.enqueue(session, "greet", None, {}, clock(), jobs.deliver)


def greet(_work: Work) -> Mapping[str, Any]:
    return {"said": "hello"}


def test_a_consumer_does_what_was_enqueued(database: Database, tmp_path: Path) -> None:
    finished = threading.Event()
    jobs = Jobs(make_queue(tmp_path / "queue" / "queue.db"), both(database), {"greet": greet}, clock)
    jobs.huey.post_execute()(lambda *_: finished.set())
    job_id = enqueue(database, jobs)
    consumer = jobs.huey.create_consumer(workers=1, periodic=False)
    consumer.start()
    try:
        assert finished.wait(30)
    finally:
        consumer.stop(graceful=True)
    with database.reading() as session:
        assert job_pages.show(session, job_id).result == {"said": "hello"}


def test_a_message_outlives_the_process_that_sent_it(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    job_id = enqueue(database, Jobs(make_queue(path), both(database), {}, clock))
    later = Jobs(make_queue(path), both(database), {"greet": greet}, clock)
    later.huey.execute(later.huey.dequeue())
    with database.reading() as session:
        assert job_pages.show(session, job_id).state == "done"


def test_the_sweep_delivers_what_the_queue_has_lost(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        job_id = queue.enqueue(session, "greet", None, {}, clock())
    jobs = Jobs(make_queue(tmp_path / "queue.db"), both(database), {"greet": greet}, clock)
    jobs.sweep()
    jobs.huey.execute(jobs.huey.dequeue())
    with database.reading() as session:
        assert job_pages.show(session, job_id).state == "done"


def test_the_queue_is_where_its_address_says(tmp_path: Path) -> None:
    queue_at(f"sqlite:///{tmp_path}/deep/queue.db")
    assert (tmp_path / "deep" / "queue.db").is_file()
    assert isinstance(queue_at("redis://127.0.0.1:1/0"), RedisHuey)


def test_an_address_that_is_no_queue_is_refused() -> None:
    with pytest.raises(BadQueue, match="begins with 'amqp'; it may be sqlite, redis or postgresql"):
        queue_at("amqp://host/")


def test_several_processes_may_begin_a_queue_in_postgresql_at_once(postgresql_schema: URL) -> None:
    url = postgresql_schema.render_as_string(hide_password=False)
    together = threading.Barrier(4)

    def begin(_number: int) -> int:
        together.wait()
        queue_made = queue_at(url)
        size: int = queue_made.pending_count()
        queue_made.storage.close()
        return size

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(begin, range(4))) == [0, 0, 0, 0]


def test_an_address_of_postgresql_means_what_it_means_for_the_database(postgresql_schema: URL) -> None:
    options = f"{postgresql_schema.query['options']} -capplication_name=a+b%41"
    there = postgresql_schema.set(query={"options": options})
    asked = "SELECT current_setting('search_path'), current_setting('application_name')"
    engine = create_engine(there)
    with engine.connect() as connection:
        schema, name = connection.exec_driver_sql(asked).one()
    engine.dispose()
    storage = queue_at(there.render_as_string(hide_password=False)).storage
    assert storage.conn.execute(asked).fetchone() == (schema, name)
    assert (schema in options, name) == (True, "a+b%41")
    storage.close()


def test_an_address_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadQueue, match="QUEUE_URL cannot be used"):
        queue_at("postgresql://127.0.0.1:port/x")
