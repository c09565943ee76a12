"""The gold of a phase in two; no database is needed. `parts` says how a phase does it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from leaderboard.contract import Gold, Scorer, SplitSpec, TaskSpec, say
from leaderboard.rules.parts import Part, part_units
from leaderboard.scorers import PartingScorer, Stratum
from leaderboard.services.errors import ServiceError
from leaderboard.services.gold_reading import Version, identity
from leaderboard.services.recent import Recent

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


_made: Recent[Parted] = Recent(CACHED)


def divided(whole: Gold, spec: TaskSpec, scorer: Scorer, versions: tuple[Version, ...], how: How) -> Parted:
    """Gold that was read from these versions in two. Raises CannotPart."""
    if not can_part(scorer):
        raise CannotPart(say("The scorer of this task cannot part its benchmark; take the split out."))
    known = hashlib.sha256(json.dumps(how.known, sort_keys=True).encode()).hexdigest()
    key = (identity(spec, scorer, versions), how.split.public, how.split.seed, known)
    return _made.get(key, lambda: _parted(spec, cast(PartingScorer, scorer), whole, how))


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
