"""``rescore``: stored runs are scored again."""

from __future__ import annotations

import click

from leaderboard.cli.arguments import TASK
from leaderboard.cli.errors import BAD_INPUT
from leaderboard.cli.printing import rescored_lines
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec
from leaderboard.services import rescoring
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard rescore russe
  python -m leaderboard rescore russe --pending
  python -m leaderboard rescore russe --run 17
"""


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--run", "run_id", type=int, metavar="N", help="This run alone, also one whose scoring failed.")
@click.option("--pending", is_flag=True, help="What a killed process left without scores, alone.")
@click.pass_obj
def rescore(settings: Settings, task: TaskSpec, run_id: int | None, pending: bool) -> None:
    """Score the runs of TASK by the benchmark of now, and bring the standings up to date.

    Killed and started anew it does the same; with --pending only what is missing.
    """
    if run_id is not None and pending:
        raise click.UsageError("Give --run or --pending, not both.")
    with ready(settings) as site, progress_bar("scoring") as progress:
        task = site.as_set(task)
        parts = (site.transactions, site.files, task, site.scorer(task))
        if run_id is not None:
            done = rescoring.again(*parts, run_id, utc_now)
        elif pending:
            done = rescoring.finish_pending(*parts, utc_now, progress)
        else:
            done = rescoring.rescore_all(*parts, utc_now, progress)
    for line in rescored_lines(done):
        click.echo(line)
    if done.failed:
        raise SystemExit(BAD_INPUT)
