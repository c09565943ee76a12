"""Scoring in processes of its own, with limits that a scorer cannot break.

A run whose scoring loops, eats memory or ends its process harms nothing but itself. A process is started when
it is first needed and used again and again, so that a small run costs little more than scoring it here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from leaderboard.config import Limits
from leaderboard.contract import Gold, Message, Report, Scorer, Scores, TaskSpec, say
from leaderboard.services.scoring_order import Order, Prepared
from leaderboard.services.work import NotNow
from leaderboard.telemetry import context, logs

ROOT = Path(__file__).resolve().parents[2]
"""Where the package lies."""

START = 120.0
"""A process has so many seconds to load what it needs; a busy machine is slow."""

_LOOK = 0.2


class Broken(Exception):
    """A process broke a limit or ended; `message` is for people."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


class Children:
    """At most `most` processes that score. With `patience`, whoever finds none free for so many seconds, or a
    run that breaks the limits, gives the work back: others have more time for it."""

    def __init__(self, limits: Limits, most: int = 1, patience: float | None = None) -> None:
        self.limits = limits
        self.patience = patience
        self._slots = threading.BoundedSemaphore(most)
        self._idle: list[_Child] = []
        self._stopping = threading.Event()

    def prepare(self, order: Order) -> Prepared:
        """The scores of a run, or why it has none. Raises NotNow."""
        if not self._slots.acquire(timeout=self.patience):
            raise NotNow
        try:
            return self._prepared(order)
        except Broken as broken:
            if self.patience is not None:
                raise NotNow from broken
            return replace(order.before, failure=broken.message, detail=str(broken), broke=True)
        finally:
            self._slots.release()

    def warm(self) -> None:
        """Starts a process beforehand, so that the first run need not wait for it."""
        with self._slots:
            try:
                self._idle.append(_Child(self.limits, self._stopping))
            except (Broken, NotNow):
                return

    def stop(self) -> None:
        """Ends all work at once; whoever waits for some gets NotNow."""
        self._stopping.set()
        while self._idle:
            self._idle.pop().end()

    def _prepared(self, order: Order) -> Prepared:
        if self._stopping.is_set():
            raise NotNow
        try:
            child = self._idle.pop()
        except IndexError:
            child = _Child(self.limits, self._stopping)
        try:
            found = child.ask(order)
        except BaseException:
            child.end()
            raise
        if found.broke:
            # What it still holds in memory must not count against the next run.
            child.end()
            raise Broken(found.failure or _dead(None))
        self._idle.append(child)
        return found


class _Child:
    def __init__(self, limits: Limits, stopping: threading.Event) -> None:
        self._limits = limits
        self._stopping = stopping
        self._connection, theirs = Pipe()
        paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [
                    *(sys.executable, "-m", "leaderboard.services.scoring_child"),
                    *(str(theirs.fileno()), str(limits.seconds), str(limits.memory_mb)),
                    *_lines(),
                ],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stderr=logs.output(),
                # Not in our group: Ctrl-C is for who waits for it.
                start_new_session=True,
            )
        try:
            self._answer(START, say("The process that scores did not start."))
        except BaseException:
            self.end()
            raise

    def ask(self, order: Order) -> Prepared:
        """Raises Broken, NotNow, RuntimeError for what goes wrong beside the scoring itself."""
        try:
            self._connection.send((context.current(), order))
        except OSError as error:
            raise Broken(self._ended()) from error
        seconds = self._limits.seconds
        late = say("Scoring it took longer than {seconds} seconds and was stopped.", seconds=seconds)
        found = self._answer(seconds, late)
        if not isinstance(found, Prepared):
            raise RuntimeError(str(found))
        return found

    def _answer(self, seconds: float, late: Message) -> Any:
        ends = time.monotonic() + seconds
        try:
            while not self._connection.poll(_LOOK):
                if self._stopping.is_set():
                    raise NotNow
                if time.monotonic() > ends:
                    raise Broken(late)
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise Broken(self._ended()) from error

    def _ended(self) -> Message:
        try:
            return _dead(self._process.wait(5))
        except subprocess.TimeoutExpired:
            return _dead(None)

    def end(self) -> None:
        # What a scorer has started ends with it: they are a group of their own.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()


def _lines() -> tuple[str, ...]:
    """How a process that scores is to write its log lines; as Python does by itself where nobody has said."""
    chosen = logs.chosen()
    return () if chosen is None else (chosen.form, chosen.level)


def _dead(code: int | None) -> Message:
    if code is None or code >= 0:
        return say("Scoring it ended the process that did it (exit code {code}).", code=code or 0)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return say("Scoring it ended the process that did it ({signal}).", signal=name)


class ScorerApart:
    """A task's scorer whose scoring of stored runs happens in processes of its own."""

    def __init__(self, scorer: Scorer, children: Children) -> None:
        self.VERSION = scorer.VERSION
        self._scorer = scorer
        self._children = children

    def prepare(self, order: Order) -> Prepared:
        """The scores of a run, or why it has none. Raises NotNow."""
        return self._children.prepare(order)

    def check(self, spec: TaskSpec, path: Path, inputs: Path | None) -> Report:
        return self._scorer.check(spec, path, inputs)

    def template(self, spec: TaskSpec, inputs: Path | None) -> Iterator[str]:
        return self._scorer.template(spec, inputs)

    def read_gold(self, spec: TaskSpec, files: Mapping[str, Path]) -> Gold:
        return self._scorer.read_gold(spec, files)

    def score(self, spec: TaskSpec, run: Any, gold: Gold) -> Scores:
        return self._scorer.score(spec, run, gold)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scorer, name)
