"""``mj``: the resource built from the best runs of a task whose runs are word pairs."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.cli.arguments import FILE, FOLDER, TASK
from leaderboard.cli.errors import Commands
from leaderboard.cli.mj_printing import (
    file_lines,
    listing_lines,
    plan_lines,
    related_lines,
    table_3_lines,
)
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import Message, TaskSpec, say
from leaderboard.resources.mj import WEIGHTINGS
from leaderboard.services import mj as building
from leaderboard.services import mj_files, mj_pages, tasks
from leaderboard.services.mj_plans import KIND, NotBuildable
from leaderboard.site import Site, utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard mj build --weights rank --output mj.csv
  python -m leaderboard mj evaluate
  python -m leaderboard mj evaluate --gold data/russe/gold mj-rank.csv mj-exp.csv
  python -m leaderboard mj publish
  python -m leaderboard mj related книга
"""

_TARGET = click.Path(dir_okay=False, writable=True, path_type=Path)


_task_option = click.option(
    "--task", type=TASK, help="The task; if not given, the only one installed that has MJ."
)
_phase_option = click.option(
    "--phase",
    metavar="P",
    help="The phase whose ranking counts; the one that is open, or was last, if not given.",
)


@click.group(cls=Commands, epilog=_EPILOG)
def mj() -> None:
    """MJ: what the best runs of a task together say about each pair of words.

    It shows which pairs are scored and nearly how; pages show it only once it is published.
    """


@mj.command(epilog=_EPILOG)
@_task_option
@click.option(
    "--weights", type=click.Choice(WEIGHTINGS), default="rank", show_default=True, help="Weight by rank."
)
@_phase_option
@click.option("--output", type=_TARGET, help="Also write it here: a line for each pair and track.")
@click.option("--unique", type=_TARGET, help="Also write it here: a line for each pair.")
@click.pass_obj
def build(
    settings: Settings,
    task: TaskSpec | None,
    weights: str,
    phase: str | None,
    output: Path | None,
    unique: Path | None,
) -> None:
    """Build MJ from the placed runs, say which run of which team counts with which weight, and keep it."""
    for target in (output, unique):
        if target is not None and not target.resolve().parent.is_dir():
            raise click.BadParameter(f"There is no folder {target.parent}.")
    with ready(settings) as site:
        spec = _the_task(site, task)
        wanted = building.Wanted(weights, phase)
        with progress_bar("reading runs") as progress:
            built = building.build(
                site.transactions, site.files, spec, site.scorer(spec), wanted, utc_now, progress
            )
        _echo(plan_lines(spec, built.plan))
        _echo(table_3_lines(spec, built.table))
        click.echo()
        for target, file_hash in ((output, built.file_hash), (unique, built.unique_hash)):
            if target is not None:
                _copy(site.files.kept.path(file_hash), target)
        click.echo(str(_kept(spec, built)))


@mj.command(epilog=_EPILOG)
@_task_option
@_phase_option
@click.option(
    "--gold", type=FOLDER, help="The folder of the hidden benchmarks; the installed ones if not given."
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FILE)
@click.pass_obj
def evaluate(
    settings: Settings,
    task: TaskSpec | None,
    phase: str | None,
    gold: Path | None,
    files: tuple[Path, ...],
) -> None:
    """Print the paper's Table 3: the best single run of each track beside the three combinations.

    With FILEs, which are MJ as this program writes it or as it was released (column wmean): what each scores.
    """
    if gold is not None and not files:
        raise click.UsageError("--gold is for MJ files; without files the installed benchmarks count.")
    if gold is not None:
        spec = task or _only_one(Catalog(settings.tasks).tasks())
        scorer = load_scorer(spec)
        benchmark = mj_files.gold_in(spec, scorer, gold)
        _echo(file_lines(spec, files, mj_files.evaluate_files(spec, scorer, files, benchmark)))
        return
    with ready(settings) as site:
        spec = _the_task(site, task)
        if not files:
            with progress_bar("reading runs") as progress:
                table = building.table_3(
                    site.transactions, site.files, spec, site.scorer(spec), utc_now, progress, phase
                )
            _echo(table_3_lines(spec, table))
            return
        scorer = site.scorer(spec)
        with site.database.reading() as session:
            benchmark = mj_files.installed_gold(session, site.files, spec, scorer)
        _echo(file_lines(spec, files, mj_files.evaluate_files(spec, scorer, files, benchmark)))


