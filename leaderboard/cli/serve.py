"""``serve``: the pages, with a consumer of the queue beside them."""

from __future__ import annotations

import socket
import time

import click

from leaderboard.catalog import CatalogError
from leaderboard.cli import serving
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import FormatError, say, say_count
from leaderboard.services import rescoring, tasks
from leaderboard.site import Site, utc_now


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one."
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes.")
@click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="In each.")
@click.pass_obj
def serve(settings: Settings, host: str, port: int, workers: int, threads: int) -> None:
    """Serve the pages by gunicorn and do the jobs of the queue, until Ctrl-C or SIGTERM.

    First finishes what a killed process left.
    """
    serve_on(settings, serving.listen(host, port), serving.Wanted(workers, threads))


def serve_on(settings: Settings, listening: socket.socket, wanted: serving.Wanted) -> None:
    """Serves at a socket until told to stop, and closes it. Raises NotInitialised."""
    with listening:
        with ready(settings) as site:
            finish(site)
        host, port = listening.getsockname()[:2]
        click.echo(str(say("The pages are at http://{host}:{port}/ (Ctrl-C stops).", host=host, port=port)))
        code = serving.run(settings, listening, wanted)
    if code:
        click.echo(str(say("A process of the server ended by itself; its words stand above.")), err=True)
        raise SystemExit(code)
    click.echo(str(say("Stopped.")))


def finish(site: Site) -> None:
    """Scores the runs that a killed process left without, and removes its temporary files."""
    site.files.sweep(time.time())
    with site.database.reading() as session:
        names = tasks.installed(session)
    for name in names:
        try:
            _finish_task(site, name)
        except (CatalogError, FormatError) as error:
            # The other tasks can be served all the same.
            click.echo(str(error), err=True)


def _finish_task(site: Site, name: str) -> None:
    spec, scorer = site.task(name)
    with progress_bar(name) as progress:
        done = rescoring.finish_pending(site.transactions, site.files, spec, scorer, utc_now, progress)
    if not done.scored:
        return
    message = say_count(
        "{task}: finished {count} waiting run.",
        "{task}: finished {count} waiting runs.",
        done.scored,
        task=name,
    )
    click.echo(str(message))
