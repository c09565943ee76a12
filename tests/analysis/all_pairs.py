"""The tests of all pairs together, which come some at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from leaderboard.analysis.pairwise import Pairs


def joined(some: Iterable[Pairs]) -> Pairs:
    """All in one, in the order (0, 1), (0, 2), …, (1, 2), …."""
    parts = list(some)
    first, second = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second"))
    order = np.lexsort((second, first))
    return Pairs(
        *(np.concatenate([getattr(part, field.name) for part in parts])[order] for field in fields(Pairs))
    )
