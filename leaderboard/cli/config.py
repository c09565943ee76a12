"""``config``: whether the settings are in order."""

from __future__ import annotations

import os

import click

from leaderboard.cli.errors import BAD_INPUT, Commands
from leaderboard.config import Settings
from leaderboard.contract import say, say_count
from leaderboard.services import configuration
from leaderboard.site import Site, opened

_SIGNS = {"good": "ok", "worth a look": "look", "wrong": "WRONG"}


@click.group(cls=Commands)
def config() -> None:
    """The settings, which are variables of the environment."""


@config.command()
@click.pass_obj
def check(settings: Settings) -> None:
    """Try every part that the settings name, and say in plain words what is wrong.

    Ends with exit code 1 where something is; what is only worth a look is no error. docs/operating.md says
    what each variable means.
    """
    with opened(settings) as site:
        found = configuration.check(
            settings, site.catalog, site.database, site.files, site.postman, lambda: _try_queue(site)
        )
    for each in (*found, *configuration.mistyped(os.environ)):
        # What servers say may have several lines.
        click.echo(f"{_SIGNS[each.grade]:5}  {each.setting}: {' '.join(str(each.words).split())}")
    wrong = sum(each.grade == "wrong" for each in found)
    if wrong:
        click.echo(
            str(say_count("{count} setting is wrong.", "{count} settings are wrong.", wrong)), err=True
        )
        raise SystemExit(BAD_INPUT)
    click.echo(str(say("The site can work with these settings.")))


def _try_queue(site: Site) -> None:
    site.jobs.huey.pending_count()
