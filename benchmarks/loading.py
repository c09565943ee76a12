"""Asking one address over and over, on loopback alone and for a bounded time."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from leaderboard.cli import serving

PROJECT = Path(__file__).parent.parent
LOOPBACK = "127.0.0.1"
MOST_SECONDS = 60.0
STARTING = 60.0
"""So many seconds a server has to answer for the first time."""


@dataclass(frozen=True)
class Asked:
    """How many answers came in how many seconds, and the bytes of one."""

    answers: int
    seconds: float
    size: int

    @property
    def rate(self) -> float:
        return self.answers / self.seconds


class Unanswered(Exception):
    """The server did not answer with a page."""


@contextmanager
def server(application: str, workers: int, threads: int, environment: Mapping[str, str]) -> Iterator[int]:
    """An application under gunicorn on a free port, which is given; it ends with the block, or with us."""
    with serving.listen(LOOPBACK, 0) as listening:
        command = [
            *(sys.executable, "-m", "leaderboard.cli.tied", str(os.getpid())),
            *(sys.executable, "-m", "gunicorn", application, "--bind", f"fd://{listening.fileno()}"),
            *("--workers", str(workers), "--threads", str(threads), "--worker-class", "gthread"),
            *("--log-level", "warning", "--keep-alive", "5"),
        ]
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env={**os.environ, **environment},
            pass_fds=[listening.fileno()],
        )
        try:
            yield listening.getsockname()[1]
        finally:
            process.terminate()
            process.wait(30)


def ask(port: int, path: str, connections: int, seconds: float) -> Asked:
    """Asks on so many connections at once, each as soon as it has its answer. Raises Unanswered."""
    seconds = min(seconds, MOST_SECONDS)
    size = len(_first(port, path))
    until = time.perf_counter() + seconds
    counts = [0] * connections
    failures: list[Exception] = []

    def go_on(number: int) -> None:
        try:
            with socket.create_connection((LOOPBACK, port), timeout=30) as connection:
                reader = _Reader(connection)
                while time.perf_counter() < until:
                    connection.sendall(_request(path))
                    reader.answer()
                    counts[number] += 1
        except (OSError, Unanswered) as error:
            failures.append(error)

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(connections)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise Unanswered(str(failures[0]))
    return Asked(sum(counts), time.perf_counter() - started, size)


def _first(port: int, path: str) -> bytes:
    """The body of a first answer, which a server that starts makes one wait for."""
    with socket.create_connection((LOOPBACK, port), timeout=STARTING) as connection:
        connection.sendall(_request(path))
        return _Reader(connection).answer()


def _request(path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\nAccept-Encoding: gzip, deflate, br\r\n"
        "Accept-Language: en\r\nUser-Agent: benchmark\r\n\r\n"
    ).encode()


class _Reader:
    """Reads answers from a connection, one after another."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._kept = b""

    def answer(self) -> bytes:
        """The body of the next answer. Raises Unanswered."""
        while (end := self._kept.find(b"\r\n\r\n")) < 0:
            self._more()
        head, self._kept = self._kept[:end].lower(), self._kept[end + 4 :]
        if not head.startswith(b"http/1.1 200") or b"content-length:" not in head:
            raise Unanswered(head.decode("latin-1"))
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(self._kept) < length:
            self._more()
        body, self._kept = self._kept[:length], self._kept[length:]
        return body

    def _more(self) -> None:
        received = self._connection.recv(1 << 18)
        if not received:
            raise Unanswered("The connection ended.")
        self._kept += received
