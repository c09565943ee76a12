"""Pages that everybody reads alike, kept in this process as they were sent.

What was kept is sent again where the database's stamp is still that of then, which every process asks for at
every request: no page is older than the last change, whichever process or host wrote it. Who is signed in, or
has anything else in the cookie of the session, gets a page of their own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from flask import Flask, Response, current_app, g, request, session
from werkzeug.datastructures import Headers

from leaderboard.site import utc_now
from leaderboard.web import preferences
from leaderboard.web.identity import viewer
from leaderboard.web.installation import is_preview, site

MOST = 64_000_000
"""So many bytes a process keeps."""

ABOUT = 3_000
"""So many bytes the headers of a page take, and what holds them."""

LARGEST = 2_000_000
"""What is larger is made anew each time."""

_EXTENSION = "leaderboard.kept_pages"
_ENDPOINTS = frozenset({"boards.show", "boards.download"})
_OF_KNOWN = frozenset({"Cache-Control", "ETag", "Vary"})
_OWN = ("Authorization", "Authentication-Token")
"""Headers by which somebody could be known."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it was sent, and the first moment at which it could be another (None: no such moment).
    `known` are the headers for who has it already."""

    body: bytes
    headers: Headers
    known: Headers
    etag: str
    until: datetime | None


class Pages:
    """Answers of one stamp, the least asked for given up first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp = ""
        self._size = 0
        self._pages: OrderedDict[tuple[str | None, ...], Kept] = OrderedDict()

    def find(self, stamp: str, key: tuple[str | None, ...], now: datetime) -> Kept | None:
        """What was kept under that key and that very stamp, where time has not made another of it."""
        with self._lock:
            if stamp != self._stamp:
                return None
            found = self._pages.get(key)
            if found is None or (found.until is not None and found.until <= now):
                return None
            self._pages.move_to_end(key)
            return found

    def keep(self, stamp: str, key: tuple[str | None, ...], page: Kept) -> None:
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


def _size(key: tuple[str | None, ...], page: Kept) -> int:
    # What was asked for may be longer than the answer: its sender chooses.
    return len(page.body) + ABOUT + 4 * sum(len(each or "") for each in key)


def init_kept_pages(app: Flask) -> None:
    """Keeps answers when all else has been done to them, and sends them before anything else is done."""
    app.extensions[_EXTENSION] = Pages()
    app.before_request(_send)
    app.after_request(_keep)


def keep_until(moment: datetime | None) -> None:
    """Says that the answer to this request follows from the address, the reader's preferences, the database
    and, from `moment` on, the time: it may be kept. Without a moment it is the same at any time."""
    g.kept_until = moment


def _send() -> Response | None:
    if request.endpoint not in _ENDPOINTS or request.method != "GET" or _could_be_known():
        return None
    stamp = site().database.stamp()
    if stamp is None:
        return None
    key = (
        request.scheme,
        request.host,
        request.full_path,
        preferences.language(),
        preferences.theme(),
        request.headers.get("Accept-Encoding"),
    )
    found = _pages().find(stamp, key, utc_now())
    if found is None:
        g.kept_key = (stamp, key)
        return None
    if "If-None-Match" in request.headers and request.if_none_match.contains_weak(found.etag):
        return Response(status=304, headers=found.known)
    return Response(found.body, headers=found.headers)


def _keep(response: Response) -> Response:
    if "kept_key" not in g or "kept_until" not in g or not _is_for_all(response):
        return response
    stamp, key = g.kept_key
    etag, _ = response.get_etag()
    body = response.get_data()
    # While it was made something may have changed, and a part of it come from before.
    if etag is not None and len(body) <= LARGEST and site().database.stamp() == stamp:
        headers = Headers(response.headers)
        known = Headers([each for each in headers if each[0] in _OF_KNOWN])
        _pages().keep(stamp, key, Kept(body, headers, known, etag, g.kept_until))
    return response


def _is_for_all(response: Response) -> bool:
    return (
        response.status_code == 200
        and "Set-Cookie" not in response.headers
        and not session.modified
        and viewer() is None
        and not is_preview()
    )


def _could_be_known() -> bool:
    cookies = request.cookies
    if current_app.config["SESSION_COOKIE_NAME"] in cookies or _remembered() in cookies:
        return True
    return any(name in request.headers for name in _OWN)


def _remembered() -> str:
    return str(current_app.config.get("REMEMBER_COOKIE_NAME", "remember_token"))


def _pages() -> Pages:
    pages: Pages = current_app.extensions[_EXTENSION]
    return pages
