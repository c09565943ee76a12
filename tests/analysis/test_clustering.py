"""Like runs stand beside like."""

from __future__ import annotations

import numpy as np

from leaderboard.analysis.clustering import clustered


def test_two_families_are_not_mixed() -> None:
    family = np.array([0, 1, 0, 1, 0])
    correlation = np.where(family[:, np.newaxis] == family, 0.9, 0.1)
    np.fill_diagonal(correlation, 1.0)

    ordered = family[list(clustered(correlation))].tolist()

    assert ordered in ([0, 0, 0, 1, 1], [1, 1, 0, 0, 0])


def test_an_undefined_correlation_is_none() -> None:
    correlation = np.full((3, 3), np.nan)
    correlation[0, 1] = correlation[1, 0] = 0.9

    assert sorted(clustered(correlation)) == [0, 1, 2]


def test_one_or_two_runs_stay_as_they_are() -> None:
    assert clustered(np.ones((2, 2))) == (0, 1)
    assert clustered(np.ones((1, 1))) == (0,)
