"""``gold``: the hidden benchmarks of a task."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.cli import gold_drafts
from leaderboard.cli.arguments import FOLDER, TASK
from leaderboard.cli.errors import Commands
from leaderboard.cli.printing import aligned, rescored_lines
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say
from leaderboard.services import gold as benchmarks
from leaderboard.services import rescoring
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard gold install russe data/russe/gold --note "as published in 2015"
  python -m leaderboard gold list russe
  python -m leaderboard gold draft russe new-gold
"""


@click.group(cls=Commands, epilog=_EPILOG)
def gold() -> None:
    """The hidden benchmarks of a task, in numbered versions that nothing serves."""


for _command in (gold_drafts.draft, gold_drafts.list_drafts, gold_drafts.apply, gold_drafts.discard):
    gold.add_command(_command)


@gold.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--note", default="", help="What to remember about this version.")
@click.pass_obj
def install(settings: Settings, task: TaskSpec, folder: Path, note: str) -> None:
    """Make a new version of the benchmark of each track whose file in DIR has changed, and score by it.

    All files are read first; when one of them is wrong nothing is installed. Then the runs that have no
    score by the new versions get theirs. `gold draft` says beforehand what would change.
    """
    with ready(settings) as site:
        task = site.as_set(task)
        scorer = site.scorer(task)
        with site.database.writing() as session:
            found = benchmarks.install(session, site.files, task, scorer, folder, note, utc_now())
        for track, number in found.installed.items():
            click.echo(str(say("{track}: version {number} scores from now on.", track=track, number=number)))
        for track in found.unchanged:
            click.echo(str(say("{track}: as before.", track=track)))
        for track in found.absent:
            click.echo(str(say("{track}: no file in {folder}.", track=track, folder=folder)))
        with progress_bar("scoring") as progress:
            done = rescoring.bring_up_to_date(site.transactions, site.files, task, scorer, utc_now, progress)
    if done.scored or done.failed:
        for line in rescored_lines(done):
            click.echo(line)


@gold.command("list")
@click.argument("task", type=TASK)
@click.pass_obj
def list_versions(settings: Settings, task: TaskSpec) -> None:
    """List the versions of each track's benchmark, the newest first."""
    with ready(settings) as site, site.database.reading() as session:
        versions = benchmarks.listing(session, task)
    if not versions:
        click.echo(str(benchmarks.NoGoldInstalled(task).message))
        return
    header = ("track", "version", "state", "installed", "topics", "file", "SHA-256", "note")
    rows = [
        (
            version.track,
            str(version.number),
            version.state if version.has_file else f"{version.state}, not here",
            version.installed_at.strftime("%Y-%m-%d %H:%M"),
            str(len(version.topics)) if version.topics else "",
            version.file_name,
            version.file_hash[:12] if version.has_file else "",
            version.note,
        )
        for version in versions
    ]
    for line in aligned([header, *rows], right=(1, 4)):
        click.echo(line)
