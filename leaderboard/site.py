"""One installation, opened from its settings: the only place where the parts are wired.

The web and the command line both work on a `Site`; neither makes a database or a file store of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.config import Settings
from leaderboard.contract import Scorer, TaskSpec
from leaderboard.jobs import Jobs, queue_at
from leaderboard.services import mj, rescoring
from leaderboard.services.rescoring import Transactions
from leaderboard.store.files import Files
from leaderboard.store.session import Database


def utc_now() -> datetime:
    """The clock of the site. Services are handed its time; nothing below reads a clock."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Site:
    """The parts of one installation.

    `database` and `files` are where everything is kept, `catalog` has the tasks that could be installed.
    """

    settings: Settings
    catalog: Catalog
    database: Database
    files: Files

    @cached_property
    def transactions(self) -> Transactions:
        """The two kinds of transaction, for services that need many."""
        return Transactions(self.database.reading, self.database.writing)

    @cached_property
    def jobs(self) -> Jobs:
        """The queue, for those who deliver jobs to it and for those who do them. Raises BadQueue."""
        parts = (self.transactions, self.files, self.task, utc_now)
        registry = {rescoring.JOB: rescoring.job(*parts), mj.JOB: mj.job(*parts)}
        return Jobs(queue_at(self.settings.queue_url), self.database.writing, registry, utc_now)

    def task(self, name: str) -> tuple[TaskSpec, Scorer]:
        """A task and its scorer, by its name. Raises CatalogError."""
        spec = self.catalog.find(name)
        return spec, self.scorer(spec)

    def scorer(self, spec: TaskSpec) -> Scorer:
        """The scorer of a task. Raises CatalogError."""
        return load_scorer(spec)

    def close(self) -> None:
        """Ends all connections."""
        self.database.close()


def open_site(settings: Settings) -> Site:
    """The installation that the settings describe. Creates nothing; `init` makes its tables."""
    return Site(
        settings=settings,
        catalog=Catalog(settings.tasks),
        database=Database(settings.database_url),
        files=Files.under(settings.instance),
    )


@contextmanager
def opened(settings: Settings) -> Iterator[Site]:
    """A site that is closed at the end of the block."""
    site = open_site(settings)
    try:
        yield site
    finally:
        site.close()
