"""``judging import``: what was judged elsewhere, into a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.cli.arguments import FILE, TASK
from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say, say_count
from leaderboard.services import judging_imports
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_imports import Imported
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard judging import cast 1 crowd.pref
  python -m leaderboard judging import russe 2 negatives0-7.csv negatives0-13.csv
"""


@click.command("import", epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.argument("campaign", type=click.IntRange(1))
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.pass_obj
def import_judgments(settings: Settings, task: TaskSpec, campaign: int, files: tuple[Path, ...]) -> None:
    """Take the judgments in FILES into a campaign of TASK that is open or paused.

    Preferences are lines of `topic docno1 docno2 preferred`. Grades and ratings are tables of topic and
    docno, or word1 and word2, with judge and rating, or a column for each judge. For unrelated pairs they are
    annotators' files, one for each annotator, who is called as the file is.

    A file is taken whole or not at all, and each only once.
    """
    with ready(settings) as site:
        spec = site.as_set(task)
        for path in files:
            with site.database.writing() as session:
                made = judging_imports.import_judgments(
                    session, spec, campaign, path, path.name, SHELL, utc_now()
                )
            click.echo(f"{path.name}: {_told(made)}")


def _told(made: Imported) -> str:
    if made.again:
        return str(say("taken before; nothing has changed."))
    taken = say_count("{count} judgment taken", "{count} judgments taken", made.judgments)
    judges = say_count("of {count} judge", "of {count} judges", made.judges)
    return str(say("{taken}, {judges}; {left} left out.", taken=taken, judges=judges, left=made.left_out))
