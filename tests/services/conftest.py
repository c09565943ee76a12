"""Services are tested on both databases, with a toy task."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.store.session import Database
from tests.databases import database, database_url, postgresql_schema, sqlite_template
from tests.kept import kept
from tests.services.campaigns import Campaigns
from tests.services.ready import ready
from tests.services.toy import Toy

__all__ = ["database", "database_url", "postgresql_schema", "sqlite_template", "toy"]


@pytest.fixture
def toy(database: Database, tmp_path: Path) -> Toy:
    """The toy task, installed with its gold."""
    return ready(database, tmp_path)


@pytest.fixture
def campaigns(sqlite_template: Path, tmp_path: Path) -> Iterator[Campaigns]:
    """The task cast with a small gold, on SQLite: what does not depend on the database is tested on one."""
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    database = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")
    made = Campaigns(database, tmp_path)
    kept("campaigns", database, tmp_path, lambda: made.install().seed)
    yield made
    database.close()
