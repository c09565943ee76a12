"""A job while it is being done: what its function is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from leaderboard.contract import Message
from leaderboard.services import leases, queue_order
from leaderboard.services.leases import LEASE, Taken
from leaderboard.store.session import Transaction

BEAT = timedelta(seconds=2)
"""Progress is written no more often than this."""

HEART = LEASE / 4
"""So often a consumer gives a sign of life while it does a job."""

SILENCE = timedelta(minutes=30)
"""Work that reports no progress for so long is taken to be stuck: it gets no sign of life any more."""

SLICE = timedelta(seconds=5)
"""Long work goes on for so long at least before it makes way for others."""

Clock = Callable[[], datetime]
Asked = Callable[[], bool]
"""Whether whoever works has been asked to stop."""


class NotNow(Exception):
    """The work cannot be done by who has it, or not at this moment. The job goes back to the others, and the
    attempt does not count."""


class TryLater(Exception):
    """The attempt failed for a reason that people can read; there may be a further one."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


def never() -> bool:
    """Nobody is asked to stop."""
    return False


class Work:
    """What a job's function gets: its task and arguments, and a way to say how far it is.

    The function calls `progress` more often than `SILENCE`, and `confirm` in the transaction that writes
    its result, so that a consumer which was thought dead cannot write after its successor. One that goes on
    where it was after a crash may call `make_way` between its steps. `goes_on`: whoever does this job does
    what waits beside it next.
    """

    def __init__(
        self,
        taken: Taken,
        transaction: Transaction,
        clock: Clock,
        asked_to_stop: Asked = never,
        *,
        goes_on: bool = False,
    ) -> None:
        self.taken = taken
        self.task = taken.task or ""
        self.arguments = taken.arguments
        self.transaction = transaction
        self.asked_to_stop = asked_to_stop
        self.goes_on = goes_on
        self.given_back = False
        self.finished = False
        self._clock = clock
        self._began = self._heard = clock()
        self._written: datetime | None = None
        self._looked: datetime | None = None

    def progress(self, done: int, total: int) -> None:
        """Reports that `done` of `total` steps are behind us. Raises LeaseLost, and NotNow where the work is
        to stop."""
        if self.asked_to_stop():
            raise NotNow
        now = self._heard = self._clock()
        if self._written is not None and now - self._written < BEAT and done < total:
            return
        with self.transaction() as session:
            leases.beat(session, self.taken, now, done, total)
        self._written = now

    def make_way(self) -> None:
        """Raises NotNow where this has gone on for long enough and others wait."""
        now = self._clock()
        if now - (self._looked or self._began) < SLICE:
            return
        self._looked = now
        with self.transaction() as session:
            job = leases.held(session, self.taken)
            if queue_order.others_wait(session, job.task_id, now):
                raise NotNow

    def confirm(self, session: Session) -> None:
        """Makes sure that the job is still ours until the end of the transaction. Raises LeaseLost."""
        leases.held(session, self.taken)

    def finish(self, session: Session, result: Mapping[str, Any]) -> None:
        """Writes down that the job is done, in the very transaction that writes what it was to do. The
        function then returns at once. Raises LeaseLost."""
        leases.finish(session, self.taken, result, self._clock())
        self.finished = True

    def live(self) -> bool:
        """Gives a sign of life; False where there is no point in a further one. Raises LeaseLost."""
        now = self._clock()
        if now - self._heard > SILENCE:
            return False
        with self.transaction() as session:
            leases.beat(session, self.taken, now)
        return True

    def now(self) -> datetime:
        """The time by the clock of whoever works."""
        return self._clock()
