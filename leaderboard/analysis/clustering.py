"""Runs beside each other by how alike they are."""

from __future__ import annotations

import numpy as np

from leaderboard.contract import FloatArray


def clustered(correlation: FloatArray) -> tuple[int, ...]:
    """An order of the rows of a symmetric matrix of correlations in which like stand beside like.

    Average linkage of the distances 1 − r, with the leaves in their best order (Bar-Joseph et al. 2001). An
    undefined correlation (nan) counts as none.
    """
    count = len(correlation)
    if count < 3:
        return tuple(range(count))
    distance = 1.0 - np.where(np.isnan(correlation), 0.0, correlation)
    distance = np.clip((distance + distance.T) / 2, 0.0, 2.0)
    np.fill_diagonal(distance, 0.0)
    # Imported where it is used: it takes a second, and most processes never come here.
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    tree = hierarchy.linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return tuple(hierarchy.leaves_list(tree).tolist())
