"""Many tests at once: p-values corrected so that one false alarm among all is as rare as wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from leaderboard.contract import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down correction (Scandinavian Journal of Statistics, 1979), in the order given.

    The k-th smallest of m is multiplied by m + 1 − k; none becomes smaller than the one before it, or greater
    than 1. It holds the family-wise error as Bonferroni does, and finds whatever that finds.
    """
    p = np.asarray(p, dtype=np.float64)
    count = len(p)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (count - np.arange(count)))
    corrected = np.empty(count)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def found(small: Callable[[], Iterable[FloatArray]], count: int, alpha: float) -> tuple[int, int]:
    """How many of `count` p-values stay below `alpha` when corrected by Bonferroni (times their number), and
    how many by Holm. Called, `small` gives those that are below it as they are, some at a time.

    Where k are found by Holm, count − k are left to correct for; that is begun with none found, and done
    again until no more are found.
    """

    def below(already: int) -> int:
        return sum(int(np.count_nonzero(p * (count - already) < alpha)) for p in small())

    by_bonferroni = below(0)
    before, by_holm = 0, by_bonferroni
    while by_holm > before:
        before, by_holm = by_holm, below(by_holm)
    return by_bonferroni, by_holm
