"""How runs' values would vary: from the stored values by topic, or by the task's own scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from leaderboard.analysis import resampling
from leaderboard.analysis.resampling import Draws
from leaderboard.analysis.tables import Table, blocks
from leaderboard.contract import FloatArray, Gold, Scorer, TaskSpec, TrackSpec
from leaderboard.scorers import ResamplingScorer

MOST_LEFT_OUT = 500
"""So often a value is computed again, each time without some of its units."""

_OFFERED = ("units", "resampled")


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a scorer needs to compute one measure of a track again for other samples of its gold."""

    scorer: ResamplingScorer
    spec: TaskSpec
    gold: Gold
    track: str
    measure: str
    units: int
    draws: Draws

    def of(self, run: Any) -> FloatArray:
        """The value of a run that the scorer's `check` has read, in each draw."""
        return self.scorer.resampled(self.spec, run, self.gold, self.track, self.measure, self.draws)


def offers(scorer: Scorer) -> bool:
    """Whether a task's scorer can compute values again for other samples of the gold."""
    return all(hasattr(scorer, name) for name in _OFFERED)


def by_unit(spec: TaskSpec, scorer: Scorer, gold: Gold, track: TrackSpec, run: Any) -> FloatArray | None:
    """What the primary measure of a track says of a run on each unit of its gold, though it is no mean over
    these: the pseudo-values of Tukey's jackknife, n·θ − (n−1)·θ₋ᵢ, θ₋ᵢ being the value without unit i.

    The standard deviation of the differences of two runs' pseudo-values, divided by √n, is the jackknife's
    standard error of the difference of their values. More than `MOST_LEFT_OUT` units are left out in so many
    groups. None where the scorer offers no way.
    """
    if not offers(scorer):
        return None
    able = cast(ResamplingScorer, scorer)
    units = able.units(spec, track.name, track.primary, gold)
    if units < 2:
        return None
    groups = min(units, MOST_LEFT_OUT)
    kept = np.arange(groups)[:, np.newaxis] != np.arange(units) % groups
    draws = np.vstack([np.ones((1, units), dtype=np.int32), kept.astype(np.int32)])
    values = able.resampled(spec, run, gold, track.name, track.primary, draws)
    return np.asarray(groups * values[0] - (groups - 1) * values[1:], dtype=np.float64)


def drawing(
    spec: TaskSpec, scorer: Scorer, gold: Gold, track: str, measure: str, seed: int
) -> Drawing | None:
    """How to resample a measure on a track; None where the task's scorer offers no way."""
    if not offers(scorer):
        return None
    able = cast(ResamplingScorer, scorer)
    units = able.units(spec, track, measure, gold)
    if units < 2:
        return None
    return Drawing(able, spec, gold, track, measure, units, resampling.draw(units, seed))


def is_mean(values: Sequence[float | None], table: Table) -> bool:
    """Whether the runs' values are the means of their values by topic, so that topics may be resampled.

    A task may make its values of topics in another way; then these say nothing about how they would vary.
    """
    if len(values) != table.shape[0] or 0 in table.shape:
        return False
    stored = np.array([np.nan if value is None else value for value in values])
    means = np.concatenate([_means(rows) for rows in blocks(table)])
    return bool(np.allclose(stored, means, rtol=1e-9, atol=1e-12, equal_nan=True))


def _means(rows: FloatArray) -> FloatArray:
    counts = (~np.isnan(rows)).sum(axis=1)
    nothing = np.full(len(rows), np.nan)
    return np.asarray(np.divide(np.nansum(rows, axis=1), counts, out=nothing, where=counts > 0))
