"""Statements as they were compiled: every test has a database of its own, and SQLAlchemy would compile every
statement anew for each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import URL, make_url

from leaderboard.store import session

_firsts: dict[str, Engine] = {}


def share_compiled() -> None:
    """Lets all databases of this process that speak alike use the same compiled statements."""
    session.create_engine = _create_engine  # type: ignore[attr-defined]  # what it imports, and exports to nobody


def _create_engine(url: str | URL, **options: Any) -> Engine:
    made = create_engine(url, **options)
    spoken = "sqlite" if made.dialect.name == "sqlite" else str(make_url(url))
    first = _firsts.setdefault(spoken, made)
    # A dialect knows its server from its first connection on.
    if first is not made and "server_version_info" in vars(first.dialect):
        made.dialect, made._compiled_cache = first.dialect, first._compiled_cache
    return made
