"""How many samples the simulations of the statistics draw, and what their number allows to say."""

from __future__ import annotations

import math
import os

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def samples(quick: int, soak: int) -> int:
    """`quick` in `make test`, `soak` in `make soak`."""
    return soak if SOAK else quick


def chance(share: float, count: int) -> float:
    """How far a share of so many samples strays by chance: three of its standard errors."""
    return 3 * math.sqrt(share * (1 - share) / count)
