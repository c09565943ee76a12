"""Pages that everybody reads alike, kept in this process as they were sent.

What was kept is sent again where the database's stamp is still that of then, which every process asks for at
every request: no page is older than the last change, whichever process or host wrote it. Who is signed in, or
has anything else in the cookie of the session, gets a page of their own.

It is sent before Flask has the request, whose part of the work is several times as much as finding the page.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, request, session
from werkzeug.http import is_entity_header, parse_cookie, parse_etags, unquote_etag

from leaderboard.site import Site, utc_now
from leaderboard.telemetry.context import Field
from leaderboard.web import observing, preferences
from leaderboard.web.identity import viewer
from leaderboard.web.installation import EXTENSION as SITE
from leaderboard.web.installation import is_preview, site

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST = 64_000_000
"""So many bytes a process keeps."""

ABOUT = 3_000
"""So many bytes the headers of a page take, and what holds them."""

LARGEST = 2_000_000
"""What is larger is made anew each time."""

_EXTENSION = "leaderboard.kept_pages"
_KEY = "leaderboard.kept_key"
_MADE = "leaderboard.kept_made"
"""Where the server's environment of a request has what its answer would be kept under, and the answer."""

_ENDPOINTS = frozenset({"boards.show", "boards.download"})
_OWN = ("HTTP_AUTHORIZATION", "HTTP_AUTHENTICATION_TOKEN")
"""Headers by which somebody could be known."""

Key = tuple[str | None, ...]
Lines = Sequence[tuple[str, str]]
"""Headers as servers take them."""


@dataclass(frozen=True, slots=True)
class Made:
    """An answer that may be kept: the stamp it was made under, and the first moment at which it could be
    another (None: no such moment)."""

    stamp: str
    body: bytes
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it was sent. `known` are the headers for who has it already; `route` and `named` what log
    lines and numbers say of the request."""

    body: bytes
    headers: Lines
    known: Lines
    etag: str
    until: datetime | None
    route: str
    named: Mapping[str, Field]


class Pages:
    """Answers of one stamp, the least asked for given up first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp = ""
        self._size = 0
        self._pages: OrderedDict[Key, Kept] = OrderedDict()

    def __contains__(self, key: Key) -> bool:
        """Whether something was kept under that key, perhaps for another stamp."""
        return key in self._pages

    def find(self, stamp: str, key: Key, now: datetime) -> Kept | None:
        """What was kept under that key and that very stamp, where time has not made another of it."""
        with self._lock:
            if stamp != self._stamp:
                return None
            found = self._pages.get(key)
            if found is None or (found.until is not None and found.until <= now):
                return None
            self._pages.move_to_end(key)
            return found

    def keep(self, stamp: str, key: Key, page: Kept) -> None:
        """Keeps an answer; those of another stamp go."""
        with self._lock:
            if stamp != self._stamp:
                self._pages.clear()
                self._stamp, self._size = stamp, 0
            before = self._pages.pop(key, None)
            self._size += _size(key, page) - (_size(key, before) if before else 0)
            self._pages[key] = page
            while self._size > MOST:
                self._size -= _size(*self._pages.popitem(last=False))


def _size(key: Key, page: Kept) -> int:
    # What was asked for may be longer than the answer: its sender chooses.
    return len(page.body) + ABOUT + 4 * sum(len(each or "") for each in key)


def init_kept_pages(app: Flask) -> None:
    """Puts this around Flask, and all else that goes around the application around this: proxies are believed
    by then, and what is sent is numbered and counted."""
    app.extensions[_EXTENSION] = Pages()
    app.wsgi_app = Sent(app, app.wsgi_app)  # type: ignore[method-assign]
    app.before_request(_begin)
    app.after_request(_hand_over)


def keep_until(moment: datetime | None) -> None:
    """Says that the answer to this request follows from the address, the reader's preferences, the database
    and, from `moment` on, the time: it may be kept. Without a moment it is the same at any time."""
    g.kept_until = moment


def _begin() -> None:
    """What is changed from now on need not be in the answer."""
    if request.endpoint in _ENDPOINTS and _KEY in request.environ:
        g.kept_stamp = site().database.stamp()


def _hand_over(response: Response) -> Response:
    stamp: str | None = g.get("kept_stamp")
    if stamp is not None and "kept_until" in g and _is_for_all(response):
        request.environ[_MADE] = Made(stamp, response.get_data(), g.kept_until)
    return response


def _is_for_all(response: Response) -> bool:
    return response.status_code == 200 and not session.modified and viewer() is None and not is_preview()


class Sent:
    """The application, which is not asked for what was kept."""

    def __init__(self, app: Flask, application: WSGIApplication) -> None:
        self._app = app
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        key = self._key(environ)
        if key is None:
            return self._application(environ, start_response)
        found = self._found(key)
        if found is None:
            environ[_KEY] = key
            return self._application(environ, self._keeping(key, environ, start_response))
        observing.note(environ, found.route, found.named)
        asked = environ.get("HTTP_IF_NONE_MATCH")
        if asked and parse_etags(asked).contains_weak(found.etag):
            start_response("304 NOT MODIFIED", list(found.known))
            return []
        start_response("200 OK", list(found.headers))
        return [found.body]

    def _key(self, environ: WSGIEnvironment) -> Key | None:
        """What the answer depends on; None where it may be for somebody."""
        if environ["REQUEST_METHOD"] != "GET" or any(name in environ for name in _OWN):
            return None
        cookies = parse_cookie(environ) if "HTTP_COOKIE" in environ else {}
        config = self._app.config
        names = (config["SESSION_COOKIE_NAME"], config.get("REMEMBER_COOKIE_NAME", "remember_token"))
        if any(name in cookies for name in names):
            return None
        return (
            environ["wsgi.url_scheme"],
            environ.get("HTTP_HOST"),
            environ.get("SCRIPT_NAME"),
            environ.get("PATH_INFO"),
            environ.get("QUERY_STRING"),
            *preferences.usual(cookies, environ.get("HTTP_ACCEPT_LANGUAGE", "")),
            environ.get("HTTP_ACCEPT_ENCODING"),
        )

    def _found(self, key: Key) -> Kept | None:
        pages = self._pages()
        stamp = self._stamp() if key in pages else None
        return None if stamp is None else pages.find(stamp, key, utc_now())

    def _keeping(self, key: Key, environ: WSGIEnvironment, start_response: StartResponse) -> StartResponse:
        """Keeps what the application hands over, with the headers that it ends with."""

        def started(line: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            made: Made | None = environ.pop(_MADE, None)
            if made is not None:
                self._keep(key, made, environ, headers)
            return start_response(line, headers, *error)

        return started

    def _keep(self, key: Key, made: Made, environ: WSGIEnvironment, headers: Lines) -> None:
        # When it was sent the server says each time.
        headers = [each for each in headers if each[0] != "Date"]
        there = dict(headers)
        etag, _ = unquote_etag(there.get("ETag"))
        if etag is None or "Set-Cookie" in there or len(made.body) > LARGEST:
            return
        # While it was made something may have changed, and a part of it come from before.
        if self._stamp() != made.stamp:
            return
        known = [each for each in headers if not is_entity_header(each[0])]
        route, named = environ[observing.ROUTE], environ[observing.NAMED]
        self._pages().keep(made.stamp, key, Kept(made.body, headers, known, etag, made.until, route, named))

    def _stamp(self) -> str | None:
        installation: Site = self._app.extensions[SITE]
        return installation.database.stamp()

    def _pages(self) -> Pages:
        pages: Pages = self._app.extensions[_EXTENSION]
        return pages
