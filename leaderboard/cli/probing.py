"""``probing``: what looks as if somebody read the benchmark off the board."""

from __future__ import annotations

import json
import textwrap

import click

from leaderboard.cli.arguments import TASK
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec
from leaderboard.services import probing as service
from leaderboard.services import probing_files, probing_pages
from leaderboard.services.probing_pages import Finding, Report
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard probing russe
  python -m leaderboard probing russe --again --json
"""


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--again", is_flag=True, help="Bring the report up to date first, here and now.")
@click.option("--json", "as_json", is_flag=True, help="Print it for programs.")
@click.pass_obj
def probing(settings: Settings, task: TaskSpec, again: bool, as_json: bool) -> None:
    """Print what is stored of near-identical runs, flips, climbs, and teams that may be one person's.

    Everything comes with a number that can be checked. Honest work may look the same; nothing here is a
    judgment on anybody.
    """
    with ready(settings) as site:
        if again:
            with progress_bar("looking") as progress:
                service.bring_up_to_date(
                    site.transactions, site.files, task, site.scorer(task), utc_now, progress
                )
        with site.database.reading() as session:
            report = probing_pages.show(session, task)
    if as_json:
        click.echo(json.dumps(probing_files.document(task, report), ensure_ascii=False, indent=2))
        return
    _print(report)


def _print(report: Report) -> None:
    if report.computed_at is None:
        click.echo("No report has been made yet; --again makes one.")
        return
    click.echo(
        f"{report.runs} runs of {report.teams} teams, looked at {report.computed_at:%Y-%m-%d %H:%M} UTC"
        f"{'; runs or members have changed since' if report.behind else ''}."
    )
    if not report.reads_runs:
        click.echo("The task's scorer does not say what runs answer; only files and accounts were compared.")
    if not report.findings:
        click.echo("Nothing was seen.")
    for finding in report.findings:
        click.echo()
        _print_finding(finding)


def _print_finding(finding: Finding) -> None:
    state = "gone" if finding.gone else "to be looked at" if finding.open else "looked at"
    click.echo(f"{finding.number}. {finding.head} ({finding.strength}, {state})")
    lines = [str(finding.sentence), str(finding.honest)]
    if finding.runs:
        more = f" and {finding.more} more" if finding.more else ""
        lines.append(f"Runs: {', '.join(str(run.run_id) for run in finding.runs)}{more}")
    if finding.note:
        lines.append(f"Note: {finding.note}")
    for line in lines:
        click.echo(textwrap.fill(line, 100, initial_indent="   ", subsequent_indent="   "))
