"""What takes long to put into a database: put there once in a test process, and put back from then on."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Hashable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from leaderboard.store.models import Base
from leaderboard.store.session import Database
from tests.copies import original_folder
from tests.databases import emptying

T = TypeVar("T")

ROWS = "rows.db"


@dataclass(frozen=True)
class _Kept:
    """Files as they lie in `folder`; rows, in an SQLite file or in tables of a schema; what was given."""

    folder: Path
    rows: str
    tables: tuple[str, ...]
    given: Any


_kept: dict[Hashable, _Kept] = {}


def kept(what: Hashable, database: Database, folder: Path, fill: Callable[[], T]) -> T:
    """Makes a database and its folder what they are after `fill`, and gives what that gave: numbers of rows,
    for example, but nothing that holds the database.

    `what` names everything that the content depends on, what was there before included. A test may change
    all of it afterwards.
    """
    key = (what, database.url.get_backend_name(), str(database.url.query))
    if key in _kept:
        _put_back(_kept[key], database, folder)
        return _kept[key].given  # type: ignore[no-any-return]
    given = fill()
    files = _keep_files(folder)
    if database.file is not None:
        _copy_sqlite(database.file, files / ROWS)
        _kept[key] = _Kept(files, str(files / ROWS), (), given)
    else:
        _kept[key] = _Kept(files, *_keep_in_schema(database, len(_kept)), given)
    return given


def _put_back(found: _Kept, database: Database, folder: Path) -> None:
    shutil.copytree(found.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(ROWS))
    if database.file is not None:
        _copy_sqlite(Path(found.rows), database.file)
        return
    statements = emptying()
    statements += [
        f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {found.rows}.{table}"
        for table in found.tables
    ]
    # A test of restoring a backup sets the counters back, below numbers that stand here.
    statements += [
        f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        for table in found.tables
        if "id" in Base.metadata.tables[table].columns
    ]
    _run(database, statements)


def _keep_files(folder: Path) -> Path:
    original = original_folder()
    others = shutil.ignore_patterns("leaderboard.db*", "__pycache__")
    shutil.copytree(folder, original, dirs_exist_ok=True, ignore=others)
    return original


def _keep_in_schema(database: Database, number: int) -> tuple[str, tuple[str, ...]]:
    """The schema, and its tables: those that have rows."""
    names = [table.name for table in Base.metadata.sorted_tables]
    with database.engine.connect() as connection:
        schema = f"{connection.exec_driver_sql('SELECT current_schema()').scalar_one()}_{number}"
        asked = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)
        filled = tuple(connection.exec_driver_sql(" UNION ALL ".join(asked)).scalars())
    copies = [f"CREATE TABLE {schema}.{name} AS SELECT * FROM {name}" for name in filled]
    _run(database, [f"CREATE SCHEMA {schema}", *copies])
    return schema, filled


def _copy_sqlite(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)


def _run(database: Database, statements: list[str]) -> None:
    with database.write_engine.begin() as connection:
        # All in one message to the server.
        connection.execution_options(no_parameters=True).exec_driver_sql(";\n".join(statements))
