"""Files that people send: straight to where they are kept, never whole in memory, and none too large.

Everything else that a page sends is small.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from flask import Flask, Request, Response, current_app, g, make_response, render_template, request
from flask_babel import gettext
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestEntityTooLarge

from leaderboard.site import utc_now
from leaderboard.telemetry.meters import REJECTED
from leaderboard.web.installation import site

_JUDGING = ("take_texts", "take_words", "take_tests", "take_judgments", "take_release")

HIDDEN = frozenset(
    {"benchmarks.make", "site_archives.bring", *(f"organiser_judging.{route}" for route in _JUDGING)}
)
"""The routes that take files of benchmarks, archives that may have some, or what a benchmark is made of: they
lie where nothing is served from."""

RUNS = frozenset({"submissions.submit", "api.submit_run", "api.check_run", "on_behalf.submit"})
"""The routes that take runs."""

PUBLIC = frozenset({"public_files.replace"})
"""The routes that take files for everybody to download."""

ENDPOINTS = RUNS | PUBLIC | HIDDEN
"""The routes that take files."""

FORM = 1_000_000
"""So many bytes of a form are read at most, besides a file."""

DRAINED = 8
"""Of what is too large, so many times the limit is read and thrown away: a browser that is cut off while it
sends shows its own error and not our page."""

_CHUNK = 1 << 20


class Draft:
    """A file of the request, on the disk. It looks like a file to whoever reads the request."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("w+b")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __iter__(self) -> Any:
        return iter(self._file)

    def remove(self) -> None:
        """Gives it up, where nobody has taken it."""
        with suppress(OSError):
            # What it had not written yet may find no room.
            self._file.close()
        self.path.unlink(missing_ok=True)


class UploadingRequest(Request):
    """A request whose file, where the route takes one, lies on the disk of the file store from the start."""

    def _get_file_stream(
        self,
        total_content_length: int | None,
        content_type: str | None,
        filename: str | None = None,
        content_length: int | None = None,
    ) -> IO[bytes]:
        if self.endpoint not in ENDPOINTS:
            return super()._get_file_stream(total_content_length, content_type, filename, content_length)
        return cast(IO[bytes], _new_draft())


def init_uploads(app: Flask) -> None:
    """Before anything reads a request: notes when it came, and how large it may be."""
    app.request_class = UploadingRequest
    app.config["MAX_CONTENT_LENGTH"] = FORM
    app.before_request(_receive)
    app.teardown_request(_forget)
    app.register_error_handler(RequestEntityTooLarge, _too_large)


def arrived_at() -> datetime:
    """When the request arrived. What it carries may have come much later."""
    moment: datetime = g.arrived_at
    return moment


def most() -> int:
    """How many bytes a file may have."""
    return site().settings.max_upload_mb * 1_000_000


def draft_of(sent: FileStorage | None) -> Path | None:
    """Where a file of the request lies, all of it written; None where none was sent."""
    if sent is None or not isinstance(sent.stream, Draft):
        return None
    sent.stream.flush()
    return sent.stream.path


def draft_of_body() -> Path:
    """Where the body of the request lies, which is the file itself. Raises ClientDisconnected where it did
    not come whole, RequestEntityTooLarge."""
    draft = _new_draft()
    try:
        while chunk := _read():
            draft.write(chunk)
    except _BrokenOff as error:
        # What the server says of a body in pieces that ends too early.
        raise ClientDisconnected from error
    draft.flush()
    # Servers may hand over what came before a connection broke as if it were all.
    if request.content_length is not None and draft.tell() != request.content_length:
        raise ClientDisconnected
    return draft.path


class _BrokenOff(Exception):
    """The sender is gone."""


def _read() -> bytes:
    try:
        return request.stream.read(_CHUNK)
    except OSError as error:
        raise _BrokenOff from error


def give_up_body() -> None:
    """Reads what is left of a body that nobody wants: a sender that is cut off never sees the answer."""
    _drain(DRAINED * most())


def read_to_the_end() -> None:
    """Reads what is left of a body that was being read, for the same reason."""
    with suppress(OSError, HTTPException):
        while request.stream.read(_CHUNK):
            continue


def _new_draft() -> Draft:
    files = site().files
    draft = Draft((files.gold if request.endpoint in HIDDEN else files.kept).draft())
    g.setdefault("drafts", []).append(draft)
    return draft


def _receive() -> None:
    g.arrived_at = utc_now()
    if request.endpoint in ENDPOINTS:
        request.max_content_length = most() + FORM


def _forget(_error: BaseException | None) -> None:
    for draft in g.pop("drafts", ()):
        draft.remove()


def count_too_large() -> None:
    """Counts a run that was not taken because of its size."""
    if request.endpoint in RUNS:
        REJECTED.add(str((request.view_args or {}).get("task", "")), "too-large")


def _too_large(_error: RequestEntityTooLarge) -> Response:
    count_too_large()
    _drain(DRAINED * most())
    limit = site().settings.max_upload_mb
    current_app.logger.info("a request of %s bytes was too large", request.content_length)
    body = render_template(
        "errors/show.html",
        code=413,
        title=gettext("The file is too large"),
        advice=gettext(
            "A file may have %(limit)s MB. Compress it with gzip or as a .zip and send it again; "
            "if it is still larger, ask the organisers.",
            limit=limit,
        ),
    )
    response = make_response(body, 413)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Connection"] = "close"
    return response


def _drain(limit: int) -> None:
    stream = request.environ["wsgi.input"]
    left = min(request.content_length or 0, limit)
    with suppress(OSError):
        while left > 0 and (chunk := stream.read(min(left, _CHUNK))):
            left -= len(chunk)
