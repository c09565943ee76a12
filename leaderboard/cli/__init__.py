"""The command line: parse, call a service, print. One file a noun.

Exit codes: 0 success, 1 bad input (a file, a task or an answer is not in order), 2 wrong usage.
"""

from __future__ import annotations

import click

from leaderboard.cli.later import LaterCommands, Place
from leaderboard.config import Settings, from_environment

PLACES: dict[str, Place] = {
    "demo": ("leaderboard.cli.demo:demo", "Show everything on sample data."),
    "check": ("leaderboard.cli.scoring:check", "Check the form of a run, without any gold."),
    "score": ("leaderboard.cli.scoring:score", "Score a file without keeping it."),
    "data": ("leaderboard.cli.data:data", "Bring the published files of a task."),
    "admin": ("leaderboard.cli.admin:admin", "Say who may do everything."),
    "init": ("leaderboard.cli.init:init", "Create or upgrade the database."),
    "config": ("leaderboard.cli.config:config", "Say whether the settings are in order."),
    "inputs": ("leaderboard.cli.inputs:inputs", "Install the public files of a task."),
    "gold": ("leaderboard.cli.gold:gold", "Install the hidden benchmarks of a task."),
    "submit": ("leaderboard.cli.submit:submit", "Keep, check and score a run, or many."),
    "rescore": ("leaderboard.cli.rescore:rescore", "Score stored runs again."),
    "board": ("leaderboard.cli.board:board", "Print a ranking."),
    "study": ("leaderboard.cli.study:study", "Say what measures are worth, with tables and figures."),
    "backup": ("leaderboard.cli.backup:backup", "Save the whole site, while it runs."),
    "restore": ("leaderboard.cli.backup:restore", "Bring a saved site back."),
    "archive": ("leaderboard.cli.archive:archive", "Pack a task with everything, or bring one."),
    "mj": ("leaderboard.cli.mj:mj", "Build a resource from the best runs, and evaluate it."),
    "judging": ("leaderboard.cli.judging:judging", "Pools, levels and agreement of people's preferences."),
    "boosting": ("leaderboard.cli.boosting:boosting", "Say what an attacker reads off a board."),
    "probing": (
        "leaderboard.cli.probing:probing",
        "What looks as if somebody read the benchmark off the board.",
    ),
    "references": ("leaderboard.cli.references:references", "Published results of others."),
    "client": ("leaderboard.cli.client:client", "Submit to a server elsewhere, and ask it."),
    "serve": ("leaderboard.cli.serve:serve", "Serve the pages and work through the queue."),
    "worker": ("leaderboard.cli.worker:worker", "Work through the queue alone."),
}
"""Every command, and the line that ``--help`` says about it."""

_EPILOG = """
\b
Examples:
  python -m leaderboard demo
  python -m leaderboard check russe my-run.csv
  python -m leaderboard submit russe my-run.csv --team "My team"

Every command explains itself: python -m leaderboard COMMAND --help
"""


@click.group(
    cls=LaterCommands,
    places=PLACES,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def main(context: click.Context) -> None:
    """Run shared tasks: check and score runs, rank teams, build resources from the best.

    TASK is a task's name (russe, cast, cast2020) or the path of a folder with a task.toml.
    Exit codes: 0 success, 1 bad input, 2 wrong usage.
    """
    if not isinstance(context.obj, Settings):
        context.obj = from_environment()
