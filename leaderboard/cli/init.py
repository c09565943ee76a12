"""``init``: the database and the tasks."""

from __future__ import annotations

from collections.abc import Iterator

import click

from leaderboard.config import Settings
from leaderboard.contract import Message, say
from leaderboard.services import installation, tasks
from leaderboard.site import opened, utc_now


@click.command()
@click.pass_obj
def init(settings: Settings) -> None:
    """Create or upgrade the database, and make every task and its phases known.

    Safe to repeat: do so after each upgrade of the software and each change of a task.toml. The tasks are
    those in the folders that LEADERBOARD_TASKS names.
    """
    with opened(settings) as site:
        found = installation.initialise(site.database, site.catalog.tasks(), utc_now())
        place = site.database.url.render_as_string(hide_password=True)
    click.echo(str(say("The database {place} is ready.", place=place)))
    for name, installed in found.items():
        for message in _changes(name, installed):
            click.echo(str(message))


def _changes(name: str, installed: tasks.Installed) -> Iterator[Message]:
    if installed.new:
        yield say("{task}: installed.", task=name)
        return
    if installed.phases_added:
        yield say("{task}: new phases {phases}.", task=name, phases=", ".join(installed.phases_added))
    if installed.phases_changed:
        yield say("{task}: changed phases {phases}.", task=name, phases=", ".join(installed.phases_changed))
    if installed.phases_gone:
        yield say(
            "{task}: phases {phases} are no longer declared; their runs stay.",
            task=name,
            phases=", ".join(installed.phases_gone),
        )
    if not (installed.phases_added or installed.phases_changed or installed.phases_gone):
        yield say("{task}: as before.", task=name)
