"""What runs say of the public inputs, read from their files and kept in memory for a while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.scorers import OwnValues
from leaderboard.services.recent import Recent
from leaderboard.store.files import Files

CACHED = 16
"""The values of so many runs are kept in memory by one process."""

_read: Recent[OwnValues | None] = Recent(CACHED)

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

    def kept(file_hash: str) -> OwnValues | None:
        return _read.get_beside((spec.name, scorer.VERSION, str(folder), file_hash), lambda: read(file_hash))

    return kept
