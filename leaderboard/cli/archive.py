"""``archive``: a task with everything it has, in one file."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from leaderboard.cli.arguments import FILE, TASK
from leaderboard.cli.errors import Commands
from leaderboard.cli.printing import aligned
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say
from leaderboard.services import archive_importing, archives
from leaderboard.services.archives import Wanted
from leaderboard.services.audit import SHELL
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard archive make russe --output russe.zip
  python -m leaderboard archive make russe --names public --output for-everybody.zip
  python -m leaderboard archive import russe.zip
"""

_TARGET = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.group(cls=Commands, epilog=_EPILOG)
def archive() -> None:
    """A task with its rankings, runs, settings and files, packed into one ZIP with a hash for each entry."""


@archive.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--with-gold", is_flag=True, help="The hidden benchmarks too: not for publication.")
@click.option(
    "--names",
    type=click.Choice(["own", "public"]),
    default="own",
    show_default=True,
    help="What teams call themselves, or what the public reads: aliases, until names are revealed.",
)
@click.option("--output", type=_TARGET, help="Also write it here.")
@click.pass_obj
def make(settings: Settings, task: TaskSpec, with_gold: bool, names: str, output: Path | None) -> None:
    """Pack everything that TASK has, and keep it. The same state gives the same bytes."""
    if output is not None and not output.resolve().parent.is_dir():
        raise click.BadParameter(f"There is no folder {output.parent}.")
    with ready(settings) as site:
        with site.database.reading() as session:
            task = site.spec(session, task.name)
        with site.database.writing() as session:
            wanted = Wanted(with_gold, names == "own")
            number = archives.begin(session, task, wanted, SHELL, utc_now()).number
        with progress_bar("packing") as progress:
            made = archives.make(site.transactions, site.files, task, number, utc_now, progress)
        if output is not None:
            _copy(archives.path_of(site.files, made), output, private=with_gold)
    click.echo(
        str(
            say(
                "Kept as archive {number} of {task}: {size} bytes, SHA-256 {hash}.",
                number=made.number,
                task=task.name,
                size=made.size,
                hash=made.file_hash,
            )
        )
    )
    if with_gold:
        click.echo(str(say("It has the hidden benchmarks: keep it to yourself.")))


@archive.command("list")
@click.argument("task", type=TASK)
@click.pass_obj
def list_archives(settings: Settings, task: TaskSpec) -> None:
    """List the archives of TASK, the newest first."""
    with ready(settings) as site, site.database.reading() as session:
        found = archives.listing(session, task)
    if not found:
        click.echo(str(say("No archive of {task} has been made yet.", task=task.name)))
        return
    header = ("number", "state", "as of", "gold", "names", "bytes", "SHA-256")
    rows = [
        (
            str(made.number),
            made.state,
            made.made_at.strftime("%Y-%m-%d %H:%M"),
            "yes" if made.with_gold else "no",
            "own" if made.own_names else "public",
            str(made.size or ""),
            (made.file_hash or "")[:12],
        )
        for made in found
    ]
    for line in aligned([header, *rows], right=(0, 5)):
        click.echo(line)


@archive.command("import", epilog=_EPILOG)
@click.argument("file", type=FILE)
@click.pass_obj
def bring(settings: Settings, file: Path) -> None:
    """Bring the task of an archive into an installation that has nothing of it yet.

    Every entry is checked by its hash first. Its rankings read as they did; without gold, no new run can be
    scored until `gold install`.
    """
    with ready(settings) as site, progress_bar("reading") as progress:
        found = archive_importing.bring(
            site.transactions, site.files, site.catalog.find, file, SHELL, utc_now, progress
        )
    click.echo(
        str(
            say(
                "Imported {task}: {teams} teams, {runs} runs, {boards} rankings.",
                task=found.task,
                teams=found.teams,
                runs=found.runs,
                boards=found.boards,
            )
        )
    )
    if found.renumbered:
        click.echo(str(say("Runs got new numbers, since theirs are taken here.")))
    if not found.with_gold:
        click.echo(
            str(
                say(
                    "The benchmarks stayed behind: nothing can be scored until `gold install {task} DIR`.",
                    task=found.task,
                )
            )
        )


def _copy(source: Path, target: Path, *, private: bool) -> None:
    try:
        if private:
            target.touch(mode=0o600)
            target.chmod(0o600)
        shutil.copyfile(source, target)
    except OSError as error:
        raise click.FileError(str(target), error.strerror) from error
    click.echo(str(say("Written to {file}.", file=target)))
