"""Whether this process can answer people: the parts that it needs are tried, and named without a word of
what they are."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from leaderboard.store.files import ContentStore, Files
from leaderboard.store.objects import ObjectStore
from leaderboard.store.session import Database

Part = Literal["database", "storage", "queue"]

STORAGE = timedelta(seconds=10)
"""So long it is believed that an object store answers: asking writes an object, and costs."""

_log = logging.getLogger(__name__)


class Readiness:
    """Tries database, files and queue; `try_queue` raises what keeps the queue from working."""

    def __init__(self, database: Database, files: Files, try_queue: Callable[[], object]) -> None:
        self._tries: Mapping[Part, Callable[[], object]] = {
            "database": lambda: _try_database(database),
            "storage": lambda: _try_storage(files),
            "queue": try_queue,
        }
        self._remote = isinstance(files.kept, ObjectStore)
        self._lock = threading.Lock()
        self._asked: datetime | None = None
        self._answered = False

    def parts(self, now: datetime) -> Mapping[Part, bool]:
        """Which parts work. The log says what is wrong with the others."""
        return {
            "database": self._works("database"),
            "storage": self._storage(now),
            "queue": self._works("queue"),
        }

    def _storage(self, now: datetime) -> bool:
        with self._lock:
            if not self._remote or self._asked is None or now - self._asked > STORAGE:
                self._asked, self._answered = now, self._works("storage")
            return self._answered

    def _works(self, part: Part) -> bool:
        try:
            self._tries[part]()
        except Exception:
            # Whatever it is: libraries of servers have no class of errors in common.
            _log.warning("the %s does not work", part, exc_info=True)
            return False
        return True


def _try_database(database: Database) -> None:
    # What knows versions takes a while to load, and nobody waits for it before the first question.
    from leaderboard.services import installation

    installation.require(database)


def _try_storage(files: Files) -> None:
    stores: tuple[ContentStore, ...] = (files.kept, files.gold)
    for store in stores:
        draft = store.draft()
        try:
            # An empty file can be made on a full disk.
            draft.write_bytes(b"x" * 4096)
        finally:
            draft.unlink(missing_ok=True)
        if isinstance(store, ObjectStore):
            store.probe()
