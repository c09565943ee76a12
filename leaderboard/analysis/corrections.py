"""Many tests at once: p-values corrected so that one false alarm among all is as rare as wanted."""

from __future__ import annotations

import numpy as np

from leaderboard.contract import FloatArray


def bonferroni(p: FloatArray) -> FloatArray:
    """Each p-value times their number, at most 1."""
    return np.minimum(np.asarray(p, dtype=np.float64) * len(p), 1.0)


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
