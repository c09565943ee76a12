"""Keeping the processes of `serve` together: the pages, and the consumer of the queue beside them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from leaderboard.config import LogSettings, Settings, to_environment
from leaderboard.contract import say
from leaderboard.services.errors import ServiceError
from leaderboard.telemetry import exposition, logs, stopping

PROJECT = Path(__file__).resolve().parents[2]
"""Where wsgi.py is."""

UPLOADS = 60
"""So many seconds a request that is being answered, such as an upload, has to end when the pages stop."""

_POLL = 0.2


class CannotListen(ServiceError):
    """The address cannot be had."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Processes and threads that answer requests."""

    workers: int
    threads: int
    drain: int = 0
    """Told to stop, so many seconds are gone on with first: `/readyz` says that this host is about to go."""
    wait: int = 0
    """So many seconds the database may be away or of another version first; who asks meanwhile waits too."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that is ours before anything is started. Raises CannotListen."""
    try:
        listening = socket.create_server((host, port), backlog=2048)
    except OSError as error:
        message = say(
            "Port {port} of {host} cannot be had: {why}. Is another server there? --port takes another one.",
            port=port,
            host=host,
            why=os.strerror(error.errno) if error.errno else str(error),
        )
        raise CannotListen(message) from error
    # Head and body of an answer go one after the other; the body would wait for the word that the head came.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def run(settings: Settings, listening: socket.socket, wanted: Wanted) -> int:
    """Serves until SIGINT or SIGTERM, or until one of the processes ends; returns an exit code. A second
    signal cuts short what `wanted.drain` says."""
    with _stop_requested() as requested, _folder() as folder:
        environment = _environment(settings, folder)
        # Each in a session of its own: Ctrl-C reaches us alone, and we end both in order.
        children = [
            _start(_pages(listening, wanted), environment, (listening.fileno(),)),
            _start([sys.executable, "-m", "leaderboard", "worker"], environment, ()),
        ]
        # Theirs alone from now on: once they take nothing more, a proxy is refused and asks another host.
        listening.close()
        try:
            while not requested and all(child.poll() is None for child in children):
                time.sleep(_POLL)
            if requested:
                _drain(Path(environment[stopping.VARIABLE]), wanted.drain, requested)
            return 0 if requested else 1
        finally:
            _stop(children)


def _environment(settings: Settings, folder: Path) -> dict[str, str]:
    """What the processes are told."""
    log = logs.resolved(settings.log, sys.stderr)
    environment = {**os.environ, **to_environment(replace(settings, log=LogSettings(log.form, log.level)))}
    environment[stopping.VARIABLE] = str(folder / "stopping")
    if settings.metrics_token:
        environment[exposition.FOLDER] = str(folder)
    return environment


_FOLDER = "leaderboard-serve-"


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder for as long as the processes run; those that killed servers left are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        number = left.name.removeprefix(_FOLDER).partition("-")[0]
        if number.isdecimal() and left.stat().st_uid == os.getuid() and not _lives(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_FOLDER}{os.getpid()}-") as name:
        yield Path(name)


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Somebody else's.
        return True
    return True


def _drain(file: Path, seconds: int, requested: Sequence[int]) -> None:
    file.touch()
    ends = time.monotonic() + seconds
    while len(requested) < 2 and time.monotonic() < ends:
        time.sleep(_POLL)


def _pages(listening: socket.socket, wanted: Wanted) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "wsgi:app"),
        *("--bind", f"fd://{listening.fileno()}"),
        *("--workers", str(wanted.workers), "--threads", str(wanted.threads)),
        *("--worker-class", "gthread", "--graceful-timeout", str(UPLOADS), "--log-level", "warning"),
        *("--logger-class", "leaderboard.telemetry.gunicorn_logs.Lines"),
    ]


def _start(
    command: Sequence[str], environment: Mapping[str, str], descriptors: Sequence[int]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - the commands are the two above
        # Killed, we cannot end them any more; then they end by themselves.
        [sys.executable, "-m", "leaderboard.cli.tied", str(os.getpid()), *command],
        env=environment,
        cwd=PROJECT,
        pass_fds=descriptors,
        start_new_session=True,
        # What they greet with would only confuse; what goes wrong goes to stderr.
        stdout=subprocess.DEVNULL,
    )


@contextlib.contextmanager
def _stop_requested() -> Iterator[list[int]]:
    """The signals to stop that have come; other handlers are as before at the end of the block."""
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for child in children:
        if child.poll() is None:
            child.terminate()
    for child in children:
        try:
            child.wait(UPLOADS + 5)
        except subprocess.TimeoutExpired:
            # What it was doing is taken up by the next consumer.
            child.kill()
            child.wait()
