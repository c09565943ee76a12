"""Connections and transactions, on SQLite by default and on PostgreSQL."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.orm import Session, sessionmaker

from leaderboard.store.stamps import Watch, stamp_changes

BUSY_TIMEOUT = 30_000
"""So many milliseconds a writer waits for another on SQLite before it gives up."""

LONGEST_PAUSE = 0.005
"""After so many seconds at the latest a waiting writer looks again."""

_WRITES = "leaderboard_writes"

Transaction = Callable[[], AbstractContextManager[Session]]


class Database:
    """One database. `reading` and `writing` are the two kinds of transaction; both end with their block.

    SQLite has one writer at a time: a writing transaction takes that right at its start (BEGIN IMMEDIATE),
    because one that first reads and then writes could fail in the middle. Readers never wait.
    """

    def __init__(self, url: str | URL) -> None:
        self.url = make_url(url)
        self.engine = _engine(self.url)
        stamp_changes(self.engine)
        self.write_engine = self.engine.execution_options(**{_WRITES: True})
        self._read = sessionmaker(self.engine)
        self._write = sessionmaker(self.write_engine)
        self._watch = Watch(self.engine)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one state of the database and keeps no change."""
        with self._read() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are committed together at the end of the block, or not at all."""
        with self._write.begin() as session:
            yield session

    @property
    def file(self) -> Path | None:
        """Where an SQLite database lies, which connecting would create; None for any other."""
        name = self.url.database
        if self.url.get_backend_name() != "sqlite" or not name or name == ":memory:":
            return None
        return Path(name)

    def make_folder(self) -> None:
        """The folder of an SQLite database."""
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)

    def stamp(self) -> str | None:
        """A word that is another after every change of what the page of a ranking could show; None where
        there is none yet."""
        return self._watch.word()

    def close(self) -> None:
        """Ends all connections."""
        self._watch.close()
        self.engine.dispose()


def hold_still(session: Session) -> None:
    """Has a reading session see one state of the database until its end, whatever others commit meanwhile.
    It must be the first thing that is done with the session. (On SQLite every transaction sees one state.)"""
    if session.get_bind().dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        # A connection that the server has ended is noticed before it is used.
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT / 1000})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver would begin transactions in its own way; _begin_sqlite does.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT}")
    cursor.execute("PRAGMA journal_mode = WAL")
    # FULL: what was acknowledged survives a power cut as well as a killed process.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    if not connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN")
        return
    driver: Any = connection.connection.driver_connection
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        if not _took_turn(driver):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT}")


def _took_turn(driver: sqlite3.Connection) -> bool:
    """Begins to write as soon as others let it. SQLite itself would look ever more rarely, in the end ten
    times a second: consumers would idle, and who has waited longest would be the last to get a turn."""
    ends, pause = time.monotonic() + BUSY_TIMEOUT / 1000, 0.0005
    while time.monotonic() < ends:
        try:
            driver.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        else:
            return True
    return False
