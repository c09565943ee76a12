"""What goes wrong beside the work itself: a database, a queue or a storage that does not answer just now."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from leaderboard.contract import Message
from leaderboard.services.storage import cannot_be_kept


class QueueAway(ConnectionError):
    """What carries the messages of the queue does not answer."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


AWAY = (OperationalError, InterfaceError, PendingRollbackError, NoConnectionFree, QueueAway)
"""What is raised where a database or the queue does not answer, or ends a connection in the middle: a session
that has lost its connection says PendingRollbackError to whatever is asked next."""


def is_outage(error: BaseException) -> bool:
    """Whether the same may work as it is, once a server is back or a disk has room again."""
    if isinstance(error, AWAY):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated
    return isinstance(error, OSError) and cannot_be_kept(error)
