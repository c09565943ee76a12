"""An installation with teams and runs keeps them when accounts come."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine, text

from leaderboard.store.schema import _foreign_keys_at_the_end, configuration, upgrade
from leaderboard.store.session import Database
from tests.databases import postgresql_url


@pytest.fixture(params=["sqlite", "postgresql"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database as it was before accounts, with a task, two teams and a run."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")
        _fill(database)
        yield database
        database.close()
        return
    server = postgresql_url()
    name = f"test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    database = Database(server.update_query_dict({"options": f"-csearch_path={name}"}))
    _fill(database)
    yield database
    database.close()
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()


def _fill(database: Database) -> None:
    upgrade(database, "0001")
    with database.write_engine.begin() as connection:
        for statement in (
            "INSERT INTO task (id, name, title, installed_at) VALUES (1, 'toy', '{}', '2026-03-01 12:00:00')",
            "INSERT INTO phase (id, task_id, name, title, position, reveals, declared)"
            " VALUES (1, 1, 'open', '{}', 0, '[]', true)",
            "INSERT INTO team (id, task_id, name, created_at) VALUES (1, 1, 'a', '2026-03-01 12:00:00')",
            "INSERT INTO team (id, task_id, name, created_at) VALUES (2, 1, 'b', '2026-03-01 12:00:00')",
            "INSERT INTO run (id, task_id, phase_id, team_id, name, description, file_hash, file_name, size,"
            " submitted_at, received_at, state, kind, late, warnings, notes, left_out, faults, fault_count)"
            " VALUES (1, 1, 1, 2, 'r', '', 'x', 'r.txt', 1, '2026-03-01 12:00:00', '2026-03-01 12:00:00',"
            " 'scored', 'ordinary', false, '[]', '[]', '[]', '[]', 0)",
        ):
            connection.execute(text(statement))


def test_teams_and_runs_are_kept_by_the_upgrade(before: Database) -> None:
    upgrade(before, "0002")
    with before.engine.connect() as connection:
        teams = connection.execute(text("SELECT name, alias, affiliation FROM team ORDER BY id")).all()
        runs = connection.execute(text("SELECT name, team_id FROM run")).all()
    assert [tuple(team) for team in teams] == [("a", None, ""), ("b", None, "")]
    assert [tuple(run) for run in runs] == [("r", 2)]


def test_teams_and_runs_are_kept_when_it_is_taken_back(before: Database) -> None:
    upgrade(before, "0002")
    with (
        before.write_engine.connect() as connection,
        _foreign_keys_at_the_end(connection),
        connection.begin(),
    ):
        command.downgrade(configuration(connection), "0001")
    with before.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM team")) == 2
        assert connection.scalar(text("SELECT team_id FROM run")) == 2
