"""The plots of two runs by what they say of the inputs."""

from __future__ import annotations

import numpy as np

from leaderboard.analysis.contrast import distribution, grid
from leaderboard.contract import say, say_count
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import rounded
from leaderboard.services.comparisons import OnItems

CELLS = 25
BINS = 25


def ranks(on: OnItems, names: tuple[str, str]) -> Plot | None:
    """How many items stand where in both rankings; None where the runs have none in common."""
    if not len(on.found.rows):
        return None
    counts = grid(on.found, CELLS)
    # Where nothing is, nothing is drawn.
    rows, columns = np.nonzero(counts)
    edge = [f"{100 * place // CELLS}–{100 * (place + 1) // CELLS} %" for place in range(CELLS)]
    return Plot(
        title=say("Ranks by {first} and by {second}", first=names[0], second=names[1]),
        words=say_count(
            "{count} item, by its rank among all of {first} (along, the lowest at the left) and of {second} "
            "(the lowest below). Spearman's correlation of the two is {rho}.",
            "{count} items, by their rank among all of {first} (along, the lowest at the left) and of "
            "{second} (the lowest below). The stronger the colour, the more. Spearman's correlation of the "
            "two is {rho}.",
            len(on.found.rows),
            first=names[0],
            second=names[1],
            rho=rounded(on.found.correlation, 3),
        ),
        x=Axis(say("rank by {run}", run=names[0]), "order", 0.0, CELLS - 1.0, digits=0),
        y=Axis(say("rank by {run}", run=names[1]), "order", 0.0, CELLS - 1.0, digits=0, rising=True),
        series=(
            Series(
                say("items"),
                "own",
                "cells",
                tuple(columns.astype(float).tolist()),
                tuple(rows.astype(float).tolist()),
                tuple(f"{edge[column]}, {edge[row]}" for row, column in zip(rows, columns, strict=True)),
                amounts=tuple(counts[rows, columns].astype(float).tolist()),
            ),
        ),
    )


def distributions(on: OnItems, names: tuple[str, str]) -> Plot:
    """How the values of both runs spread, each from its least to its greatest."""
    places = tuple(np.linspace(0.0, 1.0, BINS, endpoint=False).tolist())
    own, other = (tuple(distribution(run.values, BINS).tolist()) for run in (on.first, on.second))
    return Plot(
        title=say("How values spread"),
        words=say(
            "The share of items whose value lies in each of {bins} equal parts of a run's own scale, from "
            "its least value to its greatest.",
            bins=BINS,
        ),
        x=Axis(say("from the least value to the greatest"), low=0.0, high=1.0),
        y=Axis(say("share of items"), low=0.0, digits=3),
        series=(
            Series(say("{run}", run=names[1]), "best", "steps", places, other),
            Series(say("{run}", run=names[0]), "own", "steps", places, own),
        ),
    )
