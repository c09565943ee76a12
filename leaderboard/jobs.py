"""The queue: Huey wakes up who does jobs when there is one.

Everything that is decided about a job is decided in `leaderboard.services.queue`.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from huey import Huey, PostgresHuey, RedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.exceptions import ConfigurationError
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from leaderboard.contract import say
from leaderboard.services import consumers, queue, scoring_jobs, standing_jobs
from leaderboard.services.errors import ServiceError
from leaderboard.services.outages import QueueAway, is_outage
from leaderboard.services.queue import Clock, JobFunction
from leaderboard.services.rescoring import Transactions

LOOK = 2.0
"""Every so many seconds a consumer looks for what others have lost."""

CHORES = 3600.0
"""Every so many seconds each consumer does what is to be done on its own host."""

BEGINNINGS = 5
"""So many tables Huey makes; each may be made by another process at the same moment."""

_log = logging.getLogger(__name__)


class BadQueue(ServiceError):
    """The settings name no queue that can be used."""


def make_queue(path: Path) -> Huey:
    """A queue in a file, for one machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteHuey("leaderboard", filename=str(path), fsync=True, results=False)


def queue_at(url: str) -> Huey:
    """The queue at an address: ``sqlite:///FILE``, ``redis://…`` or ``postgresql://…``. Raises BadQueue,
    and QueueAway where it does not answer now."""
    scheme, _, place = url.partition("://")
    name = scheme.partition("+")[0]
    try:
        if name == "sqlite":
            return make_queue(Path(place.removeprefix("/")))
        if name in ("redis", "rediss"):
            return RedisHuey("leaderboard", url=url, results=False)
        if name == "postgresql":
            return _postgresql(make_url(f"postgresql+psycopg://{place}"))
    except (ConfigurationError, ArgumentError, ValueError) as error:
        # The package that speaks to such a server is not installed, or this is no address.
        raise BadQueue(say("QUEUE_URL cannot be used: {why}", why=str(error))) from error
    raise BadQueue(
        say("QUEUE_URL begins with {scheme}; it may be sqlite, redis or postgresql.", scheme=repr(scheme))
    )


def _postgresql(address: URL) -> Huey:
    """The queue in a database. Huey makes its tables where there are none; of several processes that do so at
    the same moment PostgreSQL lets one, in spite of IF NOT EXISTS, and the others find them the next time."""
    # As the database reads its own address: libpq takes a plus and what is escaped in it for something else.
    _, there = address.get_dialect()().create_connect_args(address)
    for left in reversed(range(BEGINNINGS + 1)):
        try:
            return PostgresHuey("leaderboard", results=False, **there)
        except ConfigurationError:
            raise
        except Exception as error:
            # Its errors are those of a package that may not be installed.
            if not left or type(error).__name__ != "UniqueViolation":
                raise QueueAway(say("The queue does not answer: {why}", why=str(error).strip())) from error
    raise AssertionError("the last try returns or raises")


