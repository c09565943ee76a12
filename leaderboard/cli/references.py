"""``references``: published results of others."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.cli.arguments import FILE, TASK
from leaderboard.cli.errors import Commands
from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say_count
from leaderboard.services import references as published
from leaderboard.services.audit import SHELL
from leaderboard.site import utc_now

_EPILOG = """
\b
Example:
  python -m leaderboard references import cast official.csv --track graded --source "TREC CAsT 2019"
"""


@click.group(cls=Commands, epilog=_EPILOG)
def references() -> None:
    """Published results of others, shown beside a ranking without a place."""


@references.command("import", epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.argument("file", type=FILE)
@click.option("--source", required=True, help="Where the results were published; shown beside them.")
@click.option("--track", metavar="T", help="The track they belong to; the whole task if not given.")
@click.pass_obj
def import_results(settings: Settings, task: TaskSpec, file: Path, source: str, track: str | None) -> None:
    """Read published results from FILE, in the place of all earlier ones of the same source.

    FILE is CSV with a column `run` and, as wanted, `participant`, `description`, and measures as trec_eval
    names them (ndcg_cut_3, map, recip_rank).
    """
    with ready(settings) as site, site.database.writing() as session:
        count = published.publish(session, task, file, source, track, SHELL, utc_now())
    click.echo(str(say_count("{count} published result.", "{count} published results.", count)))
