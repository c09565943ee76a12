"""``board``: a ranking, to read or to take along."""

from __future__ import annotations

from typing import get_args

import click

from leaderboard.cli.arguments import TASK
from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec
from leaderboard.services import boards, exports, public_values
from leaderboard.services.boards import Stage
from leaderboard.services.exports import Format
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard board russe
  python -m leaderboard board russe --track hj
  python -m leaderboard board cast --track combined --format latex > table.tex
"""


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--track", metavar="T", help="The ranking of this track.")
@click.option("--overall", is_flag=True, help="The ranking over all tracks.")
@click.option("--phase", metavar="P", help="The phase; the one that is open, or was last, if not given.")
@click.option(
    "--format",
    "wanted",
    type=click.Choice(get_args(Format)),
    default="text",
    show_default=True,
    help="csv and json have all values at full precision.",
)
@click.option(
    "--stage",
    type=click.Choice(get_args(Stage)),
    default="in time",
    show_default=True,
    help="post-evaluation ranks the runs that came after the phase had closed, too.",
)
@click.option(
    "--names",
    type=click.Choice(["own", "public"]),
    default="own",
    show_default=True,
    help="What teams call themselves, or what the public reads: aliases, until names are revealed.",
)
@click.pass_obj
def board(
    settings: Settings,
    task: TaskSpec,
    track: str | None,
    overall: bool,
    phase: str | None,
    wanted: Format,
    stage: Stage,
    names: str,
) -> None:
    """Print a ranking of TASK as it was computed last.

    Without --track and --overall: the overall ranking where the task has one, else its first track's.
    """
    if track is not None and overall:
        raise click.UsageError("Give --track or --overall, not both.")
    if track is None and not overall:
        track = boards.main_track(task)
    with ready(settings) as site, site.database.reading() as session:
        task = site.spec(session, task.name)
        found = boards.board(
            session,
            task,
            track,
            phase or boards.current_phase(task, utc_now()),
            stage=stage,
            now=utc_now(),
            live=True,
        )
        if names == "own":
            found = boards.with_own_names(session, found)
        told = public_values.told_on(session, task) if wanted == "text" else ()
    click.echo(exports.render(task, found, wanted), nl=False)
    for on, words in told:
        if found.track in (None, on.name):
            click.echo(f"{on.name}: {words}")
