"""Boards that stand when news come are kept with their lines, and lose only late ones when news go."""

from __future__ import annotations

from alembic import command
from sqlalchemy import text

from leaderboard.store.schema import _foreign_keys_at_the_end, configuration, upgrade
from leaderboard.store.session import Database
from tests.store.test_accounts_migration import before

__all__ = ["before"]

BOARD = (
    "INSERT INTO board (task_id, phase_id, split, scorer_version, versions, computed_at, fingerprint{more})"
    " VALUES (1, 1, 'all', '1', '{{}}', '2026-03-01 12:00:00', 'x'{values})"
)
LINE = (
    'INSERT INTO standing (board_id, position, place, team_id, "values", places, runs, kind)'
    " SELECT id, 1, 1, 1, '{}', '{}', '{}', 'ordinary' FROM board"
)


def count(database: Database, table: str) -> int:
    with database.engine.connect() as connection:
        found: int = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
    return found


def test_boards_keep_their_lines_through_the_upgrade_and_back(before: Database) -> None:
    upgrade(before, "0004")
    with before.write_engine.begin() as connection:
        connection.execute(text(BOARD.format(more="", values="")))
        connection.execute(text(LINE))
    upgrade(before, "0005")
    with before.engine.connect() as connection:
        assert connection.execute(text("SELECT stage, settled FROM board")).all() == [("in time", None)]
    assert count(before, "standing") == 1
    with before.write_engine.begin() as connection:
        connection.execute(text(BOARD.format(more=", stage", values=", 'post-evaluation'")))
    assert count(before, "board") == 2
    with (
        before.write_engine.connect() as connection,
        _foreign_keys_at_the_end(connection),
        connection.begin(),
    ):
        command.downgrade(configuration(connection), "0004")
    assert (count(before, "board"), count(before, "standing")) == (1, 1)
