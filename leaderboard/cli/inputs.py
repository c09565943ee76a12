"""``inputs``: the public files of a task."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.cli.arguments import FOLDER, TASK
from leaderboard.cli.errors import Commands
from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say
from leaderboard.services import inputs as public_files
from leaderboard.site import utc_now


@click.group(cls=Commands)
def inputs() -> None:
    """The public files of a task, which participants download and messages to them are made from."""


@inputs.command()
@click.argument("task", type=TASK)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.pass_obj
def install(settings: Settings, task: TaskSpec, folder: Path) -> None:
    """Hand out, from now on, the files in DIR that the task.toml of TASK names as inputs.

    A file that DIR does not have is taken from the task's own folder, where its instructions are.
    """
    with ready(settings) as site, site.database.writing() as session:
        found = public_files.install(session, site.files, task, folder, utc_now())
    for name in found.installed:
        click.echo(str(say("{input}: installed.", input=name)))
    for name in found.unchanged:
        click.echo(str(say("{input}: as before.", input=name)))
    for name in found.absent:
        click.echo(str(say("{input}: not in {folder}.", input=name, folder=folder)))
