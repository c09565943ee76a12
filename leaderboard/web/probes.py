"""What machines ask: does the process live, can it answer people, and its numbers.

These are answered before anything of the application: for any host name, without a session or a cookie, and
also where the database is gone. They are neither counted nor numbered.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from flask import Flask
from sqlalchemy.exc import ProgrammingError

from leaderboard.services import queue_numbers
from leaderboard.services.outages import AWAY
from leaderboard.services.readiness import Readiness
from leaderboard.site import Site, utc_now
from leaderboard.telemetry import context, exposition
from leaderboard.telemetry.exposition import Gauge
from leaderboard.telemetry.stopping import is_stopping

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ALIVE, READY, METRICS = "/healthz", "/readyz", "/metrics"

Answer = tuple[int, str, bytes]
"""Status, content type, body."""

_REASONS = {
    200: "OK",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    503: "Service Unavailable",
}
_JSON = "application/json"

_log = logging.getLogger(__name__)


def init_probes(app: Flask, site: Site) -> None:
    """Puts them before the application."""
    app.wsgi_app = Probes(app.wsgi_app, site)  # type: ignore[method-assign]
    if site.settings.metrics_token:
        exposition.start()


class Probes:
    """The application, with three addresses answered before it."""

    def __init__(self, application: WSGIApplication, site: Site) -> None:
        self._application = application
        self._site = site
        self._readiness = Readiness(site.database, site.files, lambda: _try_queue(site))
        self._answers: dict[str, Callable[[WSGIEnvironment], Answer]] = {
            ALIVE: lambda _environ: _document(200, {"alive": True}),
            READY: lambda _environ: self._ready(),
            METRICS: self._metrics,
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = self._answers.get(environ.get("PATH_INFO", ""))
        if answer is None:
            return self._application(environ, start_response)
        # Not what the thread knew of the request before.
        context.begin({})
        asked = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        status, kind, body = answer(environ) if asked else (405, "text/plain", b"")
        headers = [
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        if status == 401:
            headers.append(("WWW-Authenticate", "Bearer"))
        start_response(f"{status} {_REASONS[status]}", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _ready(self) -> Answer:
        parts = self._readiness.parts(utc_now())
        stopping = is_stopping()
        ready = all(parts.values()) and not stopping
        words = {part: "ok" if works else "failed" for part, works in parts.items()}
        return _document(200 if ready else 503, {"ready": ready, "stopping": stopping, "parts": words})

    def _metrics(self, environ: WSGIEnvironment) -> Answer:
        token = self._site.settings.metrics_token
        if not token:
            return 404, "text/plain; charset=utf-8", b"METRICS_TOKEN is not set.\n"
        if not exposition.is_shown(token, environ.get("HTTP_AUTHORIZATION", "")):
            return 401, "text/plain; charset=utf-8", b"Show METRICS_TOKEN as a bearer token.\n"
        return 200, exposition.TYPE, exposition.text(lambda: _gauges_if_any(self._site))


def _try_queue(site: Site) -> None:
    # Not before somebody asks: most processes that open an application never need the queue.
    site.jobs.huey.pending_count()


def _document(status: int, words: object) -> Answer:
    return status, _JSON, (json.dumps(words) + "\n").encode()


def _gauges_if_any(site: Site) -> Iterable[Gauge]:
    """None without the database, or with one of another version: the rest is worth the more then."""
    try:
        return tuple(gauges(site))
    except (*AWAY, ProgrammingError) as error:
        _log.warning("the metrics lack what the database knows: %s", error)
        return ()


def gauges(site: Site) -> Iterator[Gauge]:
    """How it is at the moment, by the database."""
    with site.database.reading() as session:
        now = queue_numbers.numbers(session, utc_now())
    lines = now.lines.items()
    yield Gauge(
        "leaderboard_queue_jobs",
        ("task", "state"),
        "Jobs that wait or are being done.",
        {(task, state): getattr(line, state) for task, line in lines for state in ("waiting", "running")},
    )
    yield Gauge(
        "leaderboard_queue_oldest_seconds",
        ("task",),
        "Seconds since the oldest job that waits was made; 0 where none does.",
        {(task,): line.oldest for task, line in lines},
    )
    yield Gauge("leaderboard_consumers", (), "Consumers that live.", {(): now.consumers})
    yield Gauge("leaderboard_consumer_threads", (), "Jobs they do at once at most.", {(): now.threads})
    yield Gauge("leaderboard_letters_waiting", (), "Letters that are not sent yet.", {(): now.letters})
