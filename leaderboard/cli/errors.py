"""The one place where typed errors become words and exit codes."""

from __future__ import annotations

from typing import Any

import click

from leaderboard.catalog import CatalogError
from leaderboard.contract import FormatError
from leaderboard.services.errors import ServiceError

BAD_INPUT = 1


class Commands(click.Group):
    """A group whose commands may raise the services' errors: each ends in a sentence and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CatalogError, FormatError, ServiceError) as error:
            click.echo(str(error), err=True)
            ctx.exit(BAD_INPUT)
