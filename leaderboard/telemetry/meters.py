"""What is counted and timed.

Nothing is, until `exposition.start` has put something behind the meters; so whoever counts need not ask.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, Protocol

clock = time.perf_counter
"""Seconds, for telling how long something took."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Something to be counted, or timed in seconds, apart for each combination of its labels."""

    name: str
    kind: Literal["counter", "histogram"]
    labels: tuple[str, ...]
    words: str
    limits: tuple[float, ...] = ()

    def add(self, *labels: str) -> None:
        """One more."""
        if _behind is not None:
            _behind.add(self, labels)

    def took(self, seconds: float, *labels: str) -> None:
        """Another one took so many seconds."""
        if _behind is not None:
            _behind.took(self, seconds, labels)


class Behind(Protocol):
    """What keeps the numbers."""

    def add(self, meter: Meter, labels: tuple[str, ...]) -> None: ...

    def took(self, meter: Meter, seconds: float, labels: tuple[str, ...]) -> None: ...


_behind: Behind | None = None


def put_behind(behind: Behind | None) -> None:
    """Has numbers kept from now on; None, and nobody keeps them."""
    global _behind  # noqa: PLW0603 - a process has one
    _behind = behind


REQUESTS = Meter(
    "leaderboard_requests_total",
    "counter",
    ("method", "route", "status"),
    "Requests, by the pattern of their address and by the status of the answer.",
)
REQUEST_SECONDS = Meter(
    "leaderboard_request_seconds",
    "histogram",
    ("method", "route"),
    "Seconds from a request's head to the first byte of its answer, uploads included.",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
SCORING_SECONDS = Meter(
    "leaderboard_scoring_seconds",
    "histogram",
    ("task", "outcome"),
    "Seconds that scoring a run took; outcome is scored or failed.",
    (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0),
)
REJECTED = Meter(
    "leaderboard_uploads_rejected_total",
    "counter",
    ("task", "fault"),
    "Runs that were not taken, by the kind of each fault in them, or by no-slot, empty, too-large.",
)
JOBS = Meter(
    "leaderboard_jobs_total",
    "counter",
    ("task", "kind", "outcome"),
    "Attempts at jobs; outcome is done, failed, retried, given-back or lost.",
)
JOB_SECONDS = Meter(
    "leaderboard_job_seconds",
    "histogram",
    ("kind",),
    "Seconds that an attempt at a job took.",
    (0.05, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0, 1800.0),
)

ALL = (REQUESTS, REQUEST_SECONDS, SCORING_SECONDS, REJECTED, JOBS, JOB_SECONDS)
