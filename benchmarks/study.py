"""A study of 42 runs × 173 topics × 5 measures (861 pairs), beside a loop of scipy.stats.ttest_rel."""

from __future__ import annotations

import numpy as np
import scipy.stats

from benchmarks.timing import medians, show
from leaderboard.analysis.pairwise import paired_t
from leaderboard.analysis.samples import ByUnit
from leaderboard.analysis.study import study
from leaderboard.analysis.tables import pairs_of
from leaderboard.contract import FloatArray

RUNS, TOPICS, MEASURES = 42, 173, 5
OURS = "ours: all tests"
LOOP = "a loop of scipy.stats.ttest_rel"


def run(turns: int) -> None:
    """Times both on the same made-up values, and makes sure that they give the same numbers."""
    matrices = _matrices()
    show(
        f"Study: {RUNS} runs × {TOPICS} topics × {MEASURES} measures, {RUNS * (RUNS - 1) // 2} pairs each",
        medians(
            {
                OURS: lambda: [_at_once(matrix) for matrix in matrices],
                "ours: the whole study, with intervals, corrections, tau and overlap": lambda: study(
                    [ByUnit(matrix, 1) for matrix in matrices], [True] * MEASURES
                ),
                LOOP: lambda: [_one_by_one(matrix) for matrix in matrices],
            },
            turns,
        ),
        OURS,
    )
    farthest = max(
        float(np.max(np.abs(_at_once(matrix) - _one_by_one(matrix)) / _one_by_one(matrix)))
        for matrix in matrices
    )
    print(f"  p-values differ by a factor of 1 ± {farthest:.0e} at most")


def _matrices() -> list[FloatArray]:
    """Runs of different quality on topics of different difficulty, many values 0 as they are in practice."""
    dice = np.random.default_rng(3)
    topics, runs = dice.normal(0, 0.3, TOPICS), np.linspace(-0.1, 0.3, RUNS)[:, np.newaxis]
    return [np.clip(runs + topics + dice.normal(0, 0.25, (RUNS, TOPICS)), 0.0, 1.0) for _ in range(MEASURES)]


def _at_once(matrix: FloatArray) -> FloatArray:
    return np.concatenate([pairs.p for pairs in paired_t(matrix)])


def _one_by_one(matrix: FloatArray) -> FloatArray:
    first, second = pairs_of(len(matrix))
    return np.array(
        [
            scipy.stats.ttest_rel(matrix[one], matrix[other]).pvalue
            for one, other in zip(first, second, strict=True)
        ]
    )
