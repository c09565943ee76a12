"""``client``: submit to a server elsewhere and ask it; needs its address and a token, no database."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from leaderboard.catalog import Catalog, CatalogError
from leaderboard.cli.arguments import FILE
from leaderboard.cli.client_printing import board_lines, problem_lines, run_lines, runs_lines
from leaderboard.cli.errors import BAD_INPUT
from leaderboard.cli.printing import fault_lines, remark_lines, visible
from leaderboard.client import downloads, submitting
from leaderboard.client.connection import Refused, Server
from leaderboard.client.submitting import Progress, Sending
from leaderboard.config import Settings
from leaderboard.contract import say
from leaderboard.services import scoring_files

TOKEN = "LEADERBOARD_TOKEN"  # noqa: S105 - the name of a variable

_EPILOG = """
\b
Examples:
  export LEADERBOARD_SERVER=https://tasks.example.org LEADERBOARD_TOKEN=leaderboard_...
  python -m leaderboard client submit russe my-run.csv --name "Word vectors"
  python -m leaderboard client board russe --track hj
  python -m leaderboard client runs russe
  python -m leaderboard client inputs cast --to inputs

A token is made on the server, on the page of your account. It is taken from LEADERBOARD_TOKEN alone, so that
it stands in no list of processes and in no history of commands.
"""

Command = TypeVar("Command", bound=Callable[..., Any])


def _server(command: Command) -> Command:
    return click.option(
        "--server",
        metavar="URL",
        envvar="LEADERBOARD_SERVER",
        show_envvar=True,
        required=True,
        help="The address of the server.",
    )(command)


@click.group(epilog=_EPILOG)
def client() -> None:
    """Submit runs to a server and ask it, from anywhere.

    TASK is the task's name on that server.
    """


@client.command()
@click.argument("task")
@click.argument("file", type=FILE)
@_server
@click.option("--name", default="", help="What to call the run; the file's name if not given.")
@click.option("--description", default="", help="How the run was made.")
@click.option("--contrastive", is_flag=True, help="It is for comparison; no place.")
@click.option("--system", default="", help="The kind of system.")
@click.option("--resources", default="", help="External resources it used.")
@click.option("--manner", type=click.Choice(["automatic", "manual"]), help="Whether people had a hand in it.")
@click.option("--link", default="", help="A paper or code.")
@click.option(
    "--check/--no-check", default=True, help="Check the form here before sending.", show_default=True
)
@click.option(
    "--wait", default=600, show_default=True, type=click.IntRange(0), help="Seconds to wait for scores."
)
@click.option("--json", "as_json", is_flag=True, help="Print the run as JSON.")
@click.pass_obj
def submit(
    settings: Settings,
    /,
    task: str,
    file: Path,
    server: str,
    check: bool,
    wait: int,
    as_json: bool,
    contrastive: bool,
    **words: str | None,
) -> None:
    """Check a run here, send it, wait for its scores, and print them with its places.

    Sent again where the connection breaks, it counts once all the same. The public inputs are taken from
    data/TASK/inputs, or brought there from the server.
    """
    remote = Server(server, _token())
    submitting.may_send(remote, task, file)
    if check:
        _check(settings, remote, task, file)
    said = {name: text for name, text in words.items() if text}
    if contrastive:
        said["kind"] = "contrastive"
    run = _sent(remote, Sending(task, file, said), wait)
    titles = remote.get("tasks", task).document
    _print([json.dumps(run, ensure_ascii=False, indent=2)] if as_json else run_lines(titles, run))
    if run["state"] == "failed":
        raise SystemExit(BAD_INPUT)


def _sent(remote: Server, sending: Sending, seconds: int) -> Mapping[str, Any]:
    try:
        with _bytes_bar() as progress:
            sent = submitting.submit(remote, sending, progress, time.sleep)
    except Refused as refused:
        if refused.slug != "faulty-file":
            raise
        _print(problem_lines(sending.file, refused.document), to_error=True)
        raise SystemExit(BAD_INPUT) from refused
    if sent.again:
        click.echo(str(say("Your team had sent this very file before; nothing has changed.")), err=True)
    return submitting.wait(remote, sending.task, sent.run, time.sleep, seconds=seconds)


@client.command()
@click.argument("task")
@_server
@click.option("--track", help="A track, or overall; the main ranking if not given.")
@click.option("--phase", help="A phase; the current one if not given.")
@click.option("--post-evaluation", is_flag=True, help="The ranking that has late runs too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, values at full precision.")
def board(
    task: str, server: str, track: str | None, phase: str | None, post_evaluation: bool, as_json: bool
) -> None:
    """Print a ranking of TASK."""
    remote = Server(server, _token(needed=False))
    asked = {"track": track, "phase": phase, "stage": "post-evaluation" if post_evaluation else None}
    document = dict(remote.get("tasks", task, "standings", **asked).document)
    document["items"] = remote.every("tasks", task, "standings", **asked)
    titles = remote.get("tasks", task).document
    _print([json.dumps(document, ensure_ascii=False, indent=2)] if as_json else board_lines(titles, document))


@client.command()
@click.argument("task")
@click.argument("run", type=int, required=False)
@_server
@click.option("--json", "as_json", is_flag=True, help="Print JSON, values at full precision.")
def runs(task: str, run: int | None, server: str, as_json: bool) -> None:
    """List your team's runs in TASK, or show one by its number."""
    remote = Server(server, _token())
    found: Any
    if run is None:
        found = remote.every("tasks", task, "runs")
        lines = runs_lines(found)
    else:
        found = remote.get("tasks", task, "runs", run).document
        lines = run_lines(remote.get("tasks", task).document, found)
    _print([json.dumps(found, ensure_ascii=False, indent=2)] if as_json else lines)


