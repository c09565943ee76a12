"""Signs that somebody reads a hidden benchmark off a board: what one team's runs in a row have in common.

None of them proves anything: each comes with a number that can be checked, and with a way in which honest
work would look the same. What the gold is has no part in any of them; the values are those that boards show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leaderboard.contract import FloatArray

Strength = Literal["weak", "moderate", "strong"]

FEW = 0.03
"""A run that differs in so large a share of its units at most differs in few."""

SMALL = 0.10
"""A step of a climb changes so large a share at most."""

LEAST_UNITS = 20
"""Of fewer units nothing is said."""

LEAST_RUNS = 8
"""Of fewer runs nothing is said about chance."""

UNRELATED = 0.15
"""Two runs whose correlation is nearer to 0 than this have nothing in common: over three standard errors of
the sample of a sketch."""

MANY_RUNS = 20

FEW_KINDS = 8
"""Answers of so few kinds in all are decisions, such as yes and no."""

FITS = 0.001
"""Counts fit what coins would give where they are no rarer than this."""

FITS_WELL = 0.05
"""And fit it well where they are no rarer than this."""


@dataclass(frozen=True, slots=True)
class Step:
    """How a run came from an earlier one: both as positions in the series (`parent` None: from none that is
    near), and how many of so many `units` it answers otherwise; `touched` are some of these, by hash."""

    run: int
    parent: int | None
    changed: int
    units: int
    touched: frozenset[int] = frozenset()

    @property
    def share(self) -> float:
        return self.changed / self.units if self.units else 1.0


@dataclass(frozen=True, slots=True)
class Flips:
    """`runs` of a series that each differ from an earlier one in at most `most` of `units` units; together
    they changed at least `different` different ones."""

    runs: tuple[int, ...]
    of: int
    most: int
    units: int
    different: int

    @property
    def strength(self) -> Strength:
        return "strong" if len(self.runs) >= 10 else "moderate" if len(self.runs) >= 5 else "weak"


def flips(steps: Sequence[Step]) -> Flips | None:
    """Runs that differ from an earlier one of the series in few units; None for less than three."""
    few = [step for step in steps if step.parent is not None and step.units >= LEAST_UNITS and _few(step)]
    if len(few) < 3:
        return None
    return Flips(
        tuple(step.run for step in few),
        len(steps),
        max(step.changed for step in few),
        max(step.units for step in few),
        len(frozenset().union(*(step.touched for step in few))),
    )


def _few(step: Step) -> bool:
    return 0 < step.changed <= max(1, FEW * step.units)


@dataclass(frozen=True, slots=True)
class Coins:
    """`runs` that choose between the same two answers to each of `units` units, which of them as coins would:
    how often each unit was chosen the rarer way fits a binomial distribution with the odds `odds` (`p_value`
    of the χ² test of fit; small where it does not). `everywhere`: hardly a unit was left out."""

    runs: tuple[int, ...]
    units: int
    odds: float
    p_value: float
    everywhere: bool

    @property
    def strength(self) -> Strength:
        enough = len(self.runs) >= 10 and self.units >= 100
        return "strong" if enough and self.everywhere else "moderate"


def coins(answers: NDArray[np.uint32]) -> Coins | None:
    """Whether runs (rows) choose between two answers of each unit (column) by chance alone; None where not.

    Systems that decide between two answers agree on easy units and differ on hard ones, which no binomial
    distribution fits. Runs with other answers are left out first.
    """
    rows = _of_two_answers(answers)
    if len(rows) < LEAST_RUNS:
        return None
    chosen = answers[rows]
    if _agree_on_kinds(chosen):
        return None
    ordered = np.sort(chosen, axis=0)
    kinds = 1 + np.count_nonzero(np.diff(ordered.astype(np.int64), axis=0), axis=0)
    if np.count_nonzero(kinds > 1) < 30 or np.count_nonzero(kinds > 2) > 0.05 * np.count_nonzero(kinds > 1):
        return None
    ones = np.count_nonzero(chosen == ordered[0], axis=0)[kinds == 2]
    rarer = np.minimum(ones, len(rows) - ones)
    odds, p_value = _fit(rarer, len(rows))
    everywhere = _is_everywhere(len(rows), odds, kinds)
    # Real systems leave out many units, the easy ones; then it takes more runs to tell them from coins.
    if p_value < FITS or not (everywhere or (len(rows) >= MANY_RUNS and p_value >= FITS_WELL)):
        return None
    return Coins(tuple(rows.tolist()), len(rarer), odds, p_value, everywhere)


def _agree_on_kinds(answers: NDArray[np.uint32]) -> bool:
    """Whether runs that have the same few answers everywhere (yes and no) agree with each other more than by
    chance, as systems do, good or bad. Of answers that differ from unit to unit nothing can be said so."""
    kinds, times = np.unique(answers, return_counts=True)
    if len(kinds) > FEW_KINDS:
        return False
    usual = (answers == kinds[np.argmax(times)]).astype(float)
    usual = usual[np.ptp(usual, axis=1) > 0]
    if len(usual) < 2:
        return True
    pairs = np.corrcoef(usual)[np.triu_indices(len(usual), 1)]
    return bool(np.median(pairs) > 0.03)


def _is_everywhere(runs: int, odds: float, kinds: NDArray[np.intp]) -> bool:
    """Whether no more units have one answer alone than coins would leave, and a tenth of all."""
    never = odds**runs + (1 - odds) ** runs
    spread = np.sqrt(len(kinds) * never * (1 - never))
    return bool(np.count_nonzero(kinds == 1) <= len(kinds) * (never + 0.1) + 4 * spread)


def _of_two_answers(answers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The rows that give, nearly everywhere, one of the two answers that are most frequent there."""
    rows = np.arange(len(answers))
    for _ in range(2):
        if len(rows) < LEAST_RUNS:
            break
        usual = np.array([_two_most_frequent(column) for column in answers[rows].T]).T
        fits = (answers == usual[0]) | (answers == usual[1])
        rows = np.flatnonzero(fits.mean(axis=1) >= 0.9)
    return rows


