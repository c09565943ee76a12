"""The one place where typed errors become words and exit codes."""

from __future__ import annotations

from typing import Any

import click

BAD_INPUT = 1


class Commands(click.Group):
    """A group whose commands may raise the services' errors: each ends in a sentence and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except _expected() as error:
            click.echo(str(error), err=True)
            ctx.exit(BAD_INPUT)


def _expected() -> tuple[type[Exception], ...]:
    """The errors that say no to a person; looked up only once something was raised, for it costs time."""
    from leaderboard.catalog import CatalogError
    from leaderboard.client.connection import ClientError
    from leaderboard.config import BadSetting
    from leaderboard.contract import FormatError
    from leaderboard.services.errors import ServiceError

    # An OSError names the file and what the system says of it: unreadable, gone, no room on the disk.
    return (BadSetting, CatalogError, ClientError, FormatError, OSError, ServiceError)
