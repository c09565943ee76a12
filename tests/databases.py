"""A fresh database for every test, on SQLite and on PostgreSQL.

A conftest offers these by importing `database`. PostgreSQL is found through TEST_DATABASE_URL; each test
process has a schema of its own there, dropped at its end.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import OperationalError

from leaderboard.store.models import Base
from leaderboard.store.schema import upgrade
from leaderboard.store.session import Database
from tests.copies import copied

DEFAULT_POSTGRESQL = "postgresql+psycopg://postgres@127.0.0.1/test"


def postgresql_url() -> URL:
    """The PostgreSQL server of the tests; skips where there is none, or fails where one is required."""
    url = make_url(os.environ.get("TEST_DATABASE_URL", DEFAULT_POSTGRESQL))
    engine = create_engine(url, connect_args={"connect_timeout": 3})
    try:
        with engine.connect():
            return url
    except OperationalError as error:
        reason = f"no PostgreSQL at {url} (TEST_DATABASE_URL names another): {error.orig}"
        if os.environ.get("LEADERBOARD_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    finally:
        engine.dispose()


def fresh_sqlite(folder: Path, name: str = "leaderboard.db") -> str:
    """The address of an SQLite database in that folder, with all tables and no rows."""
    copied(("tables", name), folder, lambda original: _make_sqlite(original / name))
    return f"sqlite:///{folder / name}"


def _make_sqlite(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.close()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite database with all tables and no rows, to be copied."""
    folder = tmp_path_factory.mktemp("template")
    fresh_sqlite(folder)
    return folder / "leaderboard.db"


@pytest.fixture(scope="session")
def postgresql_schema() -> Iterator[URL]:
    """A database URL whose tables live in a schema made for this process."""
    server = postgresql_url()
    name = f"test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    # No test here takes the server's power away, so its commits need not wait for the disk.
    url = server.update_query_dict({"options": f"-csearch_path={name} -csynchronous_commit=off"})
    database = Database(url)
    upgrade(database)
    database.close()
    yield url
    _emptier(url).dispose()
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # `kept` has its rows in schemas that are called after this one.
        found = text("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, :name)")
        for schema in connection.scalars(found, {"name": name}).all():
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


@cache
def _emptier(url: URL) -> Engine:
    """One connection for all tests, since making one takes longer than emptying the tables."""
    return create_engine(url, pool_size=1).execution_options(no_parameters=True)


def emptying() -> list[str]:
    """What takes all rows out of PostgreSQL, and lets rows of any order come, in one transaction."""
    # The audit log refuses to lose a row, but not where triggers rest.
    statements = ["SET LOCAL session_replication_role = replica"]
    # Far quicker than TRUNCATE where tables hold a few rows.
    return statements + [f"DELETE FROM {table.name}" for table in reversed(Base.metadata.sorted_tables)]


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with all tables and no rows, as another process would open it."""
    if request.param == "sqlite":
        return fresh_sqlite(tmp_path)
    url: URL = request.getfixturevalue("postgresql_schema")
    with _emptier(url).begin() as connection:
        connection.exec_driver_sql(";\n".join(emptying()))
    return url.render_as_string(hide_password=False)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with all tables and no rows."""
    opened = Database(database_url)
    yield opened
    opened.close()
