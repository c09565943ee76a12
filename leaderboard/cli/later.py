"""Commands that are imported when they are used, so that help and completion need not wait for numpy."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from leaderboard.cli.errors import Commands

Place = tuple[str, str]
"""Where a command is found, as ``module:name``, and what the list of commands says about it."""


class LaterCommands(Commands):
    """A group that knows its commands by name and line of help alone."""

    def __init__(self, *arguments: object, places: Mapping[str, Place], **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]  # handed on as they came
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of a first use, not of the alphabet."""
        return [*self.places, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return super().get_command(ctx, cmd_name)
        module, _, name = self.places[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - asking it for the commands would import them all
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.places.items()])
