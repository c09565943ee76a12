"""Bringing a file to the server once, however often the line breaks, and waiting for its scores."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from leaderboard.client.connection import Answer, Broken, ClientError, Refused, Server
from leaderboard.contract import say

Progress = Callable[[int, int], None]
"""Told how many bytes are sent, of how many. Sending again begins at none."""

Pause = Callable[[float], None]
"""Waits so many seconds."""

ATTEMPTS = 8
LONGEST_PAUSE = 60.0

_AGAIN = frozenset({"busy", "too-many-requests", "unavailable", "server-error"})
"""What a server refuses now and may do a moment later."""


class NotAllowedNow(ClientError):
    """The team cannot send a run now; `next_slot` is when it may, None where it may not in this phase."""

    def __init__(self, reason: str, next_slot: str | None) -> None:
        self.next_slot = next_slot
        super().__init__(say("{reason}", reason=reason))


@dataclass(frozen=True, slots=True)
class Sending:
    """A file that is to be submitted, and what its team says about it (the names are those of the API)."""

    task: str
    file: Path
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sent:
    """The run that a file became. `again`: the team had sent this very file before."""

    run: Mapping[str, Any]
    again: bool


class _Watched:
    """A file that tells how much of it was read."""

    def __init__(self, stream: BinaryIO, size: int, progress: Progress) -> None:
        self._stream = stream
        self._size = size
        self._done = 0
        self._progress = progress

    def read(self, size: int = -1, /) -> bytes:
        part = self._stream.read(size)
        self._done += len(part)
        self._progress(self._done, self._size)
        return part

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(1 << 16), b"")


def may_send(server: Server, task: str, file: Path) -> Mapping[str, Any]:
    """The team's quota where it may send this file now. Asked before the upload, so that nobody sends for
    nothing; what the upload itself is answered decides. A file that was sent before may be sent at any time.

    Raises NotAllowedNow, Refused, Broken and BadServer.
    """
    size = file.stat().st_size
    most = int(server.get("tasks", task).document["max_upload_bytes"])
    if size > most:
        raise ClientError(
            say(
                "The file has {size} bytes, and {most} are taken. Compress it with gzip.",
                size=size,
                most=most,
            )
        )
    quota: Mapping[str, Any] = server.get("tasks", task, "quota").document
    if not quota["may_submit"] and not _sent_before(server, task, file):
        raise NotAllowedNow(str(quota["reason"]), quota["next_slot"])
    return quota


def _sent_before(server: Server, task: str, file: Path) -> bool:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return any(run["sha256"] == digest for run in server.every("tasks", task, "runs"))


def submit(
    server: Server, sending: Sending, progress: Progress, pause: Pause, *, attempts: int = ATTEMPTS
) -> Sent:
    """Sends a file, again where the connection breaks, under one key, so that it counts once.

    Raises NotAllowedNow, Refused (also for a file with faults), Broken and BadServer.
    """
    key = uuid.uuid4().hex
    for attempt in range(1, attempts + 1):
        try:
            answer = _send(server, sending, key, progress)
            return Sent(answer.document["run"], bool(answer.document["again"]))
        except Refused as refused:
            if "next_slot" in refused.document:
                raise NotAllowedNow(str(refused), refused.document["next_slot"]) from refused
            if refused.slug not in _AGAIN or attempt == attempts:
                raise
            pause(min(max(refused.wait or 0.0, _backing_off(attempt)), LONGEST_PAUSE))
        except Broken:
            if attempt == attempts:
                raise
            pause(_backing_off(attempt))
    raise ValueError("a file is sent at least once")


def wait(
    server: Server, task: str, run: Mapping[str, Any], pause: Pause, *, seconds: float
) -> Mapping[str, Any]:
    """The run once it has its scores, or cannot have them; as it is after so many `seconds` of pauses.

    Raises Refused, Broken and BadServer.
    """
    number = run["id"]
    waited, next_pause = 0.0, 0.5
    while run["state"] == "received" and waited < seconds:
        pause(next_pause)
        waited += next_pause
        next_pause = min(next_pause * 1.5, 10.0)
        run = patiently(lambda: server.get("tasks", task, "runs", number), pause).document
    return run


def patiently(ask: Callable[[], Answer], pause: Pause, *, attempts: int = ATTEMPTS) -> Answer:
    """An answer to a question that changes nothing, asked again where the line breaks."""
    for attempt in range(1, attempts):
        try:
            return ask()
        except Broken:
            pause(_backing_off(attempt))
        except Refused as refused:
            if refused.slug not in _AGAIN:
                raise
            pause(min(refused.wait or _backing_off(attempt), LONGEST_PAUSE))
    return ask()


def _send(server: Server, sending: Sending, key: str, progress: Progress) -> Answer:
    size = sending.file.stat().st_size
    with sending.file.open("rb") as stream:
        return server.ask(
            "POST",
            *("tasks", sending.task, "runs"),
            parameters={"file_name": sending.file.name, **sending.words},
            body=_Watched(stream, size, progress),
            headers={
                "Content-Type": "application/octet-stream",
                "Content-Length": str(size),
                "Idempotency-Key": key,
            },
        )


def _backing_off(attempt: int) -> float:
    return min(0.5 * float(2**attempt), LONGEST_PAUSE)
