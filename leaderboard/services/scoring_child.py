"""The process that scores: takes orders, one after the other, until nobody has any.

``python -m leaderboard.services.scoring_child DESCRIPTOR SECONDS MEGABYTES [FORM LEVEL]``, as
`scoring_apart` starts it; the latter two say how log lines look.
"""

from __future__ import annotations

import logging
import os
import resource
import select
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from leaderboard.catalog import load_scorer
from leaderboard.config import LogSettings
from leaderboard.services.scoring_order import Order, Prepared, carry_out
from leaderboard.telemetry import context, logs, meters

_log = logging.getLogger("leaderboard.services.scoring_child")

MEGABYTE = 1 << 20


def main(descriptor: int, seconds: float, memory_mb: int, lines: LogSettings | None = None) -> None:
    """Answers each order with what it gave, or with a text of what went wrong."""
    if lines is None:
        # What a scorer prints is for whoever has called us.
        os.dup2(2, 1)
    else:
        logs.set_up(lines)
        logs.write_nothing_else()
    connection = Connection(descriptor)
    _limit_memory(memory_mb)
    threading.Thread(target=_end_with_parent, args=(descriptor,), daemon=True).start()
    connection.send("ready")
    while True:
        try:
            known, order = connection.recv()
        except EOFError:
            return
        _limit_time(seconds)
        with context.bound(known):
            connection.send(_done(order))


def _done(order: Order) -> Prepared | str:
    began = meters.clock()
    try:
        found = carry_out(order, load_scorer(order.spec)).without_run()
        outcome = "failed" if found.scores is None else "scored"
        _log.info("run %s", outcome, extra={"outcome": outcome, "seconds": round(meters.clock() - began, 4)})
        return found
    except Exception as error:
        _log.warning("the run could not be scored", exc_info=True)
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
    main(
        *(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])),
        LogSettings(*sys.argv[4:6]) if sys.argv[4:] else None,  # type: ignore[arg-type]  # as we wrote them
    )
