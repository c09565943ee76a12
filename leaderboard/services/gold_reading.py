"""Gold as it is read from files; no database is needed, so that whoever only scores need not load one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from leaderboard.contract import Gold, Scorer, TaskSpec
from leaderboard.services.recent import Recent

CACHED = 8
"""So many tasks' gold is kept in memory by one process."""

_read: Recent[Gold] = Recent(CACHED)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a track's gold. `topics` is the order of per-topic arrays made with it. Without `has_file`
    it can score nothing: an archive brought its scores and left the file behind."""

    id: int
    track: str
    number: int
    state: str
    file_name: str
    file_hash: str
    note: str
    installed_at: datetime
    topics: tuple[str, ...]
    has_file: bool = True


def read_at(found: Mapping[str, Path], spec: TaskSpec, scorer: Scorer, versions: tuple[Version, ...]) -> Gold:
    """The gold of these versions, whose files are `found`; from memory where this process has read it
    before."""
    return _read.get(identity(spec, scorer, versions), lambda: scorer.read_gold(spec, found))


def identity(spec: TaskSpec, scorer: Scorer, versions: tuple[Version, ...]) -> tuple[object, ...]:
    """What gold that is read depends on."""
    hashes = tuple((version.track, version.file_hash) for version in versions)
    return str(spec.scorer), scorer.VERSION, hashes, repr(spec.tracks), repr(spec.options)
