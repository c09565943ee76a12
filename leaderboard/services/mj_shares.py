"""What each team's run brought to an MJ: computed and stored with it, shown once it is published."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.analysis.clustering import clustered
from leaderboard.contract import FloatArray, Message, say, say_count
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import rounded
from leaderboard.resources.mj_shares import shares
from leaderboard.resources.rows import Rows
from leaderboard.services.mj_plans import CountedRun, TrackPlan

DIGITS = 4
"""Correlations are kept with so many decimals."""

Evaluate = Callable[[str, FloatArray], float]
"""From a track and values of its pairs to the primary measure; NaN where it is undefined."""


@dataclass(frozen=True, slots=True)
class Share:
    """One run of a track. Correlations are Spearman's, None where undefined: with MJ, with MJ made from the
    other runs, and of MJ with and without this run. `without` is the primary measure of MJ without it."""

    run_id: int
    with_all: float | None
    with_others: float | None
    changed: float | None
    without: float | None


@dataclass(frozen=True, slots=True)
class TrackShares:
    """The runs of a track, best first. `between` are the correlations of every two of the first of them, in
    that order; `order` has like ones of these beside each other."""

    runs: tuple[Share, ...]
    between: tuple[tuple[float | None, ...], ...]
    order: tuple[int, ...]


def of_track(
    evaluate: Evaluate,
    track: TrackPlan,
    weighting: str,
    values: Rows,
) -> TrackShares:
    """The shares of a track's runs, whose scaled values are runs × pairs in the order of the plan."""
    places = [run.place for run in track.runs]
    found = shares(values, places, weighting, lambda rest: evaluate(track.track, rest))
    return TrackShares(
        tuple(
            Share(
                run.run_id,
                _rounded(found.with_all[row]),
                _rounded(found.with_others[row]),
                _rounded(found.changed[row]),
                None if math.isnan(found.without[row]) else float(found.without[row]),
            )
            for row, run in enumerate(track.runs)
        ),
        tuple(tuple(_rounded(one) for one in row) for row in found.between),
        clustered(found.between),
    )


def as_json(tracks: Mapping[str, TrackShares]) -> dict[str, Any]:
    """As it is stored."""
    return {
        track: {
            "runs": [
                [one.run_id, one.with_all, one.with_others, one.changed, one.without] for one in found.runs
            ],
            "between": [list(row) for row in found.between],
            "order": list(found.order),
        }
        for track, found in tracks.items()
    }


def from_json(stored: Mapping[str, Any] | None) -> Mapping[str, TrackShares]:
    """The inverse of `as_json`; nothing for an MJ that was built before shares were kept."""
    return {
        track: TrackShares(
            tuple(Share(*parts) for parts in found["runs"]),
            tuple(tuple(row) for row in found["between"]),
            tuple(found["order"]),
        )
        for track, found in (stored or {}).items()
    }


def heat_map(found: TrackShares, runs: Sequence[CountedRun]) -> Plot | None:
    """The correlations of every two runs of a track, like beside like; None for fewer than two."""
    if len(found.runs) < 2:
        return None
    named = [f"{runs[row].team}: {runs[row].name}" for row in found.order]
    short = tuple(runs[row].team for row in found.order)
    cells = [
        (along, down, found.between[one][other])
        for down, other in enumerate(found.order)
        for along, one in enumerate(found.order)
    ]
    known = [(along, down, value) for along, down, value in cells if value is not None]
    if not known:
        return None
    least = rounded(min(value for _, _, value in known), 2)
    return Plot(
        title=say("How alike the runs are"),
        words=_words(len(named), len(found.runs), least),
        x=Axis(say("runs"), "order", 0.0, len(named) - 1.0, digits=2, names=short),
        y=Axis(say("runs"), "order", 0.0, len(named) - 1.0, digits=2, names=short),
        series=(
            Series(
                say("correlation"),
                "own",
                "cells",
                tuple(float(along) for along, _, _ in known),
                tuple(float(down) for _, down, _ in known),
                tuple(f"{named[along]} – {named[down]}" for along, down, _ in known),
                amounts=tuple(value for _, _, value in known),
            ),
        ),
    )


def _words(shown: int, runs: int, least: object) -> Message:
    if shown < runs:
        return say_count(
            "Spearman's correlation of the best run over the pairs of the track, from {least} to 1.",
            "Spearman's correlation of every two of the {count} best runs over the pairs of the track, from "
            "{least} to 1: the stronger the colour, the greater. Like runs stand beside each other.",
            shown,
            least=least,
        )
    return say_count(
        "Spearman's correlation of {count} run over the pairs of the track, from {least} to 1.",
        "Spearman's correlation of every two of {count} runs over the pairs of the track, from {least} "
        "to 1: the stronger the colour, the greater. Like runs stand beside each other.",
        shown,
        least=least,
    )


def _rounded(number: float) -> float | None:
    return None if np.isnan(number) else round(float(number), DIGITS)
