"""``backup`` and ``restore``: the whole site in one file, and back."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.cli.arguments import FILE
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import say
from leaderboard.services import backups
from leaderboard.site import opened

_TARGET = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command(epilog="Example: python -m leaderboard backup site.zip")
@click.argument("file", type=_TARGET)
@click.pass_obj
def backup(settings: Settings, file: Path) -> None:
    """Write the whole site to FILE, while it runs: one state of the database, and the files it names.

    Every file is checked by its hash. FILE has the hidden benchmarks and the hashes of passwords; only its
    owner may read it.
    """
    if not file.resolve().parent.is_dir():
        raise click.BadParameter(f"There is no folder {file.parent}.")
    with ready(settings) as site, progress_bar("saving") as progress:
        saved = backups.save(site.database, site.files, settings.instance, file, progress)
    _tell(say("Saved to {file}: {rows} rows, {files} files.", file=file, rows=saved.rows, files=saved.files))


@click.command(epilog="Example: python -m leaderboard restore site.zip")
@click.argument("file", type=FILE)
@click.option("--check", "only_check", is_flag=True, help="Compare every hash, and change nothing.")
@click.option(
    "--replace-everything", is_flag=True, help="Restore in place of all that this installation has."
)
@click.pass_obj
def restore(settings: Settings, file: Path, only_check: bool, replace_everything: bool) -> None:
    """Bring back the site that `backup` wrote to FILE, into an installation with nothing in it.

    Stop the server first. Every hash is compared before anything changes; then all of it is there, or
    nothing. A backup of SQLite restores into PostgreSQL and the other way round.
    """
    with progress_bar("restoring") as progress:
        if only_check:
            found = backups.check(file, progress)
            _tell(
                say(
                    "{file} is whole: {rows} rows, {files} files.",
                    file=file,
                    rows=found.rows,
                    files=found.files,
                )
            )
            return
        with opened(settings) as site:
            found = backups.restore(
                site.database,
                site.files,
                settings.instance,
                file,
                progress,
                empty_first=replace_everything,
            )
    _tell(
        say(
            "Restored from {file}: {rows} rows, {files} files.", file=file, rows=found.rows, files=found.files
        )
    )
    _tell(say("Jobs that waited are delivered again when the server starts."))


def _tell(message: object) -> None:
    click.echo(str(message))
