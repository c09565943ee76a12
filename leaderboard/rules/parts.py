"""Which units of gold (topics, source words) are shown while a phase is open, and which decide its end."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Literal

from leaderboard.scorers import Stratum

Part = Literal["public", "private"]


def part_units(
    strata: Mapping[str, Stratum], public: float, seed: int, known: Mapping[str, Part] | None = None
) -> dict[str, Part]:
    """The part of every unit; one that is `known` keeps the part it had.

    Units are put in the order of their strata, within one by a hash of `seed` and name, and every one at
    which the running share passes a whole number is public: systematic sampling. So the public part has the
    share `public` of the units, to one unit, and of those of each stratum too. Equal units, share and seed
    give equal parts, whatever order they come in.
    """
    before = dict(known or {})
    new = sorted(
        (unit for unit in strata if unit not in before), key=lambda unit: (strata[unit], _drawn(seed, unit))
    )
    # Where to start is drawn too, so that no place in the order is favoured.
    start = int(_drawn(seed, "")[:13], 16) / 16**13
    for number, unit in enumerate(new):
        passed = math.floor(start + (number + 1) * public) > math.floor(start + number * public)
        before[unit] = "public" if passed else "private"
    return before


def _drawn(seed: int, unit: str) -> str:
    return hashlib.sha256(f"{seed}\n{unit}".encode()).hexdigest()
