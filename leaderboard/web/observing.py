"""Every request has a number, which log lines, answers and pages of errors name; requests are counted."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, request

from leaderboard.telemetry import context
from leaderboard.telemetry.meters import REQUEST_SECONDS, REQUESTS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

NUMBER = "leaderboard.request_id"
ROUTE = "leaderboard.route"
NAMED = "leaderboard.named"
"""Where the server's environment of a request has its number, the pattern of its address and what that
names: its task, its run."""

HEADER = "X-Request-ID"
NO_ROUTE = "(none)"
"""What stands for the pattern where no route takes the address."""

_GIVEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_NAMED = re.compile(r"[a-z0-9_-]{1,40}")
"""A task of the address, where it may be the name of one: it is told before anybody has looked for it."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def init_observing(app: Flask, *, behind_proxies: bool) -> None:
    """Puts this around the application. Behind a proxy the number that it gave is taken."""
    app.wsgi_app = Observed(app.wsgi_app, behind_proxies)  # type: ignore[method-assign]
    app.add_template_global(request_number, "request_number")
    # First of all, so that what is refused later has its route too.
    app.before_request_funcs.setdefault(None, []).insert(0, _note_route)


def request_number() -> str:
    """The number of this request."""
    return str(request.environ.get(NUMBER, ""))


def note(environ: WSGIEnvironment, route: str, named: Mapping[str, context.Field]) -> None:
    """Notes the pattern of the address of a request, and what log lines say that it names."""
    environ[ROUTE], environ[NAMED] = route, named
    context.add(named)


def _note_route() -> None:
    if request.url_rule is None:
        return
    given: Mapping[str, Any] = request.view_args or {}
    task = str(given.get("task", ""))
    named = {"task": task if _NAMED.fullmatch(task) else None, "run": given.get("run_id")}
    known = {name: value for name, value in named.items() if value is not None}
    note(request.environ, request.url_rule.rule, known)


class Observed:
    """The application, with each request numbered, counted and timed."""

    def __init__(self, application: WSGIApplication, behind_proxies: bool) -> None:
        self._application = application
        self._behind_proxies = behind_proxies

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        number = environ[NUMBER] = self._number(environ)
        # What is known stays until the thread begins another: answers may be made as they are sent.
        context.begin({"request": number})
        status = ["500"]

        def started(line: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            status[0] = line[:3]
            return start_response(line, [*headers, (HEADER, number)], *error)

        try:
            return self._application(environ, started)
        finally:
            method = environ["REQUEST_METHOD"]
            method, route = method if method in _METHODS else "other", environ.get(ROUTE, NO_ROUTE)
            REQUESTS.add(method, route, status[0])
            REQUEST_SECONDS.took(time.perf_counter() - began, method, route)

    def _number(self, environ: WSGIEnvironment) -> str:
        given = environ.get("HTTP_X_REQUEST_ID", "") if self._behind_proxies else ""
        return given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
