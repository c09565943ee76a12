"""``submit``: a run, or many, from files to the standings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from leaderboard.cli.arguments import FILE, TASK
from leaderboard.cli.errors import BAD_INPUT
from leaderboard.cli.printing import fault_lines, labelled, result_lines
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import Message, TaskSpec, say, say_count
from leaderboard.formats.manifest import read_time
from leaderboard.rules import Kind
from leaderboard.services import entering, gold, run_pages
from leaderboard.services.entering import Entered, Entry
from leaderboard.services.runs import Details
from leaderboard.site import Site, utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard submit russe my-run.csv --team "My team" --name "Word vectors"
  python -m leaderboard submit cast --manifest tasks/cast/sample/runs.csv

A manifest is a CSV file with the columns file and team and, as wanted, name, description, submitted_at,
baseline and contrastive (yes or no). Files are looked for beside it.
"""


class TimeParameter(click.ParamType[datetime]):
    """A time as ISO 8601 writes it."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        moment = read_time(str(value))
        if moment is None:
            self.fail(f"{value!r} is not a time; write it like 2026-03-02T09:00:00Z.", param, ctx)
        return moment


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.argument("file", type=FILE, required=False)
@click.option("--team", help="Whose run it is; a team that is not known yet is made.")
@click.option("--name", default="", help="What to call the run; the file's name if not given.")
@click.option("--description", default="", help="How the run was made.")
@click.option("--submitted-at", type=TimeParameter(), help="When it was submitted; now if not given.")
@click.option("--baseline", "kind", flag_value="baseline", help="It is the organisers', and takes no place.")
@click.option("--contrastive", "kind", flag_value="contrastive", help="It is for comparison; no place.")
@click.option("--manifest", type=FILE, help="A CSV file that names many runs.")
@click.pass_obj
def submit(
    settings: Settings,
    task: TaskSpec,
    file: Path | None,
    team: str | None,
    name: str,
    description: str,
    submitted_at: datetime | None,
    kind: Kind | None,
    manifest: Path | None,
) -> None:
    """Keep a run of TASK, check its form, score it, and bring the standings up to date.

    FILE is a run, plain, .gz or .zip. A file with faults is not scored; each fault is printed as
    FILE:LINE:COLUMN. What the team submitted before is recognised.
    """
    details = Details(team or "", name, description, kind or "ordinary", submitted_at)
    if manifest is not None:
        if file is not None or details != Details(""):
            raise click.UsageError("With --manifest the file says everything; give neither FILE nor options.")
        _submit_many(settings, task, manifest)
        return
    if file is None or team is None:
        raise click.UsageError("Give a FILE and its --team, or a --manifest.")
    _submit_one(settings, task, Entry(file, details))


def _submit_one(settings: Settings, task: TaskSpec, entry: Entry) -> None:
    with ready(settings) as site:
        task = site.as_set(task)
        entered = entering.enter(site.transactions, site.files, task, site.scorer(task), entry, utc_now)
        if entered.state == "rejected":
            _print_faults(entered)
            raise SystemExit(BAD_INPUT)
        _print_run(site, task, entered)
    if entered.state == "failed":
        raise SystemExit(BAD_INPUT)


def _submit_many(settings: Settings, task: TaskSpec, manifest: Path) -> None:
    with ready(settings) as site:
        task = site.as_set(task)
        entries = entering.plan(manifest)
        with progress_bar("runs") as progress:
            entered = entering.enter_all(
                site.transactions, site.files, task, site.scorer(task), entries, utc_now, progress
            )
    for each in entered:
        click.echo(f"{each.entry.path}: {_outcome(each)}")
        if each.state == "rejected":
            _print_faults(each)
    for message in _summary(entered):
        click.echo(str(message))
    if any(each.state == "received" for each in entered):
        click.echo(str(gold.NoGoldInstalled(task).message))
    if any(each.state in ("rejected", "failed") for each in entered):
        raise SystemExit(BAD_INPUT)


def _outcome(entered: Entered) -> Message:
    run_id = entered.submission.run_id
    if entered.submission.again:
        return say("submitted before, as run {run}", run=run_id)
    if entered.state == "rejected":
        return say("rejected, see its faults")
    if entered.state == "failed":
        return say("run {run}, whose scoring failed", run=run_id)
    if entered.state == "received":
        return say("run {run}, which waits for a benchmark", run=run_id)
    return say("run {run}, scored", run=run_id)


def _summary(entered: Sequence[Entered]) -> list[Message]:
    new = [each for each in entered if not each.submission.again]
    counts = {state: sum(each.state == state for each in new) for state in ("scored", "rejected", "failed")}
    again = len(entered) - len(new)
    messages = [say_count("{count} run scored.", "{count} runs scored.", counts["scored"])]
    if again:
        messages.append(say_count("{count} was here before.", "{count} were here before.", again))
    if counts["rejected"]:
        messages.append(say_count("{count} was rejected.", "{count} were rejected.", counts["rejected"]))
    if counts["failed"]:
        messages.append(
            say_count("The scoring of {count} failed.", "The scoring of {count} failed.", counts["failed"])
        )
    return messages


def _print_faults(entered: Entered) -> None:
    report = entered.submission.report
    for line in (*labelled("warning", report.warnings), *labelled("note", report.notes)):
        click.echo(line, err=True)
    for line in fault_lines(entered.entry.path, report):
        click.echo(line, err=True)


def _print_run(site: Site, task: TaskSpec, entered: Entered) -> None:
    with site.database.reading() as session:
        page = run_pages.show(session, task, entered.submission.run_id)
    summary = page.summary
    click.echo(
        str(
            say(
                'run {run}: "{name}" of {team}, submitted {time} in the phase {phase}',
                run=summary.run_id,
                name=summary.name,
                team=summary.team,
                time=summary.submitted_at.strftime("%Y-%m-%d %H:%M UTC"),
                phase=summary.phase,
            )
        )
    )
    for message in _remarks(task, entered, page):
        click.echo(str(message))
    tracks = {track.name: track for track in task.tracks}
    for result in page.results:
        if result.active and result.track in tracks:
            for line in result_lines(tracks[result.track], result):
                click.echo(line)
    for label, messages in (
        ("warning", page.warnings),
        ("note", page.notes),
        ("not checked", page.left_out),
    ):
        for line in labelled(label, messages):
            click.echo(line)


def _remarks(task: TaskSpec, entered: Entered, page: run_pages.RunPage) -> list[Message]:
    remarks = []
    if entered.submission.again:
        remarks.append(say("The team had submitted this very file before; nothing has changed."))
    if entered.submission.withdrawn:
        remarks.append(say("The team has withdrawn that run."))
    if entered.submission.late:
        remarks.append(say("The phase had closed by then."))
    if entered.state == "received":
        remarks.append(gold.NoGoldInstalled(task).message)
        remarks.append(say("The run is kept, and will be scored then."))
    if page.failure is not None:
        remarks.append(page.failure)
        remarks.append(say("Details: {detail}", detail=page.failure_detail or "none"))
    return remarks
