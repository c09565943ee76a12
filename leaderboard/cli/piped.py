"""Runs that come through a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import click

from leaderboard.formats.upload import MAX_UNPACKED

STANDARD_INPUT = Path("-")


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """The file itself, or a copy for the time being of what a pipe brings; ``-`` is standard input.

    A pipe can be read but once and only forwards. Of an endless one no more is taken than is refused.
    """
    if file != STANDARD_INPUT and file.is_file():
        yield file
        return
    with NamedTemporaryFile(prefix="leaderboard-") as copy:
        with click.open_file(str(file), "rb") as source:
            copy.write(source.read(MAX_UNPACKED + 1))
        copy.flush()
        yield Path(copy.name)
