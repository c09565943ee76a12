"""Servers of a test's own, which may be killed: PostgreSQL that keeps what it has committed, Redis that keeps
nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.processes import PATIENCE, children_of, free_port, listens, until, words_of

USER = "postgres"


def lacking(what: str) -> None:
    """Skips the test, or fails it where services are required."""
    if os.environ.get("LEADERBOARD_REQUIRE_SERVICES") == "1":
        pytest.fail(f"there is no {what}")
    pytest.skip(f"needs {what}")


class Server:
    """A process that listens at a port, with a session of its own, so that all of it is killed at once."""

    command: list[str]
    user: str | None = None
    folder: Path

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                user=self.user,
                group=self.user,
                extra_groups=() if self.user else None,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        assert until(self.answers), (self.folder / "log").read_text()

    def answers(self) -> bool:
        return listens(self.port)

    @property
    def number(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        if self._process is None:
            return
        below = children_of(self.number)
        with suppress(ProcessLookupError):
            os.killpg(self.number, signal.SIGKILL)
        for each in below:
            # PostgreSQL gives each of its processes a session of its own.
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._process = None


class Postgres(Server):
    """It waits for the disk with each commit: what it has acknowledged outlives it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.user = USER if os.getuid() == 0 else None
        programs = _programs_of_postgresql()
        if self.user:
            shutil.chown(folder, USER)
        made = subprocess.run(
            [str(programs / "initdb"), "-D", "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"],
            cwd=folder,
            user=self.user,
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        self.command = [
            *(str(programs / "postgres"), "-D", "data", "-h", "127.0.0.1", "-p", str(self.port)),
            *("-k", str(folder), "-c", "fsync=on", "-c", "synchronous_commit=on"),
        ]

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/postgres"

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url.replace("+psycopg", ""), connect_timeout=3).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill_a_connection(self, chance: random.Random) -> None:
        """Kills the process behind one connection; PostgreSQL then ends all others and recovers."""
        behind = sorted(n for n in children_of(self.number) if "127.0.0.1(" in words_of(n))
        if behind:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(behind), signal.SIGKILL)


class Redis(Server):
    """It keeps nothing on the disk: killed, it forgets all messages."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        if shutil.which("redis-server") is None:
            lacking("redis-server")
        self.folder = folder
        self.command = [
            *("redis-server", "--bind", "127.0.0.1", "--port", str(self.port)),
            *("--save", "", "--appendonly", "no"),
        ]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


def _programs_of_postgresql() -> Path:
    found = shutil.which("initdb")
    here = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not here or not (here[-1] / "postgres").exists():
        lacking("PostgreSQL's initdb")
    return here[-1]


@contextmanager
def postgres() -> Iterator[Postgres]:
    """PostgreSQL with an empty database, until the end of the block."""
    # Its own user must be able to reach it.
    with tempfile.TemporaryDirectory(prefix="leaderboard-postgres-") as name:
        server = Postgres(Path(name))
        server.start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def redis(folder: Path) -> Iterator[Redis]:
    """Redis, until the end of the block."""
    folder.mkdir()
    server = Redis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
