"""Migrations make exactly the tables that the models describe."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from leaderboard.store.models import Base
from leaderboard.store.schema import configuration, upgrade
from leaderboard.store.session import Database
from tests.databases import postgresql_url


def test_the_migrated_tables_are_those_of_the_models(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, Base.metadata)
    if database.url.get_backend_name() == "postgresql":
        # What other schemas of the server hold is not ours.
        differences = [difference for difference in differences if "remove_table" not in str(difference)]
    assert differences == []


def test_upgrading_again_changes_nothing(database: Database) -> None:
    upgrade(database)
    assert "run" in inspect(database.engine).get_table_names()


def test_every_migration_can_be_taken_back(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'new' / 'leaderboard.db'}")
    upgrade(database)
    with database.write_engine.begin() as connection:
        command.downgrade(configuration(connection), "base")
    assert inspect(database.engine).get_table_names() == ["alembic_version"]
    upgrade(database)
    assert "standing" in inspect(database.engine).get_table_names()
    database.close()


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")

    def broken(_config: object, _revision: str) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("leaderboard.store.schema.command.upgrade", broken)
    with pytest.raises(OSError, match="disk is full"):
        upgrade(database)
    assert inspect(database.engine).get_table_names() == []
    database.close()


def test_tables_are_made_in_an_empty_postgresql_schema() -> None:
    server = postgresql_url()
    name = f"test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    database = Database(server.update_query_dict({"options": f"-csearch_path={name}"}))
    try:
        upgrade(database)
        with database.write_engine.begin() as connection:
            command.downgrade(configuration(connection), "base")
        assert inspect(engine).get_table_names(schema=name) == ["alembic_version"]
    finally:
        database.close()
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
        engine.dispose()
