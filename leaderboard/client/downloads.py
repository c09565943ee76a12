"""Bringing the public files of a task, each checked by its SHA-256."""

from __future__ import annotations

import hashlib
import http.client
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.client.connection import Broken, ClientError, Server
from leaderboard.client.submitting import ATTEMPTS, Pause
from leaderboard.contract import say

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Brought:
    """A public file in its folder. `new`: it was not there before, or was another."""

    name: str
    path: Path
    new: bool


def bring(server: Server, task: str, folder: Path, pause: Pause) -> tuple[Brought, ...]:
    """Has all public files of a task in `folder`; those that are there already stay.

    Raises Refused, Broken, BadServer and OSError.
    """
    listed = server.every("tasks", task, "inputs")
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_bring_one(server, task, each, folder, pause) for each in listed)


def _bring_one(server: Server, task: str, listed: Mapping[str, Any], folder: Path, pause: Pause) -> Brought:
    # Whatever the server calls it, it comes into this folder.
    path = folder / Path(str(listed["file_name"]).replace("\\", "/")).name
    if path.is_file() and _hash(path) == listed["sha256"]:
        return Brought(listed["name"], path, False)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _download(server, task, listed, path)
            break
        except Broken:
            if attempt == ATTEMPTS:
                raise
            pause(0.5 * 2**attempt)
    return Brought(listed["name"], path, True)


def _download(server: Server, task: str, listed: Mapping[str, Any], path: Path) -> None:
    digest = hashlib.sha256()
    with (
        server.open("GET", "tasks", task, "inputs", listed["name"]) as response,
        tempfile.NamedTemporaryFile(dir=path.parent, prefix=".incoming-", delete=False) as target,
    ):
        temporary = Path(target.name)
        try:
            while chunk := response.read(_CHUNK):
                digest.update(chunk)
                target.write(chunk)
        except (OSError, http.client.HTTPException) as error:
            temporary.unlink(missing_ok=True)
            raise Broken(say("The connection broke before {file} was there.", file=path.name)) from error
    if digest.hexdigest() != listed["sha256"]:
        short = temporary.stat().st_size < int(listed["size"])
        temporary.unlink(missing_ok=True)
        if short:
            raise Broken(say("The connection broke before {file} was there.", file=path.name))
        raise ClientError(say("{file} came otherwise than the server said; try again.", file=path.name))
    temporary.chmod(0o644)
    temporary.replace(path)


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
