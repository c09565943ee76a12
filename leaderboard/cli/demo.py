"""``demo``: everything at once, on sample data."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import click

from leaderboard.cli import serving
from leaderboard.cli.arguments import FOLDER
from leaderboard.cli.mj_printing import table_3_lines
from leaderboard.cli.passwords import kept_as
from leaderboard.cli.printing import fault_lines
from leaderboard.cli.serve import serve_on
from leaderboard.cli.sites import progress_bar
from leaderboard.config import Settings, inside
from leaderboard.contract import TaskSpec, say
from leaderboard.services import analysing, boards, demonstration, exports, installation
from leaderboard.services.demonstration import Exhibit
from leaderboard.site import Site, opened, utc_now


@click.command()
@click.option("--data", type=FOLDER, help="A folder of real data, instead of the samples.")
@click.option(
    "--instance",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the demo keeps its things; the folder demo in the instance folder if not given. Starts anew.",
)
@click.option("--no-serve", is_flag=True, help="Print the rankings and stop.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.pass_obj
def demo(
    settings: Settings, data: Path | None, instance: Path | None, no_serve: bool, host: str, port: int
) -> None:
    """Show everything on sample data: install the tasks, submit runs of several teams, score and rank them,
    build MJ from the best, print all of it, and serve the pages.

    With --data: on real data, found by its SHA-256 in that folder, and the files in the folders `runs`
    beside the benchmarks as the runs.
    """
    # A port that cannot be had should be known before the work, not after.
    listening = None if no_serve else serving.listen(host, port)
    settings = inside(instance or settings.instance / "demo", settings)
    _begin(settings)
    with opened(settings) as site:
        specs = site.catalog.tasks()
        installation.initialise(site.database, specs, utc_now())
        exhibits = (
            demonstration.real(specs, data, settings.instance / "data")
            if data
            else demonstration.samples(specs)
        )
        for exhibit in exhibits:
            _show(site, exhibit)
        if listening is not None:
            _open_accounts(settings, site, exhibits)
    if listening is not None:
        serve_on(settings, listening, serving.Wanted(workers=1, threads=4))


def _begin(settings: Settings) -> None:
    if demonstration.afresh(settings.instance):
        click.echo(str(say("The demo in {folder} starts afresh.", folder=settings.instance)))
    else:
        click.echo(str(say("The demo keeps its things in {folder}.", folder=settings.instance)))


def _open_accounts(settings: Settings, site: Site, exhibits: Sequence[Exhibit]) -> None:
    # Whoever else reaches the server shall not know it.
    password = secrets.token_urlsafe(9)
    secret = kept_as(settings, password)
    with site.database.writing() as session:
        demonstration.open_accounts(session, exhibits, secret, utc_now())
    click.echo()
    click.echo(
        str(
            say(
                "Sign in as {organiser}, who organises everything, or as {participant}, who leads a team in "
                "each task. The password of both: {password}",
                organiser=demonstration.ORGANISER.email,
                participant=demonstration.PARTICIPANT.email,
                password=password,
            )
        )
    )


def _show(site: Site, exhibit: Exhibit) -> None:
    spec = exhibit.spec
    with progress_bar(spec.name) as progress:
        entered = demonstration.show(
            site.transactions, site.files, exhibit, site.scorer(spec), utc_now, progress
        )
    for message in exhibit.lacking:
        click.echo(str(say("{task}: {what}", task=spec.name, what=str(message))))
    for each in entered:
        if each.state != "scored":
            click.echo(str(say("{file} was not scored:", file=each.entry.path)))
            for line in fault_lines(each.entry.path, each.submission.report):
                click.echo(line)
    with progress_bar("intervals") as progress:
        analysing.finish(site.transactions, site.files, spec, site.scorer(spec), utc_now, progress)
    for track in boards.listed_tracks(spec):
        _print_board(site, spec, track)
    _build_resource(site, spec)


def _build_resource(site: Site, spec: TaskSpec) -> None:
    with progress_bar("MJ") as progress:
        built = demonstration.build_resource(
            site.transactions, site.files, spec, site.scorer(spec), utc_now, progress
        )
    if built is None:
        return
    click.echo()
    click.echo(str(say("{title} · MJ, built from the runs with a place", title=str(spec.title))))
    click.echo()
    for line in table_3_lines(spec, built.table):
        click.echo(line)


def _print_board(site: Site, spec: TaskSpec, track: str | None) -> None:
    with site.database.reading() as session:
        found = boards.board(session, spec, track, boards.current_phase(spec, utc_now()))
    click.echo()
    click.echo(exports.render(spec, found, "text"), nl=False)
