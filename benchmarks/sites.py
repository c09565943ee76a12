"""Installations as users run them: real processes on this machine, and a database that is gone afterwards.

With ``TEST_DATABASE_URL`` (as the tests use it) a PostgreSQL server has the database, in a schema of its own;
else SQLite has it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import create_engine, make_url, select, text

from leaderboard.catalog import Catalog
from leaderboard.config import OWN_TASKS, Limits, Settings, inside, to_environment
from leaderboard.services import consumers, demonstration, gold, inputs, installation, tasks
from leaderboard.services.demonstration import Exhibit
from leaderboard.site import Site, opened, utc_now
from leaderboard.store.models import Phase

PROJECT = Path(__file__).resolve().parent.parent
PATIENCE = 120.0
"""So many seconds a process may take to start or to end."""


class Stuck(Exception):
    """Something that was waited for did not come."""


@dataclass(frozen=True)
class Installed:
    """An installation with tasks, their public files and their gold, and no runs."""

    site: Site
    exhibits: tuple[Exhibit, ...]

    @property
    def log(self) -> Path:
        """Where its processes write what they do."""
        return self.site.settings.instance / "log"

    @property
    def environment(self) -> Mapping[str, str]:
        """What lets processes work on it, with one thread each for arithmetic."""
        own = {"PYTHONPATH": str(PROJECT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        return {**os.environ, **to_environment(self.site.settings), **own}

    def limit_runs(self, runs_in_all: int) -> None:
        """Lets a team send so many runs of each task, and no other limit stand in the way."""
        with self.site.database.writing() as session:
            for row in session.scalars(select(Phase)):
                row.runs_in_all, row.runs_per_day, row.rejected_per_day = runs_in_all, None, None


@contextmanager
def installed(folder: Path, data: Path | None = None) -> Iterator[Installed]:
    """RUSSE and CAsT by their samples, or by the published files in `data`, in a new installation."""
    with ExitStack() as stack:
        settings = inside(folder / "instance", Settings(tasks=(OWN_TASKS,), data=folder / "data"))
        settings = replace(
            settings,
            # What guards the site against floods would be measured in place of it.
            api_rate_limit="100000000 per minute",
            scoring=Limits(),
        )
        if server := os.environ.get("TEST_DATABASE_URL"):
            url = stack.enter_context(_schema(server))
            settings = replace(settings, database_url=url, queue_url=url)
        site = stack.enter_context(opened(settings))
        specs = [Catalog((OWN_TASKS,)).find(name) for name in ("russe", "cast")]
        exhibits = demonstration.samples(specs)
        if data is not None:
            exhibits = demonstration.real(specs, data, folder / "fetched")
        site.database.make_folder()
        installation.initialise(site.database, specs, utc_now())
        for exhibit in exhibits:
            with site.database.writing() as session:
                tasks.known(session, exhibit.spec.name)
                if exhibit.inputs is not None:
                    inputs.install(session, site.files, exhibit.spec, exhibit.inputs, utc_now())
                scorer = site.scorer(exhibit.spec)
                gold.install(session, site.files, exhibit.spec, scorer, exhibit.gold, "", utc_now())
        yield Installed(site, exhibits)


@contextmanager
def _schema(server: str) -> Iterator[str]:
    name, engine = f"bench_{uuid.uuid4().hex[:12]}", create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    try:
        url = make_url(server).update_query_dict({"options": f"-csearch_path={name}"})
        yield url.render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
        engine.dispose()


@contextmanager
def serving(there: Installed, workers: int = 2, threads: int = 4) -> Iterator[int]:
    """``serve`` (gunicorn, and a consumer of the queue beside it) at a free port of loopback, given back."""
    command = ("serve", "--port", "0", "--workers", str(workers), "--threads", str(threads))
    with _process(there, command, stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            if found := re.search(r"http://127\.0\.0\.1:([0-9]+)/", line):
                yield int(found[1])
                return
        raise Stuck(f"the server ended by itself: {there.log.read_text('utf-8')[-2000:]}")


@contextmanager
def consuming(there: Installed, count: int) -> Iterator[None]:
    """So many ``worker`` processes, ready to begin."""
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(_process(there, ("worker",), stdout=subprocess.DEVNULL))
        until(lambda: present(there) >= count, PATIENCE, "consumers that start")
        yield


def present(there: Installed) -> int:
    """How many consumers there are."""
    with there.site.database.reading() as session:
        return len(consumers.present(session, utc_now()))


@contextmanager
def _process(there: Installed, command: Sequence[str], *, stdout: int) -> Iterator[subprocess.Popen[str]]:
    # A line for each request and job would hide what is measured.
    with there.log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "leaderboard", *command],
            env=there.environment,
            cwd=PROJECT,
            stdout=stdout,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            # It takes its own with it.
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def until(it_is: Callable[[], bool], seconds: float, what: str) -> None:
    """Waits for something that other processes do. Raises Stuck where it does not come."""
    ends = time.monotonic() + seconds
    while not it_is():
        if time.monotonic() > ends:
            raise Stuck(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.1)