@mj.command("list")
@_task_option
@click.pass_obj
def list_builds(settings: Settings, task: TaskSpec | None) -> None:
    """List what was built, the newest first, with its line of Table 3."""
    with ready(settings) as site, site.database.reading() as session:
        spec = _the_task(site, task)
        builds = mj_pages.listing(session, spec)
    if not builds:
        click.echo(str(say("No MJ of {task} has been built yet.", task=spec.name)))
        return
    _echo(listing_lines(spec, builds))


@mj.command(epilog=_EPILOG)
@_task_option
@click.argument("number", type=click.IntRange(1), required=False)
@click.pass_obj
def publish(settings: Settings, task: TaskSpec | None, number: int | None) -> None:
    """Let everybody see and download MJ NUMBER; the newest if not given.

    It shows which pairs are scored and nearly how. What was downloaded cannot be called back.
    """
    with ready(settings) as site, site.database.writing() as session:
        spec = _the_task(site, task)
        found = mj_pages.publish(
            session, spec, number or _newest(mj_pages.listing(session, spec), spec), utc_now()
        )
    click.echo(str(say("MJ {number} of {task} is published.", number=found.number, task=spec.name)))


@mj.command(epilog=_EPILOG)
@_task_option
@click.argument("number", type=click.IntRange(1), required=False)
@click.pass_obj
def unpublish(settings: Settings, task: TaskSpec | None, number: int | None) -> None:
    """Let only organisers see MJ NUMBER; the newest published one if not given."""
    with ready(settings) as site, site.database.writing() as session:
        spec = _the_task(site, task)
        found = mj_pages.unpublish(
            session, spec, number or _newest(mj_pages.published(session, spec), spec), utc_now()
        )
    click.echo(str(say("MJ {number} of {task} is no longer published.", number=found.number, task=spec.name)))


@mj.command(epilog=_EPILOG)
@_task_option
@click.option("--number", type=click.IntRange(1), help="Which MJ; the newest if not given.")
@click.option("--most", type=click.IntRange(1), default=10, show_default=True, help="So many of each.")
@click.argument("word")
@click.pass_obj
def related(settings: Settings, task: TaskSpec | None, number: int | None, most: int, word: str) -> None:
    """Print the words most and least related to WORD: the paper's Table 1."""
    with ready(settings) as site:
        spec = _the_task(site, task)
        with site.database.reading() as session:
            found = mj_pages.of_number(
                session, spec, number or _newest(mj_pages.listing(session, spec), spec)
            )
        _echo(related_lines(mj_pages.related(site.files, found, word, most)))


def _kept(spec: TaskSpec, built: building.Built) -> Message:
    if built.again:
        return say("It is MJ {number}, built before from the same runs.", number=built.number)
    return say(
        "Kept as MJ {number}. Only organisers see it until `mj publish --task {task} {number}`.",
        number=built.number,
        task=spec.name,
    )


def _the_task(site: Site, named: TaskSpec | None) -> TaskSpec:
    if named is not None:
        return site.as_set(named)
    with site.database.reading() as session:
        installed = set(tasks.installed(session))
    return site.as_set(_only_one([spec for spec in site.catalog.tasks() if spec.name in installed]))


def _only_one(specs: Iterable[TaskSpec]) -> TaskSpec:
    having = [spec for spec in specs if spec.resource == KIND]
    if len(having) == 1:
        return having[0]
    if not having:
        raise NotBuildable(say("No task with MJ is installed; run `python -m leaderboard init` first."))
    names = ", ".join(spec.name for spec in having)
    raise NotBuildable(say("Several tasks have MJ; name one with --task: {names}.", names=names))


def _newest(builds: Collection[mj_pages.Mj], spec: TaskSpec) -> int:
    for found in builds:
        return found.number
    raise mj_pages.UnknownMj(say("There is no such MJ of {task} yet; `mj build` makes one.", task=spec.name))


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise click.FileError(str(target), error.strerror) from error
    click.echo(str(say("Written to {file}.", file=target)))


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
