"""What commands that work on an installation begin with, and how they show that they are busy."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import click

from leaderboard.config import Settings
from leaderboard.contract import say_count
from leaderboard.services import installation
from leaderboard.services.outages import QueueAway
from leaderboard.services.rescoring import Progress
from leaderboard.site import Site, opened

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

LOOK = 0.5
"""Every so many seconds it is looked whether what is waited for is there."""


def wait_option(also: str = "") -> Callable[[Decorated], Decorated]:
    """How long `ready` may wait, as an option; `also` is what the command's help says beside."""
    return click.option(
        "--wait",
        type=click.IntRange(0, 3600),
        default=0,
        show_default=True,
        help=f"Wait so many seconds for a database that is away or has to be upgraded{also}.",
    )


@contextmanager
def ready(settings: Settings, wait: int = 0) -> Iterator[Site]:
    """The installation, closed at the end of the block. Raises NotInitialised where `init` comes first and
    Unreachable or QueueAway where a server does not answer, each after waiting so many seconds in vain."""
    ends, said = time.monotonic() + wait, ""
    while True:
        with ExitStack() as stack:
            try:
                site = stack.enter_context(opened(settings))
                installation.require(site.database)
            except (installation.NotInitialised, installation.Unreachable, QueueAway) as error:
                if time.monotonic() >= ends:
                    raise
                if str(error) != said:
                    said = str(error)
                    waiting = say_count(
                        "Waiting for that, up to {count} second.",
                        "Waiting for that, up to {count} seconds.",
                        wait,
                    )
                    click.echo(f"{said} {waiting}", err=True)
            else:
                yield site
                return
        time.sleep(LOOK)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """How many are done of how many; only a terminal shows it."""
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def progress(done: int, total: int) -> None:
            # A bar of length 0 would never look finished.
            bar.length = max(total, 1)
            bar.update((done if total else 1) - bar.pos)

        yield progress
