"""``serve``: the pages, with a consumer of the queue beside them."""

from __future__ import annotations

import socket
import time

import click

from leaderboard.catalog import CatalogError
from leaderboard.cli import serving
from leaderboard.cli.sites import ready, wait_option
from leaderboard.config import BadSetting, Settings
from leaderboard.contract import FormatError, say, say_count
from leaderboard.services import scoring, tasks
from leaderboard.site import Site
from leaderboard.strength import is_guessable

OWN = ("localhost", "127.0.0.1", "::1")
"""Addresses that only this machine reaches."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one."
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes.")
@click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="In each.")
@click.option(
    "--drain",
    type=click.IntRange(0, 600),
    default=0,
    show_default=True,
    help="Told to stop, go on for so many seconds first, while /readyz says 503.",
)
@wait_option("; requests wait as well")
@click.pass_obj
def serve(
    settings: Settings, host: str, port: int, workers: int, threads: int, drain: int, wait: int
) -> None:
    """Serve the pages by gunicorn and do the jobs of the queue, until Ctrl-C or SIGTERM.

    What a killed process left is finished by the queue.
    """
    refuse_easy_secrets(settings, host)
    serve_on(settings, serving.listen(host, port), serving.Wanted(workers, threads, drain, wait))


def refuse_easy_secrets(settings: Settings, host: str) -> None:
    """Raises BadSetting where others than this machine would reach a site whose secret can be guessed."""
    if settings.secret_key and is_guessable(settings.secret_key) and host not in OWN:
        raise BadSetting(
            f"SECRET_KEY is short or easy to guess, and {host} is reached by others than this machine. "
            "Leave it unset, or make it a long random word."
        )


def serve_on(settings: Settings, listening: socket.socket, wanted: serving.Wanted) -> None:
    """Serves at a socket until told to stop, and closes it. Raises NotInitialised, Unreachable, QueueAway."""
    with listening:
        with ready(settings, wanted.wait) as site:
            look(site)
        host, port = listening.getsockname()[:2]
        click.echo(str(say("The pages are at http://{host}:{port}/ (Ctrl-C stops).", host=host, port=port)))
        code = serving.run(settings, listening, wanted)
    if code:
        click.echo(str(say("A process of the server ended by itself; its words stand above.")), err=True)
        raise SystemExit(code)
    click.echo(str(say("Stopped.")))


def look(site: Site) -> None:
    """Removes temporary files of killed processes, and says what waits and which task cannot be served."""
    site.files.sweep(time.time())
    with site.database.reading() as session:
        names = tasks.installed(session)
    for name in names:
        try:
            _look_at(site, name)
        except (CatalogError, FormatError) as error:
            # The other tasks can be served all the same.
            click.echo(str(error), err=True)


def _look_at(site: Site, name: str) -> None:
    spec, _ = site.task(name)
    with site.database.reading() as session:
        waiting = len(scoring.pending(session, spec))
    if waiting:
        message = say_count(
            "{task}: {count} run waits and is left to the queue.",
            "{task}: {count} runs wait and are left to the queue.",
            waiting,
            task=name,
        )
        click.echo(str(message))
