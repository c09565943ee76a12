"""Downloads one file: resumed where it broke off, checked by SHA-256, in place only when whole."""

from __future__ import annotations

import errno
import hashlib
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from leaderboard.contract import say, say_count
from leaderboard.services.errors import ServiceError

TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as broken."""

RESUMES = 5
"""So many times in a row a broken download goes on by itself, as long as each try brings something."""

_CHUNK = 1 << 16

Progress = Callable[[int, int | None], None]
"""Called with the bytes there are and the bytes there will be (None: unknown)."""


class FetchError(ServiceError):
    """A file could not be had; `message` says why and what to do."""


class NotThere(FetchError):
    """The server has no such file."""


class _BrokenOff(FetchError):
    """The connection ended before the file did."""


class _Answer(Protocol):
    status: int
    headers: http.client.HTTPMessage

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Start:
    """Where an answer's bytes belong, and how long the file will be (None: not said)."""

    offset: int
    total: int | None


def sha256_of(file: Path) -> str:
    """The file's SHA-256, as sha256sum prints it."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def download(url: str, target: Path, sha256: str, progress: Progress) -> None:
    """Brings the file at `url` to `target`, whose content is then the one of that SHA-256.

    What has arrived is kept beside the target in a ``.part`` file until it is whole, so that the next
    call goes on there. Raises FetchError (NotThere for a 404); the target is then as it was before.
    """
    part = part_of(target, sha256)
    with _disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        was_begun = part.exists()
        _receive_all(url, part, progress)
        if was_begun and sha256_of(part) != sha256:
            # What an earlier call left may be of another file; only a fresh one is to blame.
            part.unlink()
            _receive_all(url, part, progress)
        found = sha256_of(part)
        if found != sha256:
            part.unlink()
            raise FetchError(
                say(
                    "What {url} holds is not the file expected: its SHA-256 is {found}, not {sha256}. "
                    "It was not kept; try again, or take the file from elsewhere with --from.",
                    url=url,
                    found=found,
                    sha256=sha256,
                )
            )
        part.replace(target)


def part_of(target: Path, sha256: str) -> Path:
    """Where a file lies while it is arriving; two versions never share a place."""
    return target.with_name(f".{target.name}.{sha256[:12]}.part")


@contextmanager
def _disk_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            message = say("There is no room left on the disk for {file}.", file=str(target))
            raise FetchError(message) from error
        reason = error.strerror or str(error)
        raise FetchError(
            say("{file} cannot be written: {reason}.", file=str(target), reason=reason)
        ) from error


def _receive_all(url: str, part: Path, progress: Progress) -> None:
    """Goes on after a broken connection for as long as there is progress."""
    for _ in range(RESUMES):
        before = part.stat().st_size if part.exists() else 0
        try:
            return _receive(url, part, progress)
        except _BrokenOff:
            after = part.stat().st_size if part.exists() else 0
            if after <= before:
                raise
    return _receive(url, part, progress)


def _receive(url: str, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "leaderboard", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    # Only http and https get here: the catalog and the command line see to it.
    request = urllib.request.Request(url, headers=headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
            _append(answer, part, _start(answer, have), progress)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            # Nothing lies beyond what is here: the file is whole, or not the one meant. Its sum will tell.
            return
        raise _refused(url, error) from error
    except (
        urllib.error.URLError,
        TimeoutError,
        ConnectionError,
        ssl.SSLError,
        http.client.HTTPException,
    ) as error:
        raise _unreachable(url, part, have, error) from error


def _start(answer: _Answer, have: int) -> _Start:
    length = answer.headers.get("Content-Length")
    size = int(length) if length and length.isdecimal() else None
    begins = (answer.headers.get("Content-Range") or "").removeprefix("bytes ").partition("-")[0]
    if answer.status == http.HTTPStatus.PARTIAL_CONTENT and begins == str(have):
        return _Start(have, None if size is None else have + size)
    return _Start(0, size)


def _append(answer: _Answer, part: Path, start: _Start, progress: Progress) -> None:
    have = start.offset
    with part.open("r+b" if part.exists() else "wb") as stream:
        stream.seek(start.offset)
        stream.truncate()
        progress(have, start.total)
        while chunk := answer.read(_CHUNK):
            stream.write(chunk)
            have += len(chunk)
            progress(have, start.total)
    if start.total is not None and have < start.total:
        raise http.client.IncompleteRead(b"", start.total - have)


def _refused(url: str, error: urllib.error.HTTPError) -> FetchError:
    if error.code in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE):
        return NotThere(say("{url} is not there (404); take the file from elsewhere with --from.", url=url))
    return FetchError(
        say(
            "{url} was refused ({code} {reason}); try again later.",
            url=url,
            code=error.code,
            reason=error.reason,
        )
    )


def _unreachable(url: str, part: Path, have: int, error: Exception) -> FetchError:
    arrived = part.stat().st_size if part.exists() else 0
    if arrived > have or isinstance(error, http.client.IncompleteRead | ConnectionResetError):
        return _BrokenOff(
            say_count(
                "The connection to {url} broke off after {count} byte; the next try goes on there.",
                "The connection to {url} broke off after {count} bytes; the next try goes on there.",
                arrived,
                url=url,
            )
        )
    reason = str(getattr(error, "reason", "") or error) or type(error).__name__
    return FetchError(
        say(
            "{url} cannot be reached: {reason}. Is the network there? With --from a folder will do.",
            url=url,
            reason=reason,
        )
    )
