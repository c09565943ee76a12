"""What runs say of the public inputs, read from their files and kept in memory for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.scorers import OwnValues
from leaderboard.store.files import Files

CACHED = 16
"""The values of so many runs are kept in memory by one process."""

Reader = Callable[[str], OwnValues | None]
"""From the hash of a run's file to its values; None where it cannot be read any more. Raises FileMissing."""


def reader(spec: TaskSpec, scorer: Scorer, files: Files, folder: Path | None) -> Reader | None:
    """Reads runs beside the public inputs in `folder`; None where the task's scorer offers no `own_values`,
    or there are no inputs."""
    offered = getattr(scorer, "own_values", None)
    if offered is None or folder is None:
        return None

    def read(file_hash: str) -> OwnValues | None:
        report = scorer.check(spec, files.kept.path(file_hash), folder)
        if not report.accepted:
            return None
        found: OwnValues = offered(spec, report.run, folder)
        return found

    return lambda file_hash: _cache.get((spec.name, scorer.VERSION, str(folder), file_hash), read)


class _Cache:
    """The values read last; those not asked for the longest go first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._read: OrderedDict[tuple[str, ...], OwnValues | None] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...], read: Reader) -> OwnValues | None:
        with self._lock:
            if key in self._read:
                self._read.move_to_end(key)
                return self._read[key]
        # Read without the lock: others need not wait, and reading twice does no harm.
        found = read(key[-1])
        with self._lock:
            self._read[key] = found
            if len(self._read) > self._size:
                self._read.popitem(last=False)
        return found


_cache = _Cache(CACHED)
