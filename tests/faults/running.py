"""A whole site at work: `serve` and more consumers, each started again when it ends, as systemd would."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.error import HTTPError

from leaderboard.config import Settings, to_environment
from leaderboard.site import Site, opened
from tests.cli.installation import DECLARATION, Installation
from tests.conftest import REPOSITORY
from tests.processes import PATIENCE, children_of, free_port, is_there, parent_of, until, words_of

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

RUNS = 4
"""So many runs the phase allows a team."""

_PHASE = f"""
[[phases]]
name = "open"
title.en = "Open"
runs_in_all = {RUNS}
reveals = ["own", "board"]
"""

_RUN = [sys.executable, "-m", "leaderboard"]

Kind = Literal["serve", "pages", "page worker", "consumer", "scorer"]


class Supervised:
    """A process that is started again whenever it ends."""

    def __init__(self, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._environment = {**os.environ, **environment, "PYTHONPATH": str(REPOSITORY)}
        self._log = log
        self._stopping = threading.Event()
        self.process = self._start()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                self._command, env=self._environment, cwd=self._log.parent, stdout=log, stderr=log
            )

    def _watch(self) -> None:
        while True:
            self.process.wait()
            if self._stopping.wait(0.2):
                return
            self.process = self._start()

    def stop(self) -> None:
        self._stopping.set()
        while self._thread.is_alive():
            self.process.terminate()
            self._thread.join(10)


class Running(Installation):
    """The toy task on servers that a test may kill. `url` is where the pages are."""

    def __init__(self, folder: Path, **changes: str) -> None:
        self.changes = changes
        super().__init__(folder)
        (self.tasks / "toy" / "task.toml").write_text(DECLARATION + _PHASE)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "log.txt"
        self.supervised: list[Supervised] = []

    @property
    def settings(self) -> Settings:
        plain = replace(super().settings, api_rate_limit="100000 per minute")
        return replace(plain, **self.changes)  # type: ignore[arg-type]  # all of them are addresses

    def start(self, consumers: int = 0) -> None:
        """With so many consumers beside that of `serve`."""
        pages = [*_RUN, "serve", "--port", str(self.port), "--workers", "1"]
        self.supervised.append(Supervised(pages, to_environment(self.settings), self.log))
        self.consume(consumers)
        assert until(self.answers), self.log.read_text()

    def consume(self, consumers: int) -> None:
        """Starts consumers, as on other hosts where files lie elsewhere than in the instance folder."""
        for number in range(consumers):
            other = self.folder / f"host-{number}" if self.settings.storage_url else self.settings.instance
            environment = to_environment(self.settings) | {"LEADERBOARD_INSTANCE": str(other)}
            self.supervised.append(Supervised([*_RUN, "worker"], environment, self.log))

    def stop(self) -> None:
        for each in self.supervised:
            each.stop()

    def answers(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/api/v1/tasks", timeout=PATIENCE):
            return True
        return False

    def look(self, path: str) -> int:
        """The status of a page; 0 where nobody answers."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
                answer.read()
                return int(answer.status)
        except HTTPError as error:
            with error:
                return error.code
        except (OSError, ValueError):
            return 0

    def open(self) -> Site:
        """For who looks at what is there."""
        return opened(self.settings).__enter__()

    def processes(self, kind: Kind) -> list[int]:
        """Those of a kind, by number."""
        found: list[int] = []
        for each in self.supervised:
            top = each.process.pid
            found += [n for n in (top, *sorted(children_of(top))) if is_there(n) and _kind(n, top) == kind]
        return found

    def kill(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def _kind(number: int, top: int) -> Kind | None:
    words = words_of(number)
    if "scoring_child" in words:
        return "scorer"
    if "gunicorn" in words:
        return "pages" if parent_of(number) == top else "page worker"
    if re.search(r"leaderboard worker", words):
        return "consumer"
    return "serve" if number == top else None
