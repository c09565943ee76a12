"""What commands that work on an installation begin with, and how they show that they are busy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from leaderboard.config import Settings
from leaderboard.services import installation
from leaderboard.services.rescoring import Progress
from leaderboard.site import Site, opened


@contextmanager
def ready(settings: Settings) -> Iterator[Site]:
    """The installation, closed at the end of the block. Raises NotInitialised where `init` comes first."""
    with opened(settings) as site:
        installation.require(site.database)
        yield site


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """How many are done of how many; only a terminal shows it."""
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def progress(done: int, total: int) -> None:
            # A bar of length 0 would never look finished.
            bar.length = max(total, 1)
            bar.update((done if total else 1) - bar.pos)

        yield progress
