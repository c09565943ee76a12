"""``data``: the files of a task, from where they are published."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from leaderboard.cli.arguments import TASK
from leaderboard.cli.errors import BAD_INPUT, Commands
from leaderboard.config import Settings
from leaderboard.contract import SourceSpec, TaskSpec
from leaderboard.services.downloading import Progress
from leaderboard.services.fetching import (
    FOLDERS,
    Fetched,
    Origin,
    fetch_task,
    from_folder,
    from_home,
    from_mirror,
)

_EPILOG = """
\b
Examples:
  python -m leaderboard data fetch russe
  python -m leaderboard data fetch cast --to /srv/cast
  python -m leaderboard data fetch russe --from ~/downloads
  python -m leaderboard data fetch russe --from https://mirror.example.org/russe
"""


@click.group(cls=Commands, epilog=_EPILOG)
def data() -> None:
    """The files of a task: public inputs and benchmarks."""


@data.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option(
    "--from",
    "origin",
    metavar="DIR|URL",
    help="A folder with the files, at any depth, or the address of a mirror; "
    "under the names they are published under or those the task expects.",
)
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to put the folders inputs and gold; data/TASK if not given.",
)
@click.pass_obj
def fetch(settings: Settings, task: TaskSpec, origin: str | None, to: Path | None) -> None:
    """Bring the public inputs and benchmark files of TASK and check their SHA-256.

    They come from their published home at pinned commits, under the names that the task expects. A broken
    download goes on where it stopped, what is there already is left alone.
    """
    to = to or settings.data / task.name
    fetched = fetch_task(task, to, _origin(origin), _watch)
    _report(fetched, to)
    if fetched.failures:
        raise SystemExit(BAD_INPUT)


def _origin(text: str | None) -> Origin:
    if text is None:
        return from_home
    if text.startswith(("http://", "https://")):
        return from_mirror(text)
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise click.BadParameter(f"{text} is neither a folder nor an address.", param_hint="--from")
    return from_folder(folder)


def _report(fetched: Fetched, to: Path) -> None:
    for arrival in fetched.arrivals:
        click.echo(f"{arrival.how:8}  {arrival.file}")
    for each in fetched.by_hand:
        place = to / FOLDERS["input"] / each.file
        click.echo(f"by hand   {place}: no published home is declared; put the file there if you have it")
    for failure in fetched.failures:
        click.echo(f"failed    {failure}", err=True)


@contextmanager
def _watch(source: SourceSpec) -> Iterator[Progress]:
    """A progress bar for one file; only a terminal shows it."""
    with click.progressbar(
        length=1, label=source.file, file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:

        def progress(have: int, total: int | None) -> None:
            bar.length = total or have + 1
            bar.update(have - bar.pos)

        yield progress
