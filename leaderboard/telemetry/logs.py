"""One pipe for all log lines: those of the program, of gunicorn and of every other library.

structlog puts them on the standard error output, as JSON or as text for people.
"""

from __future__ import annotations

import copy
import logging
import os
import sys
import threading
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, TextIO

from leaderboard.config import LogSettings
from leaderboard.telemetry import context, scrubbing

OWN = ("leaderboard", "gunicorn.access")
"""The loggers that LOG_LEVEL is about. Of libraries only warnings are told: what they say below that may hold
statements and headers."""

FIELDS = ("outcome", "seconds", "method", "route", "status", "bytes", "address", "request")
"""What a line may say besides its words and what is known; whatever else libraries hand over is left out."""

_Event = MutableMapping[str, Any]

_log = logging.getLogger(__name__)
_chosen: LogSettings | None = None
_output: TextIO | None = None
"""Where lines go once nothing else is written any more."""


def chosen() -> LogSettings | None:
    """What this process was set up for; None where nobody has."""
    return _chosen


def output() -> TextIO | None:
    """Where lines go, for processes that this one starts; None where they inherit it."""
    return _output


def resolved(settings: LogSettings, stream: TextIO) -> LogSettings:
    """The settings with a form: text where a person reads, where none is set."""
    if settings.form:
        return settings
    return LogSettings("text" if stream.isatty() else "json", settings.level)


def set_up(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Sends all log lines, and what nobody has caught, to the stream (standard error by default); may be
    called again."""
    global _chosen  # noqa: PLW0603 - logging is one for the process
    out = stream or _output or sys.stderr
    _chosen = resolved(settings, out)
    handler = _Handler(out)
    handler.setFormatter(_formatter(_chosen, out))
    root = logging.getLogger()
    root.handlers[:] = [*(each for each in root.handlers if not isinstance(each, _Handler)), handler]
    level = getattr(logging, settings.level.upper())
    root.setLevel(max(level, logging.WARNING))
    for name in OWN:
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def write_nothing_else() -> None:
    """From now on this process, and those it starts, write log lines alone, for a task's scorer may print
    lines of a benchmark. What is printed goes nowhere."""
    global _output  # noqa: PLW0603 - a process has one standard error output
    if _output is None:
        sys.stdout.flush()
        sys.stderr.flush()
        _output = os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            os.dup2(nowhere, descriptor)
        os.close(nowhere)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _Handler):
            handler.setStream(_output)


class _Handler(logging.StreamHandler[Any]):
    """Ours, to be known again when it is replaced. Exceptions that are filled into a sentence say no more
    than elsewhere."""

    def format(self, record: logging.LogRecord) -> str:
        given = record.args if isinstance(record.args, tuple) else ()
        if any(isinstance(each, BaseException) for each in given):
            record = copy.copy(record)
            record.args = tuple(
                scrubbing.brief(each) if isinstance(each, BaseException) else each for each in given
            )
        return super().format(record)


def _formatter(settings: LogSettings, out: TextIO) -> logging.Formatter:
    import structlog

    before: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(allow=FIELDS),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        _with_context,
        _without_secrets,
    ]
    after: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if settings.form == "json":
        after += [_with_exception, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]
    else:
        after += [
            _with_exception_as_text,
            structlog.dev.ConsoleRenderer(colors=out.isatty(), timestamp_key="time", pad_event_to=0),
        ]
    # pass_foreign_args stays off: what is filled into a sentence is in it, looked through.
    formatter: logging.Formatter = structlog.stdlib.ProcessorFormatter(
        processors=after, foreign_pre_chain=before
    )
    return formatter


def _with_context(_logger: object, _method: str, event: _Event) -> _Event:
    for name, value in context.current().items():
        event.setdefault(name, value)
    return event


def _without_secrets(_logger: object, _method: str, event: _Event) -> _Event:
    event["event"] = scrubbing.scrubbed(str(event["event"]))
    return event


def _with_exception(_logger: object, _method: str, event: _Event) -> _Event:
    found = _raised(event)
    if found:
        event["exception"] = [
            {"kind": each.kind, "words": each.words, "places": list(each.places)} for each in found
        ]
    return event


def _with_exception_as_text(_logger: object, _method: str, event: _Event) -> _Event:
    lines = []
    for each in _raised(event):
        lines.append(f"{each.kind}: {each.words}" if each.words else each.kind)
        lines += [f"    {place}" for place in each.places]
    if lines:
        event["exception"] = "\n".join(lines)
    return event


def _raised(event: _Event) -> tuple[scrubbing.Raised, ...]:
    event.pop("stack_info", None)
    told = event.pop("exc_info", None)
    error = told[1] if isinstance(told, tuple) else told
    return scrubbing.chain(error) if isinstance(error, BaseException) else ()


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    _log.critical("nobody has caught an error", exc_info=(kind, error, trace))


def _uncaught_in_thread(told: threading.ExceptHookArgs) -> None:
    if told.exc_value is not None and not isinstance(told.exc_value, SystemExit):
        _log.critical(
            "nobody has caught an error", exc_info=(told.exc_type, told.exc_value, told.exc_traceback)
        )