class Jobs:
    """A queue whose consumers do the jobs of one installation.

    `registry` says how a job of each kind is done, `clock` tells the time. A message carries the number of a
    job, but whoever is woken up by it does whichever is next, and goes on until there is none.
    """

    def __init__(
        self, huey: Huey, transactions: Transactions, registry: Mapping[str, JobFunction], clock: Clock
    ) -> None:
        self.huey = huey
        self.stopping = threading.Event()
        self.duties: dict[str, Callable[[], object]] = {}
        self.chores: dict[str, Callable[[], object]] = {}
        self._missed = threading.Event()
        self.transactions = transactions
        self._registry = registry
        self.clock = clock
        self._wake = huey.task(name="run_job")(self._work)

    def every_minute(self, name: str, function: Callable[[], object]) -> None:
        """Has one of all consumers call a function once a minute."""
        self.duties[name] = function

    def every_hour(self, name: str, function: Callable[[], object]) -> None:
        """Has each consumer call a function once an hour, for what lies on its own host."""
        self.chores[name] = function

    def deliver(self, job_id: int) -> None:
        """Tells the consumers that there is a job; to be given to `queue.enqueue`."""
        self._wake(job_id)

    def run(self, job_id: int) -> None:
        """Does this very job, if nobody has it yet: for the process of who waits for it. Where the database
        goes away meanwhile, others do it."""
        try:
            queue.run(self.transactions.writing, self._registry, job_id, self.clock, self.stopping.is_set)
        except Exception as error:
            if not is_outage(error):
                raise
            _log.warning("job %s is left to others: %s", job_id, error)

    def sweep(self) -> None:
        """Delivers again what dead consumers and lost messages left, and looks after boards that are behind;
        every consumer does so all the time."""
        now = self.clock()
        with self.transactions.reading() as session:
            needed = (
                queue.needs_sweep(session, now)
                or scoring_jobs.needs_sweep(session, now)
                or standing_jobs.needs(session, now)
            )
        if needed:
            with self.transactions.writing() as session:
                queue.sweep(session, now, self.deliver)
                scoring_jobs.sweep(session, now, self.deliver)
                standing_jobs.request_due(session, now, self.deliver)
        if self._missed.is_set():
            self._missed.clear()
            self._wake(0)

    def drain(self) -> int:
        """Does what is waiting now, here and without a consumer; returns how many jobs there were."""
        count = self._work()
        while self.huey.dequeue() is not None:
            # Whatever it was about has been done.
            continue
        return count

    def do_duties(self) -> None:
        """Does what is due, and what no other consumer is doing already."""
        names = tuple(self.duties)
        with self.transactions.reading() as session:
            due = consumers.due(session, names, self.clock())
        for name in due:
            with self.transactions.writing() as session:
                ours = consumers.take_duty(session, name, self.clock())
            if ours:
                self.duties[name]()

    def _work(self, _job_id: int | None = None) -> int:
        count = 0
        transactions = (self.transactions.reading, self.transactions.writing)
        while not self.stopping.is_set():
            try:
                done = queue.run_next(transactions, self._registry, self.clock, self.stopping.is_set)
            except Exception:
                # The message that woke us is used up; the next sweep makes up for it.
                self._missed.set()
                raise
            if done is None:
                break
            count += 1
        return count


class JobConsumer:
    """Does jobs until told to stop, `threads` at once."""

    def __init__(self, jobs: Jobs, threads: int, patience: float) -> None:
        self.jobs = jobs
        self.threads = threads
        # Polling doubles as the measure of how soon a new job begins.
        self._consumer = Consumer(
            jobs.huey,
            workers=threads,
            periodic=False,
            max_delay=1.0,
            graceful_signal="TERM",
            shutdown_timeout=patience,
        )
        self._ended = threading.Event()
        self._number: int | None = None

    def run(self, stop: Callable[[], None]) -> None:
        """Works; `stop` is called once it is to end, to interrupt what cannot hear of it otherwise. Jobs that
        are not done by then go back to the others."""
        jobs = self.jobs
        self._seen()
        self._every(LOOK, "sweep", jobs.sweep)
        self._every(LOOK, "duties", jobs.do_duties)
        self._every(consumers.SEEN.total_seconds(), "seen", self._seen)
        for name, chore in jobs.chores.items():
            self._every(CHORES, name, chore)
        threading.Thread(target=self._hear, args=(stop,), name="stop", daemon=True).start()
        try:
            self._consumer.run()
        finally:
            self._ended.set()
            self._leave()

    def _hear(self, stop: Callable[[], None]) -> None:
        """Huey waits for its workers when it is told to stop; this tells them."""
        self._consumer.stop_flag.wait()
        self.jobs.stopping.set()
        stop()

    def _seen(self) -> None:
        now = self.jobs.clock()
        with self.jobs.transactions.writing() as session:
            if self._number is None or not consumers.seen(session, self._number, now):
                self._number = consumers.arrive(session, socket.gethostname(), os.getpid(), self.threads, now)

    def _leave(self) -> None:
        try:
            with self.jobs.transactions.writing() as session:
                if self._number is not None:
                    consumers.leave(session, self._number)
        except Exception as error:
            if not is_outage(error):
                raise
            # It is forgotten after a while.
            _log.warning("could not say good-bye: %s", error)

    def _every(self, seconds: float, name: str, function: Callable[[], Any]) -> None:
        def go_on() -> None:
            while not self._ended.wait(seconds):
                try:
                    function()
                except Exception:
                    # The database, or the queue, may be back the next time.
                    _log.exception("%s broke off", name)

        threading.Thread(target=go_on, name=name, daemon=True).start()
