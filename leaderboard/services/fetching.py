"""Brings a task's files from where they are published, under the names that the task expects."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from leaderboard.contract import InputSpec, Message, SourceSpec, TaskSpec, say, say_count
from leaderboard.services.downloading import FetchError, NotThere, Progress, download, part_of, sha256_of

FOLDERS = {"input": "inputs", "gold": "gold"}
"""Where files of each kind are put. The two never share a folder: one may be given away, the other not."""

How = Literal["fetched", "present"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that is in its place now; it was "present" before, or has been "fetched"."""

    file: Path
    how: How


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome for a task: what is there now, why the rest is not, and what only hands can bring."""

    arrivals: tuple[Arrival, ...]
    failures: tuple[Message, ...]
    by_hand: tuple[InputSpec, ...]


Origin = Callable[[SourceSpec, Path, Progress], None]
"""Brings one source to a place, with the right sum, or raises FetchError."""

Watch = Callable[[SourceSpec], AbstractContextManager[Progress]]
"""Entered for each file that has to be fetched, and left when that is done or has failed."""


def from_home(source: SourceSpec, target: Path, progress: Progress) -> None:
    """The origin that a task declares."""
    download(source.url, target, source.sha256, progress)


def from_mirror(address: str) -> Origin:
    """A web folder that holds the files under the names they are published or expected under."""

    def bring(source: SourceSpec, target: Path, progress: Progress) -> None:
        places = [f"{address.rstrip('/')}/{quote(name)}" for name in _names(source)]
        for url in places:
            try:
                return download(url, target, source.sha256, progress)
            except NotThere:
                continue
        raise NotThere(say("The mirror has none of {places}.", places=", ".join(places)))

    return bring


def from_folder(folder: Path) -> Origin:
    """A folder in which, at any depth, files of the right sum lie under their published or expected names."""
    by_name: dict[str, list[Path]] = {}
    for place, _, files in os.walk(folder):
        for file in files:
            by_name.setdefault(file, []).append(Path(place, file))

    def bring(source: SourceSpec, target: Path, progress: Progress) -> None:
        found = [file for name in _names(source) for file in by_name.get(name, ())]
        for file in found:
            if sha256_of(file) == source.sha256:
                return _copy(file, target, progress)
        names = " / ".join(_names(source))
        if not found:
            raise FetchError(say("{folder} holds no {names}.", folder=str(folder), names=names))
        raise FetchError(
            say_count(
                "{folder} holds {count} file named {names}, but its SHA-256 is not the expected {sha256}.",
                "{folder} holds {count} files named {names}, but none has the expected SHA-256 {sha256}.",
                len(found),
                folder=str(folder),
                names=names,
                sha256=source.sha256,
            )
        )

    return bring


def fetch_task(spec: TaskSpec, to: Path, origin: Origin, watch: Watch) -> Fetched:
    """Puts every file of the task under `to`, in ``inputs`` and ``gold``.

    A file that is there already with the right sum is left alone; one with another sum is replaced.
    What fails does not stop the rest.
    """
    arrivals: list[Arrival] = []
    failures: list[Message] = []
    for source in spec.sources:
        target = to / FOLDERS[source.kind] / source.file
        try:
            arrivals.append(_bring(source, target, origin, watch))
        except FetchError as error:
            failures.append(error.message)
    sourced = {source.file for source in spec.sources if source.kind == "input"}
    unsourced = [each for each in spec.inputs if each.file not in sourced]
    own = [each for each in unsourced if (spec.folder / each.file).is_file()]
    for each in own:
        try:
            arrivals.append(_copy_own(spec.folder / each.file, to / FOLDERS["input"] / each.file))
        except FetchError as error:
            failures.append(error.message)
    return Fetched(tuple(arrivals), tuple(failures), tuple(_absent(unsourced, own, to)))


def _absent(unsourced: list[InputSpec], own: list[InputSpec], to: Path) -> Iterator[InputSpec]:
    for each in unsourced:
        if each not in own and not (to / FOLDERS["input"] / each.file).is_file():
            yield each


def _bring(source: SourceSpec, target: Path, origin: Origin, watch: Watch) -> Arrival:
    if target.is_file() and sha256_of(target) == source.sha256:
        return Arrival(target, "present")
    with watch(source) as progress:
        origin(source, target, progress)
    return Arrival(target, "fetched")


def _copy_own(file: Path, target: Path) -> Arrival:
    """A file that comes with the task itself, such as its instructions."""
    if target.is_file() and sha256_of(target) == sha256_of(file):
        return Arrival(target, "present")
    _copy(file, target, lambda _done, _total: None)
    return Arrival(target, "fetched")


def _copy(file: Path, target: Path, progress: Progress) -> None:
    size = file.stat().st_size
    part = part_of(target, "copy")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, part)
        part.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FetchError(
            say("{file} cannot be written: {reason}.", file=str(target), reason=reason)
        ) from error
    progress(size, size)


def _names(source: SourceSpec) -> tuple[str, ...]:
    """The name it is published under, then the one that the task expects."""
    published = unquote(PurePosixPath(urlsplit(source.url).path).name)
    return tuple(dict.fromkeys((published, source.file)))
