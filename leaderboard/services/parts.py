"""The public and the private part of a phase's gold: which unit belongs to which, and the gold of a part.

A unit gets its part when a run of the phase is first scored by gold that has it, and keeps it: what was shown
once must not decide later. The parts are as secret as the gold; nothing of them leaves the server.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlalchemy.orm import Session

from leaderboard.contract import Gold, Scorer, SplitSpec, TaskSpec, say
from leaderboard.rules.parts import Part, part_units
from leaderboard.scorers import PartingScorer, Stratum
from leaderboard.services import gold
from leaderboard.services.errors import ServiceError
from leaderboard.services.splits import split_of
from leaderboard.store.files import Files
from leaderboard.store.models import Phase, PhaseParts

CACHED = 8
"""So many parted benchmarks are kept in memory by one process."""

_OFFERED = ("parting", "part")

Units = Mapping[str, Part]


class CannotPart(ServiceError):
    """A phase parts gold that cannot be parted."""


@dataclass(frozen=True, slots=True)
class Parted:
    """The gold of a phase in two, and the part of each unit that it was divided by."""

    public: Gold
    private: Gold
    units: Units


def can_part(scorer: Scorer) -> bool:
    """Whether the scorer of a task can part its gold."""
    return all(hasattr(scorer, name) for name in _OFFERED)


@dataclass(frozen=True, slots=True)
class How:
    """How a phase parts its gold, and the parts that units have got already."""

    split: SplitSpec
    known: Units


def how(session: Session, phase: Phase) -> How | None:
    """How a phase parts its gold; None where it does not."""
    split = split_of(phase)
    if split is None:
        return None
    row = session.get(PhaseParts, phase.id, populate_existing=True)
    return How(split, {} if row is None else row.units)


def parted(
    files: Files, spec: TaskSpec, scorer: Scorer, versions: tuple[gold.Version, ...], how: How
) -> Parted:
    """The gold of these versions in two. Raises CannotPart, GoldStayedBehind."""
    return divided(gold.read(files, spec, scorer, versions), spec, scorer, versions, how)


def divided(
    whole: Gold, spec: TaskSpec, scorer: Scorer, versions: tuple[gold.Version, ...], how: How
) -> Parted:
    """Gold that was read from these versions in two. Raises CannotPart."""
    if not can_part(scorer):
        raise CannotPart(say("The scorer of this task cannot part its benchmark; take the split out."))
    return _cache.get(spec, cast(PartingScorer, scorer), versions, how, whole)


def shown(
    files: Files, spec: TaskSpec, scorer: Scorer, versions: tuple[gold.Version, ...], how: How | None
) -> Gold:
    """The gold that what is shown of a phase may be made from: its public part, or all where it has none.

    Raises CannotPart, GoldStayedBehind.
    """
    if how is None:
        return gold.read(files, spec, scorer, versions)
    return parted(files, spec, scorer, versions, how).public


def keep(session: Session, phase_id: int, units: Units) -> bool:
    """Writes the parts of units down; False, writing nothing, where one has got another part meanwhile."""
    row = session.get(PhaseParts, phase_id, populate_existing=True)
    if row is None:
        session.add(PhaseParts(phase_id=phase_id, units=dict(units)))
        session.flush()
        return True
    if any(row.units.get(unit, part) != part for unit, part in units.items()):
        return False
    if not units.keys() <= row.units.keys():
        row.units = {**row.units, **units}
        session.flush()
    return True


class _Cache:
    """The gold parted last, by what it was parted from; the one not asked for the longest goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._made: OrderedDict[tuple[object, ...], Parted] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        spec: TaskSpec,
        scorer: PartingScorer,
        versions: tuple[gold.Version, ...],
        how: How,
        whole: Gold,
    ) -> Parted:
        known = hashlib.sha256(json.dumps(how.known, sort_keys=True).encode()).hexdigest()
        key = (gold.identity(spec, scorer, versions), how.split.public, how.split.seed, known)
        with self._lock:
            if key not in self._made:
                self._made[key] = _parted(spec, scorer, whole, how)
                if len(self._made) > self._size:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
            return self._made[key]


_cache = _Cache(CACHED)


def _parted(spec: TaskSpec, scorer: PartingScorer, whole: Gold, how: How) -> Parted:
    strata = _strata(scorer.parting(spec, whole))
    units = part_units(strata, how.split.public, how.split.seed, how.known)
    here = {unit: part for unit, part in units.items() if unit in strata}
    sides = {side: {unit for unit, part in here.items() if part == side} for side in ("public", "private")}
    return Parted(scorer.part(spec, whole, sides["public"]), scorer.part(spec, whole, sides["private"]), here)


def _strata(by_track: Mapping[str, Mapping[str, Stratum]]) -> dict[str, Stratum]:
    """What units are alike by over all tracks: which tracks have them first, then what each says."""
    units = {unit for track in by_track.values() for unit in track}
    return {
        unit: (
            *(float(unit in track) for track in by_track.values()),
            *(number for track in by_track.values() for number in track.get(unit, ())),
        )
        for unit in units
    }
