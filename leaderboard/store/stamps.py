"""One word in the database that becomes another with every change that a ranking's page could show.

Whoever keeps a page asks for it, and whoever finds the same word knows that the page is as it would be made
now, whichever process or host wrote last. It is drawn, not counted: a database that is put back to an earlier
state has the word of then again, and never comes to one that has stood for another state.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, event, text

SHOWN = frozenset(
    {
        "allowance",
        "board",
        "board_analysis",
        "gold_version",
        "phase",
        "reference_row",
        "resource",
        "run",
        "standing",
        "task",
        "task_setting",
        "team",
    }
)
"""The tables that the page of a ranking is made from. A test holds it against what the pages read."""

_NOT_SHOWN: Mapping[str, frozenset[str]] = {
    # A run shows once it stands on a board, and those are written then.
    "run": frozenset(
        [
            "state",
            "lease_until",
            "attempts",
            "scored_at",
            "failure",
            "failure_detail",
            "faults",
            "fault_count",
            "warnings",
            "notes",
            "left_out",
            "description",
            "method_system",
            "method_resources",
            "method_manner",
            "method_link",
        ]
    ),
    "task": frozenset({"standings_due"}),
}
"""Columns of these tables that it does not show: the queue writes them all the time."""

_CHANGE = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+\"?(\w+)\"?")
_SET = re.compile(r"\"?(\w+)\"?\s*=")
_TOUCHED = "leaderboard.touched"
_ASK = "SELECT word FROM stamp WHERE id = 1"
_RENEW = text(
    "INSERT INTO stamp (id, word) VALUES (1, :word) ON CONFLICT (id) DO UPDATE SET word = excluded.word"
)


def stamp_changes(engine: Engine) -> None:
    """Has every transaction that changes what is shown renew the stamp, as the last thing that it does:
    others that write wait for that row no longer than for its commit."""
    event.listen(engine, "before_cursor_execute", _note)
    event.listen(engine, "commit", _renew)
    event.listen(engine, "rollback", leave)


def shows(statement: str) -> bool:
    """Whether a statement changes what the page of a ranking could show."""
    for found in _CHANGE.finditer(statement):
        verb, table = found.groups()
        if table not in SHOWN or (table == "run" and verb == "INSERT INTO"):
            continue
        columns = set(_SET.findall(statement[found.end() :].partition(" WHERE ")[0]))
        if verb != "UPDATE" or not columns or columns - _NOT_SHOWN.get(table, frozenset()):
            return True
    return False


def leave(connection: Connection) -> None:
    """Has the transaction leave the stamp as it is: nothing was changed after all, or all rows come back as
    they were, and the stamp among them."""
    connection.info.pop(_TOUCHED, None)


class Watch:
    """Asks for the stamp on a connection of its own, once for each request: it has to be quick."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._held: Any = None

    def word(self) -> str | None:
        """The stamp of now; None where there is none (yet), or the database does not answer."""
        with self._lock:
            for _ in range(2):
                try:
                    return self._ask()
                except self._engine.dialect.loaded_dbapi.Error:
                    # The server was started anew, for example: once more on another connection.
                    self._drop()
        return None

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            self._drop()

    def _ask(self) -> str | None:
        if self._held is None:
            taken = self._engine.raw_connection()
            taken.detach()
            self._held = taken.dbapi_connection
            if self._engine.dialect.name != "sqlite":
                self._held.autocommit = True
        found = self._held.execute(_ASK).fetchone()
        return None if found is None else str(found[0])

    def _drop(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None


def _note(connection: Connection, _cursor: Any, statement: str, *_more: Any) -> None:
    if _TOUCHED not in connection.info and not _reads(statement) and shows(statement):
        connection.info[_TOUCHED] = True


def _reads(statement: str) -> bool:
    return statement.startswith(("SELECT", "PRAGMA", "BEGIN"))


def _renew(connection: Connection) -> None:
    # Whoever brings tables up to date writes before there is one.
    if connection.info.pop(_TOUCHED, False) and connection.dialect.has_table(connection, "stamp"):
        connection.execute(_RENEW, {"word": secrets.token_hex(16)})
