"""The process that scores: takes orders, one after the other, until nobody has any.

``python -m leaderboard.services.scoring_child DESCRIPTOR SECONDS MEGABYTES``, as `scoring_apart` starts it.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from leaderboard.catalog import load_scorer
from leaderboard.services import scoring
from leaderboard.services.scoring import Order, Prepared

MEGABYTE = 1 << 20


def main(descriptor: int, seconds: float, memory_mb: int) -> None:
    """Answers each order with what it gave, or with a text of what went wrong."""
    # What a scorer prints is for the log.
    os.dup2(2, 1)
    connection = Connection(descriptor)
    _limit_memory(memory_mb)
    threading.Thread(target=_end_with_parent, args=(descriptor,), daemon=True).start()
    connection.send("ready")
    while True:
        try:
            order: Order = connection.recv()
        except EOFError:
            return
        _limit_time(seconds)
        connection.send(_done(order))


def _done(order: Order) -> Prepared | str:
    try:
        return scoring.carry_out(order, load_scorer(order.spec)).without_run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _limit_memory(memory_mb: int) -> None:
    """So much beside what is taken up by being there. Whoever asks for more gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory_mb * MEGABYTE
    _set(resource.RLIMIT_AS, most)
    _set(resource.RLIMIT_CORE, 0)


def _limit_time(seconds: float) -> None:
    """Whoever gave the order counts the seconds; this is for one who died. Several threads use up the time
    of a process faster."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    _set(resource.RLIMIT_CPU, int(spent + seconds * (os.cpu_count() or 1)) + 5)


def _set(what: int, soft: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(what, (soft, hard))


def _end_with_parent(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLHUP)
    poll.poll()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
