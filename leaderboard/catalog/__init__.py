"""The tasks that this installation runs: declarations read from ``task.toml``, scorers loaded by path.

`leaderboard.catalog.declaration` reads one declaration, `leaderboard.catalog.tables` the typed values in
it, `leaderboard.catalog.tasks` finds tasks and loads their scorers.
"""

from leaderboard.catalog.declaration import load_task
from leaderboard.catalog.tables import CatalogError, UnknownTask
from leaderboard.catalog.tasks import Catalog, load_scorer

__all__ = ["Catalog", "CatalogError", "UnknownTask", "load_scorer", "load_task"]
