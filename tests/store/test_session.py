"""Transactions on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from leaderboard.contract import Message, say, say_count
from leaderboard.store import queries
from leaderboard.store import session as store_session
from leaderboard.store.columns import message_from_json
from leaderboard.store.models import Base, Job, Phase, Task
from leaderboard.store.session import Database

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def task(name: str = "toy", installed_at: datetime = NOON) -> Task:
    return Task(name=name, title={"en": name}, installed_at=installed_at)


def job(error: Message | None) -> Job:
    return Job(kind="toy", arguments={}, state="failed", created_at=NOON, error=error)


def test_what_a_block_writes_is_there_after_it(database: Database) -> None:
    with database.writing() as session:
        session.add(task())
    with database.reading() as session:
        assert session.scalars(select(Task.name)).all() == ["toy"]


def test_a_block_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add_all([task(), task()])
    with database.reading() as session:
        assert session.scalars(select(Task.name)).all() == []


def test_a_reading_block_keeps_no_change(database: Database) -> None:
    with database.reading() as session:
        session.add(task())
        session.flush()
    with database.reading() as session:
        assert session.scalars(select(Task.name)).all() == []


def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    with database.writing() as writer:
        writer.add(task())
        writer.flush()
        with database.reading() as reader:
            assert reader.scalars(select(Task.name)).all() == []


def test_a_row_that_refers_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add(
            Phase(task_id=99, name="x", title={}, position=0, reveals=[], declared=True),
        )


def test_times_come_back_in_utc_whatever_zone_they_were_given_in(database: Database) -> None:
    elsewhere = datetime(2026, 3, 1, 23, 59, 59, 123456, tzinfo=timezone(timedelta(hours=-12)))
    with database.writing() as session:
        session.add(task(installed_at=elsewhere))
    with database.reading() as session:
        kept = session.scalars(select(Task.installed_at)).one()
    assert kept == elsewhere
    assert kept.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="no time zone"), database.writing() as session:
        session.add(task(installed_at=datetime(2026, 3, 1)))  # noqa: DTZ001 - that is the point


@pytest.mark.parametrize(
    "message",
    [
        say("Nothing."),
        say("The word {word} stands {count} times.", word="монах", count=3),
        say_count("{count} pair is missing.", "{count} pairs are missing.", 4),
        say("It failed: {why}", why=say("The file {name} is gone.", name="a.csv")),
    ],
)
def test_a_message_comes_back_as_it_was(database: Database, message: Message) -> None:
    with database.writing() as session:
        session.add(job(message))
    with database.reading() as session:
        kept = session.scalars(select(Job.error)).one()
    assert kept == message


def test_numbers_of_numpy_in_a_message_become_plain_ones(database: Database) -> None:
    with database.writing() as session:
        session.add(job(say("{n} of {x}", n=np.int64(3), x=np.float64("nan"))))
    with database.reading() as session:
        kept = session.scalars(select(Job.error)).one()
    assert kept is not None
    assert kept.values == {"n": 3, "x": "nan"}


def test_a_message_without_values_can_be_read_from_its_template_alone() -> None:
    assert message_from_json({"template": "Nothing."}) == say("Nothing.")


def test_many_writers_at_once_all_succeed(database: Database) -> None:
    with database.writing() as session:
        session.add(task())

    def count_up(_number: int) -> None:
        with database.writing() as session:
            row = session.scalars(select(Task).with_for_update()).one()
            row.title = {"n": row.title.get("n", 0) + 1}

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count_up, range(40)))
    with database.reading() as session:
        assert session.scalars(select(Task.title)).one() == {"n": 40}


def test_a_writer_that_waits_in_vain_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_session, "BUSY_TIMEOUT", 20)
    database = Database(f"sqlite:///{tmp_path}/one.db")
    Base.metadata.create_all(database.engine)
    with database.writing() as first:
        first.add(task())
        first.flush()
        with pytest.raises(OperationalError, match="locked"), database.writing() as second:
            second.add(task("other"))
    with database.reading() as session:
        assert session.scalars(select(Task.name)).all() == ["toy"]
    database.close()


def test_a_task_is_asked_for_once_in_a_session(database: Database) -> None:
    with database.writing() as session:
        session.add(task())
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    with database.reading() as session:
        assert queries.task_named(session, "toy") is queries.task_named(session, "toy")
    assert len([statement for statement in asked if "FROM task" in statement]) == 1
