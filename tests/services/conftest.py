"""Services are tested on both databases, with a toy task."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.store.session import Database
from tests.databases import database, database_url, postgresql_schema, sqlite_template
from tests.kept import kept
from tests.services.toy import Toy

__all__ = ["database", "database_url", "postgresql_schema", "sqlite_template", "toy"]


@pytest.fixture
def toy(database: Database, tmp_path: Path) -> Toy:
    """The toy task, installed with its gold."""
    made = Toy(database, tmp_path)
    kept("toy", database, tmp_path, lambda: made.install().install_gold())
    return made
