"""Reading rankings: the public board beside an empty Flask route, and what a page costs as teams become many.

Requests per second are those of one gunicorn each, started alike, asked in turns over loopback by as many
connections as it has threads, for a few seconds each; the ratios of one run are what to look at. What a page
costs is the time of the processor, so that a busy machine lengthens it less: made anew after each change, and
kept.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from sqlalchemy import update

from benchmarks import crowds, loading
from benchmarks.crowds import Crowd
from leaderboard.app import create_app
from leaderboard.config import to_environment
from leaderboard.store.models import Team

BOARD = "/tasks/russe/board"
PAGES = {
    "first page": "?track=hj",
    "last page": "?track=hj&page=999999",
    "overall": "?track=overall",
    "by team": "?track=hj&sort=team",
}


@dataclass(frozen=True)
class Sizes:
    """So many teams are on the sites that are loaded, and on those whose pages are timed; each load lasts so
    many seconds, on so many processes of so many threads."""

    loaded: Sequence[int]
    timed: Sequence[int]
    seconds: float
    workers: int
    threads: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen for boards."""
    group = parser.add_argument_group("boards")
    group.add_argument("--loaded", type=int, nargs="+", default=[50, 10_000], metavar="TEAMS")
    group.add_argument("--timed", type=int, nargs="+", default=[10, 1_000, 10_000], metavar="TEAMS")
    group.add_argument("--seconds", type=float, default=3.0, help="how long each load lasts (default 3)")
    group.add_argument("--workers", type=int, default=1, help="processes of each server (default 1)")
    group.add_argument("--threads", type=int, default=4, help="threads of each (default 4)")


def sizes_of(options: argparse.Namespace) -> Sizes:
    """What was chosen."""
    return Sizes(options.loaded, options.timed, options.seconds, options.workers, options.threads)


def run(folder: Path, turns: int, sizes: Sizes) -> None:
    """Makes the sites in `folder`, times them and prints."""
    made: dict[int, Crowd] = {}
    for teams in sorted({*sizes.loaded, *sizes.timed}):
        started = time.perf_counter()
        made[teams] = crowds.make(folder / str(teams), teams)
        print(f"  a site with {teams} teams, made in {time.perf_counter() - started:.0f} s")
    _load([made[teams] for teams in sizes.loaded], turns, sizes)
    _time([made[teams] for teams in sizes.timed], turns)


def _load(sites: Sequence[Crowd], turns: int, sizes: Sizes) -> None:
    print(f"\nRequests per second, {sizes.workers} × {sizes.threads} threads, beside an empty Flask route")
    with ExitStack() as running:
        ports: dict[str, tuple[int, str]] = {}

        def start(name: str, application: str, environment: dict[str, str], path: str) -> None:
            server = loading.server(application, sizes.workers, sizes.threads, environment)
            ports[name] = (running.enter_context(server), path)

        start("empty route", "benchmarks.empty:app", {}, "/")
        for site in sites:
            name = f"board of {site.teams} teams"
            start(name, "wsgi:app", to_environment(site.settings), f"{BOARD}?track=hj")
        found: dict[str, list[loading.Asked]] = {name: [] for name in ports}
        for turn in range(turns + 1):
            for name, (port, path) in ports.items():
                asked = loading.ask(port, path, sizes.workers * sizes.threads, sizes.seconds)
                if turn:
                    found[name].append(asked)
    empty = statistics.median(asked.rate for asked in found["empty route"])
    for name, turns_of in found.items():
        rate = statistics.median(asked.rate for asked in turns_of)
        print(f"  {name:<24}{rate:>8.0f} /s{rate / empty:>7.2f} ×{turns_of[0].size:>9} bytes")


def _time(sites: Sequence[Crowd], turns: int) -> None:
    print("\nA page, milliseconds of the processor: made anew after a change · kept")
    print(f"  {'teams':>8}" + "".join(f"{name:>20}" for name in PAGES))
    for site in sites:
        app = create_app(site.settings)
        cells = [_cost(app, site, f"{BOARD}{asked}", turns) for asked in PAGES.values()]
        print(f"  {site.teams:>8}" + "".join(f"{anew:>12.1f} ·{kept:>6.2f}" for anew, kept in cells))
        app.extensions["leaderboard.site"].close()


def _cost(app: Flask, site: Crowd, address: str, turns: int) -> tuple[float, float]:
    client = app.test_client()
    database = app.extensions["leaderboard.site"].database

    def ask() -> None:
        if client.get(address).status_code != 200:
            raise loading.Unanswered(address)

    def change() -> None:
        with database.writing() as session:
            session.execute(update(Team).where(Team.id == site.teams).values(affiliation=str(time.time())))

    ask()
    anew = min(_spent(ask, change) for _ in range(max(turns, 3)))
    kept = min(_spent(ask) for _ in range(20))
    return 1000 * anew, 1000 * kept


def _spent(ask: Callable[[], None], before: Callable[[], None] = lambda: None) -> float:
    before()
    started = time.process_time()
    ask()
    return time.process_time() - started
