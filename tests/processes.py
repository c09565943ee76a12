"""Processes of this machine, as /proc shows them, and waiting for what they do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 60.0


def until(it_is: Callable[[], bool], patience: float = PATIENCE, pause: float = 0.1) -> bool:
    """Waits for something that another process does, looking now and then; whether it came."""
    ends = time.monotonic() + patience
    while not it_is():
        if time.monotonic() > ends:
            return False
        threading.Event().wait(pause)
    return True


def children_of(parent: int) -> set[int]:
    """All processes below one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found: set[int] = set()
    while new := {number for number, its in parents.items() if its in found | {parent}} - found:
        found |= new
    return found


def parent_of(number: int) -> int:
    """The process that started one; 0 where there is none any more."""
    with suppress(OSError):
        return int((Path("/proc") / str(number) / "stat").read_text().rpartition(")")[2].split()[1])
    return 0


def words_of(number: int) -> str:
    """What a process was called with; nothing where it is gone."""
    with suppress(OSError):
        return (Path("/proc") / str(number) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def is_there(number: int) -> bool:
    """Whether a process has not ended yet."""
    try:
        return "Z" not in (Path("/proc") / str(number) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody does."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
