"""What several commands take: a task, a file, a folder."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.catalog import Catalog, UnknownTask
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE_OR_PIPE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class TaskParameter(click.ParamType[TaskSpec]):
    """A task by its name or folder."""

    name = "task"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> TaskSpec:
        if isinstance(value, TaskSpec):
            return value
        settings = ctx.find_object(Settings) if ctx is not None else None
        try:
            return Catalog((settings or Settings()).tasks).find(str(value))
        except UnknownTask as error:
            self.fail(str(error), param, ctx)


TASK = TaskParameter()
