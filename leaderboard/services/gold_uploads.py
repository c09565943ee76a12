"""Benchmark files as they are sent: which is whose, and under which names they are read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from leaderboard.contract import TaskSpec, say
from leaderboard.services.errors import ServiceError
from leaderboard.store.files import Files


class NoFileSent(ServiceError):
    """Nothing was sent."""

    def __init__(self) -> None:
        super().__init__(say("Choose at least one benchmark file."))


class NotAGoldFile(ServiceError):
    """A file has a name that no track declares."""


def assigned(
    spec: TaskSpec, named: Sequence[tuple[str, Path]], by_track: Mapping[str, Path]
) -> dict[str, Path]:
    """The file of each track: what was sent for it (`by_track`), else the one of `named` whose name the track
    declares for its gold, in the order of task.toml. Raises NoFileSent, NotAGoldFile."""
    declared = {track.gold for track in spec.tracks}
    strange = [name for name, _ in named if name not in declared]
    if strange:
        raise NotAGoldFile(
            say(
                "{file} is not the name of a benchmark file of this task. Expected are {files}; a file of "
                "another name goes into the field of its track.",
                file=strange[0],
                files=", ".join(sorted(declared)),
            )
        )
    by_name = dict(named)
    found = {**by_track}
    for track in spec.tracks:
        if track.gold in by_name:
            found.setdefault(track.name, by_name[track.gold])
    if not found:
        raise NoFileSent
    return {track.name: found[track.name] for track in spec.tracks if track.name in found}


@contextmanager
def as_declared(files: Files, spec: TaskSpec, paths: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """The files (track to path), which must lie in the store of gold, under the names that task.toml
    declares, as their faults are told by name."""
    folder = Path(tempfile.mkdtemp(dir=files.gold.draft_folder()))
    try:
        named = {}
        for track, path in paths.items():
            named[track] = folder / track / spec.track(track).gold
            named[track].parent.mkdir()
            named[track].hardlink_to(path)
        yield named
    finally:
        shutil.rmtree(folder, ignore_errors=True)
