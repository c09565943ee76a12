"""The queue: Huey carries the numbers of jobs from who wants them done to who does them.

Everything that is decided about a job is decided in `leaderboard.services.queue`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from huey import Huey, PostgresHuey, RedisHuey, SqliteHuey, crontab
from huey.exceptions import ConfigurationError

from leaderboard.contract import say
from leaderboard.services import queue
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock, JobFunction
from leaderboard.store.session import Transaction


class BadQueue(ServiceError):
    """The settings name no queue that can be used."""


def make_queue(path: Path) -> Huey:
    """A queue in a file, for one machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteHuey("leaderboard", filename=str(path), fsync=True, results=False)


def queue_at(url: str) -> Huey:
    """The queue at an address: ``sqlite:///FILE``, ``redis://…`` or ``postgresql://…``. Raises BadQueue."""
    scheme, _, place = url.partition("://")
    name = scheme.partition("+")[0]
    try:
        if name == "sqlite":
            return make_queue(Path(place.removeprefix("/")))
        if name in ("redis", "rediss"):
            return RedisHuey("leaderboard", url=url, results=False)
        if name == "postgresql":
            return PostgresHuey("leaderboard", dsn=f"postgresql://{place}", results=False)
    except ConfigurationError as error:
        # The package that speaks to such a server is not installed.
        raise BadQueue(say("QUEUE_URL cannot be used: {why}", why=str(error))) from error
    raise BadQueue(
        say("QUEUE_URL begins with {scheme}; it may be sqlite, redis or postgresql.", scheme=repr(scheme))
    )


class Jobs:
    """A queue whose consumers do the jobs of one installation.

    `registry` says how a job of each kind is done, `transaction` is a writing one, `clock` tells the time.
    """

    def __init__(
        self, huey: Huey, transaction: Transaction, registry: Mapping[str, JobFunction], clock: Clock
    ) -> None:
        self.huey = huey
        self._transaction = transaction
        self._registry = registry
        self._clock = clock
        self._run = huey.task(name="run_job")(self.run)
        huey.periodic_task(crontab(minute="*"), name="sweep_jobs")(self.sweep)

    def every_minute(self, name: str, function: Callable[[], object]) -> None:
        """Has the consumers call a function once a minute, one of them at a time."""
        self.huey.periodic_task(crontab(minute="*"), name=name)(function)

    def deliver(self, job_id: int) -> None:
        """Tells the consumers that there is a job; to be given to `queue.enqueue`."""
        self._run(job_id)

    def run(self, job_id: int) -> None:
        """What a consumer does with a number."""
        queue.run(self._transaction, self._registry, job_id, self._clock)

    def sweep(self) -> None:
        """Delivers again what dead consumers and lost messages left; also at every start of a consumer."""
        with self._transaction() as session:
            queue.sweep(session, self._clock(), self.deliver)

    def drain(self) -> int:
        """Does what is waiting now, here and without a consumer; returns how many numbers there were."""
        count = 0
        while (task := self.huey.dequeue()) is not None:
            self.huey.execute(task)
            count += 1
        return count
