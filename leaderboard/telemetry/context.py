"""What every log line of a piece of work says besides its words: request, job, run, task.

Fields belong to the thread (or whoever copied its context). Their values are numbers and names that may be
read by whoever runs the installation, never what somebody sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context

Field = str | int
Fields = Mapping[str, Field]

_fields: ContextVar[Fields | None] = ContextVar("leaderboard.telemetry", default=None)


def current() -> Fields:
    """What is known now."""
    return _fields.get() or {}


def begin(fields: Fields) -> None:
    """Another piece of work begins: nothing is known but this."""
    _fields.set(dict(fields))


def add(fields: Fields) -> None:
    """More is known of this piece of work."""
    _fields.set({**current(), **fields})


@contextmanager
def bound(fields: Fields) -> Iterator[None]:
    """More is known until the end of the block."""
    before = _fields.set({**current(), **fields})
    try:
        yield
    finally:
        _fields.reset(before)


def carried(function: Callable[[], object]) -> Callable[[], object]:
    """The function, to be called in another thread, where it knows what is known here."""
    here = copy_context()
    return lambda: here.run(function)
