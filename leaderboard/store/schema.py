"""Creating and upgrading the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, text

from leaderboard.store import stamps
from leaderboard.store.session import Database

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"

_LOCK = 0x1EADE4B0
"""Any number, the same in every process: who upgrades PostgreSQL holds it."""


def upgrade(database: Database, revision: str = "head") -> None:
    """Brings the tables to `revision`, in one transaction; safe to repeat and to run twice at once."""
    with _alone(database) as connection:
        command.upgrade(configuration(connection), revision)


def make_anew(database: Database, fill: Callable[[Connection], None]) -> None:
    """Drops all tables that there are, makes those of now and has `fill` put rows into them: all of it in one
    transaction."""
    with _alone(database) as connection:
        there = MetaData()
        there.reflect(connection)
        there.drop_all(connection)
        if connection.dialect.name == "postgresql":
            connection.execute(text("DROP FUNCTION IF EXISTS audit_entry_stays()"))
        command.upgrade(configuration(connection), "head")
        fill(connection)
        stamps.leave(connection)


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """A transaction that changes tables, one of them at a time, and leaves no row that refers to nothing."""
    database.make_folder()
    with (
        database.write_engine.connect() as connection,
        _foreign_keys_at_the_end(connection),
        connection.begin(),
    ):
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        yield connection
        _check_foreign_keys(connection)


def current_revision(database: Database) -> str | None:
    """The revision that the tables are at; None where there are none yet. Creates no file."""
    if database.file is not None and not database.file.exists():
        return None
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def newest_revision() -> str:
    """The revision that this version of the software works with."""
    return ScriptDirectory(str(MIGRATIONS)).get_current_head() or ""


@contextmanager
def _foreign_keys_at_the_end(connection: Connection) -> Iterator[None]:
    """SQLite changes a table by dropping it, which would delete what refers to it; so keys rest meanwhile."""
    if connection.dialect.name != "sqlite":
        yield
        return
    raw = connection.connection.cursor()
    raw.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        raw.execute("PRAGMA foreign_keys = ON")
        raw.close()


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise RuntimeError(
            f"the upgrade would leave {len(broken)} rows that refer to nothing; nothing was changed"
        )


def configuration(connection: Connection) -> Config:
    """Alembic's settings, made here so that no file is needed; migrations run on `connection`."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