def _two_most_frequent(column: NDArray[np.uint32]) -> tuple[int, int]:
    values, times = np.unique(column, return_counts=True)
    order = np.argsort(-times, kind="stable")
    return int(values[order[0]]), int(values[order[min(1, len(order) - 1)]])


def _fit(rarer: NDArray[np.intp], runs: int) -> tuple[float, float]:
    """The odds at which a coin thrown `runs` times gives such counts of its rarer side, never 0, and how
    well: the most likely odds, and the p-value of a χ² test with bins of at least five expected."""
    counts = np.bincount(rarer, minlength=runs // 2 + 1)[1:]
    candidates = np.linspace(0.01, 0.5, 246)
    expected = np.array([_rarer_side(runs, odds) for odds in candidates])
    best = int(np.argmax((counts * np.log(np.maximum(expected, 1e-300))).sum(axis=1)))
    found, wanted = _bins(counts, expected[best] * counts.sum())
    if len(found) < 3:
        return float(candidates[best]), 0.0
    chi = float((((found - wanted) ** 2) / wanted).sum())
    return float(candidates[best]), float(stats.chi2.sf(chi, len(found) - 2))


def _rarer_side(runs: int, odds: float) -> FloatArray:
    """How likely the rarer side comes up 1, 2, … times, where it comes up at all."""
    sides = np.arange(1, runs // 2 + 1)
    ways = np.array([comb(runs, int(side)) for side in sides], dtype=float)
    likely = ways * (
        odds**sides * (1 - odds) ** (runs - sides) + (1 - odds) ** sides * odds ** (runs - sides)
    )
    if runs % 2 == 0:
        likely[-1] /= 2
    return np.asarray(likely / likely.sum())


def _bins(counts: NDArray[np.intp], expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    found, wanted = [0.0], [0.0]
    for count, likely in zip(counts.tolist(), expected.tolist(), strict=True):
        if wanted[-1] >= 5:
            found.append(0.0)
            wanted.append(0.0)
        found[-1] += count
        wanted[-1] += likely
    if len(wanted) > 1 and wanted[-1] < 5:
        left, likely = found.pop(), wanted.pop()
        found[-1] += left
        wanted[-1] += likely
    return np.array(found), np.array(wanted)


@dataclass(frozen=True, slots=True)
class Strangers:
    """`runs` of a series of which a share of `share` of all pairs is not correlated: the largest correlation
    that counts as none is `UNRELATED`; `mean` is the mean of its size over all pairs."""

    runs: tuple[int, ...]
    share: float
    mean: float

    @property
    def strength(self) -> Strength:
        return "strong" if len(self.runs) >= 10 else "moderate"


def strangers(values: FloatArray) -> Strangers | None:
    """Runs (rows) that have nothing to do with each other, as random answers would; None where there are not
    enough of them. Systems for one task agree with each other at least a little."""
    usable = np.flatnonzero(np.ptp(values, axis=1) > 0)
    if len(usable) < LEAST_RUNS:
        return None
    ranks = stats.rankdata(values[usable], axis=1)
    size = np.abs(np.corrcoef(ranks))
    np.fill_diagonal(size, np.nan)
    kept = np.nanmean(size < UNRELATED, axis=1, where=~np.isnan(size)) >= 0.8
    if np.count_nonzero(kept) < LEAST_RUNS:
        return None
    among = size[np.ix_(kept, kept)]
    pairs = among[~np.isnan(among)]
    share = float((pairs < UNRELATED).mean())
    if share < 0.95:
        return None
    return Strangers(tuple(usable[kept].tolist()), share, float(pairs.mean()))
