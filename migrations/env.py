"""Alembic runs this for every command.

The program hands over its own connection; from a shell, ``alembic`` opens the database of the settings.
"""

from __future__ import annotations

from typing import Literal

from alembic import context
from sqlalchemy import Connection

from leaderboard.config import from_environment
from leaderboard.store.columns import Messages, OneMessage, UtcTime
from leaderboard.store.models import Base
from leaderboard.store.session import Database


def render(kind: str, column_type: object, _context: object) -> str | Literal[False]:
    """Writes our own column types as the database knows them, so that a migration never changes later."""
    if kind == "type" and isinstance(column_type, UtcTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(column_type, (OneMessage, Messages)):
        return "sa.JSON(none_as_null=True)"
    return False


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        render_item=render,
        # SQLite changes a table by making it anew.
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:
    with Database(from_environment().database_url).engine.begin() as own:
        migrate(own)
