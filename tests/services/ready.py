"""The toy task where a test begins."""

from __future__ import annotations

from pathlib import Path

from leaderboard.contract import TaskSpec
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.toy import Toy, make_spec


def ready(database: Database, folder: Path, spec: TaskSpec | None = None) -> Toy:
    """The toy task, declared as usual or otherwise, installed with its gold into a database without rows."""
    made = Toy(database, folder, spec or make_spec())
    kept(("toy", repr(made.spec)), database, folder, lambda: made.install().install_gold())
    return made
