"""Real servers on real ports, and a line to them that breaks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from flask import Flask
from werkzeug.serving import make_server

from leaderboard.config import Settings, to_environment
from tests.conftest import REPOSITORY

PATIENCE = 60.0


@contextmanager
def in_a_thread(app: Flask) -> Iterator[str]:
    """The application on a port of its own in this process, so that a test can move its clock."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()


@contextmanager
def by_gunicorn(settings: Settings) -> Iterator[str]:
    """The server of production as a process of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    environment = {**os.environ, **to_environment(settings), "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "gunicorn", "wsgi:app", "--bind", f"fd://{listening.fileno()}"]
    command += ["--worker-class", "gthread", "--threads", "4", "--log-level", "error"]
    process = subprocess.Popen(command, env=environment, cwd=REPOSITORY, pass_fds=(listening.fileno(),))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        # The port listens already; the answer comes once the server is up.
        urllib.request.urlopen(f"{url}/api/v1/tasks", timeout=PATIENCE).close()
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE)
        listening.close()


@dataclass
class Line:
    """A way to a server that can be cut: each entry of `cuts` is for one connection, in order; it breaks off
    after so many bytes to the server, or, where negative, of its answer."""

    target: int
    cuts: list[int] = field(default_factory=list)
    broken: int = 0

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                cut = self.cuts.pop(0) if self.cuts else None
                threading.Thread(target=self._carry, args=(client, cut), daemon=True).start()

    def _carry(self, client: socket.socket, cut: int | None) -> None:
        server = socket.create_connection(("127.0.0.1", self.target), PATIENCE)
        there = cut if cut is not None and cut >= 0 else None
        back = -cut if cut is not None and cut < 0 else None
        both = (client, server)
        answers = threading.Thread(target=self._pump, args=(server, client, back, both), daemon=True)
        answers.start()
        self._pump(client, server, there, both)
        answers.join(PATIENCE)
        for each in both:
            each.close()

    def _pump(
        self, source: socket.socket, sink: socket.socket, cut: int | None, both: tuple[socket.socket, ...]
    ) -> None:
        left = cut
        with suppress(OSError):
            while data := source.recv(4096):
                if left is not None and len(data) >= left:
                    sink.sendall(data[:left])
                    self.broken += 1
                    for each in both:
                        each.shutdown(socket.SHUT_RDWR)
                    return
                left = None if left is None else left - len(data)
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
