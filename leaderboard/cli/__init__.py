"""The command line: parse, call a service, print. One file a noun.

Exit codes: 0 success, 1 bad input (a file, a task or an answer is not in order), 2 wrong usage.
"""

from __future__ import annotations

import click

from leaderboard.cli.data import data
from leaderboard.cli.errors import Commands
from leaderboard.cli.scoring import check, score
from leaderboard.config import Settings, from_environment

_EPILOG = """
\b
Examples:
  python -m leaderboard data fetch russe
  python -m leaderboard check russe my-run.csv
  python -m leaderboard score russe my-run.csv --gold data/russe/gold

Every command explains itself: python -m leaderboard COMMAND --help
"""


@click.group(cls=Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def main(context: click.Context) -> None:
    """Run shared tasks: check and score runs, rank teams, build resources from the best.

    TASK is a task's name (russe, cast, cast2020) or the path of a folder with a task.toml.
    Exit codes: 0 success, 1 bad input, 2 wrong usage.
    """
    if not isinstance(context.obj, Settings):
        context.obj = from_environment()


for _command in (data, check, score):
    main.add_command(_command)