@client.command()
@click.argument("task")
@_server
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to bring them to; data/TASK/inputs if not given.",
)
@click.pass_obj
def inputs(settings: Settings, task: str, server: str, folder: Path | None) -> None:
    """Bring the public files of TASK; those that are there already stay."""
    remote = Server(server, _token(needed=False))
    brought = downloads.bring(remote, task, folder or _inputs_of(settings, task), time.sleep)
    for each in brought:
        click.echo(visible(f"{each.path}: {'brought' if each.new else 'is here already'}"))


def _check(settings: Settings, remote: Server, task: str, file: Path) -> None:
    """Says every fault before anything is sent, where the task's folder is here too; else the server will."""
    try:
        spec = Catalog(settings.tasks).find(task)
    except CatalogError:
        return
    folder = _inputs_of(settings, task)
    if not scoring_files.holds_inputs(spec, folder):
        downloads.bring(remote, task, folder, time.sleep)
    holds = scoring_files.holds_inputs(spec, folder)
    report = scoring_files.check_file(spec, file, folder if holds else None)
    _print(list(remark_lines(report)), to_error=True)
    if not report.accepted:
        _print(list(fault_lines(file, report)), to_error=True)
        raise SystemExit(BAD_INPUT)


def _inputs_of(settings: Settings, task: str) -> Path:
    # The name goes into a path, and might come from anywhere.
    return settings.data / Path(task.replace("\\", "/")).name / "inputs"


def _token(*, needed: bool = True) -> str:
    token = os.environ.get(TOKEN, "").strip()
    if needed and not token:
        raise click.UsageError(
            f"{TOKEN} is not set. Make a token on the page of your account on the server, and set the "
            "variable to it."
        )
    return token


def _print(lines: Sequence[str] | Iterator[str], *, to_error: bool = False) -> None:
    for line in lines:
        click.echo(line, err=to_error)


@contextmanager
def _bytes_bar() -> Iterator[Progress]:
    """How much is sent; only a terminal shows it."""
    with click.progressbar(length=1, label="sending", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield progress
