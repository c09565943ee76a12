"""Keeps out of log lines what must not be there: addresses of people, secrets, and what files hold.

Words are looked through for what can be recognised. What cannot be, lines of a benchmark or of a run, gets
into log lines by way of exceptions, whose texts quote what they stumbled over: so an exception is told by its
kind and where it happened, and only kinds that speak of servers and of the system keep their words.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_ADDRESS = re.compile(r"[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+")
_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]*@")
_LONG = re.compile(r"[A-Za-z0-9_=-]{24,}(?:\.[A-Za-z0-9_=-]+)*")
_ASSIGNED = re.compile(r"(?i)\b(password|passwd|secret|token|authorization|cookie|api_key)(\s*[=:]\s*)\S+")

MOST = 2000
"""So many characters of a text are looked at and kept."""

FRAMES = 12
"""So many places, the innermost, say where an exception came from."""

_SPEAKING = frozenset(
    {
        *(
            "OSError",
            "OperationalError",
            "InterfaceError",
            "ProgrammingError",
            "ConnectionError",
            "TimeoutError",
        ),
        *("AttributeError", "ImportError", "NameError"),
        *("BadSetting", "BadQueue", "NotInitialised", "Unreachable"),
    }
)
"""Kinds of errors that speak of servers, of the system and of code, whichever package they are from."""


def scrubbed(text: str) -> str:
    """The text without mail addresses, passwords in addresses of servers, and whatever may be a token or a
    hash."""
    short = text if len(text) <= MOST else text[:MOST] + "…"
    if "@" in short:
        short = _ADDRESS.sub("<address>", _CREDENTIALS.sub("<credentials>@", short))
    return _LONG.sub(_masked, _ASSIGNED.sub(r"\1\2<secret>", short))


def _masked(found: re.Match[str]) -> str:
    """A long word of letters alone is a name of this program; with digits, it may open something."""
    return "<long>" if any(character.isdigit() for character in found[0]) else found[0]


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as a log line tells it: its kind, its words where they are safe, and where it came from,
    the innermost place last."""

    kind: str
    words: str
    places: tuple[str, ...]


def chain(error: BaseException) -> tuple[Raised, ...]:
    """An exception, and those that it came from."""
    return tuple(Raised(_kind(each), _words(each), _places(each.__traceback__)) for each in _chain(error))


def brief(error: BaseException) -> str:
    """The same in a few words."""
    return f"{_kind(error)}: {_words(error)}".removesuffix(": ")


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen and len(seen) < 8:
        seen.add(id(step))
        yield step
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)


def _kind(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    # Of the database's errors, what the driver said: the rest is the statement.
    said: Any = getattr(error, "orig", None) or error
    speaks = any(kind.__name__ in _SPEAKING for kind in type(said).__mro__)
    return scrubbed(" ".join(str(said).split())) if speaks else ""


def _places(trace: TracebackType | None) -> tuple[str, ...]:
    frames = traceback.StackSummary.extract(
        traceback.walk_tb(trace), limit=-FRAMES, lookup_lines=False, capture_locals=False
    )
    return tuple(f"{_file(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames)


def _file(name: str) -> str:
    """The place of a file in the project or in the packages, wherever these lie."""
    package = name.rpartition("/site-packages/")[2]
    return package.removeprefix(f"{ROOT}/")
