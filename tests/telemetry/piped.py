"""The pipe of log lines, kept apart from what else runs in the test process."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leaderboard.config import LogSettings
from leaderboard.telemetry import context, logs


@contextmanager
def restored() -> Iterator[None]:
    """Leaves logging as it was before."""
    named = [logging.getLogger(), *(logging.getLogger(name) for name in logs.OWN)]
    before = [(log, log.level, list(log.handlers)) for log in named]
    hooks, chosen, known = (sys.excepthook, threading.excepthook), logs._chosen, context.current()
    try:
        yield
    finally:
        for log, level, handlers in before:
            log.setLevel(level)
            log.handlers[:] = handlers
        logging.captureWarnings(False)
        sys.excepthook, threading.excepthook = hooks
        logs._chosen = chosen
        context.begin(known)


class Piped:
    """What has come through the pipe."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """JSON lines; every one must be a document."""
        return [json.loads(line) for line in self.text.splitlines()]


@contextmanager
def piped(settings: LogSettings = LogSettings("json")) -> Iterator[Piped]:  # noqa: B008 - it is frozen
    """Collects all lines until the end of the block, where nothing is known from before."""
    with restored():
        context.begin({})
        made = Piped()
        logs.set_up(settings, made.stream)
        yield made
