"""The figures of a study: runs in order with their intervals, and one measure against another."""

from __future__ import annotations

import math

from leaderboard.contract import Message, say, say_count
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import ordered, rounded
from leaderboard.services.studies import Column, Study


def label(column: Column) -> Message:
    """What a column is called on a figure."""
    return say("{measure} on {track}", measure=column.measure, track=column.track.name)


def sorted_runs(study: Study, number: int) -> Plot | None:
    """The runs from the best to the worst by a column, with 95 % intervals (the paper's Figure 7); None where
    no run has a value."""
    column, found = study.columns[number], study.assessed[number]
    having = [row for row, value in enumerate(found.values) if not math.isnan(value)]
    if not having:
        return None
    sign = 1.0 if column.higher_is_better else -1.0
    names = [study.runs[row].name for row in having]
    order = [having[place] for place in ordered(names, [sign * found.values[row] for row in having])]
    named = tuple(study.runs[row].name for row in order)
    spans = tuple((found.intervals[row].low, found.intervals[row].high) for row in order)
    known = not any(math.isnan(end) for span in spans for end in span)
    return Plot(
        title=say("Runs by {measure}", measure=label(column)),
        words=_order_words(study, number, named),
        x=Axis(
            say_count("{count} run, the best first", "{count} runs, the best first", len(order)),
            "order",
            names=named,
        ),
        y=Axis(label(column), digits=column.track.digits),
        series=(
            Series(
                say("{measure}, with its interval of 95 %", measure=label(column))
                if known
                else label(column),
                "own",
                "points",
                tuple(float(place) for place in range(len(order))),
                tuple(found.values[row] for row in order),
                named,
                spans if known else (),
            ),
        ),
    )


def against_baseline(study: Study, number: int) -> Plot | None:
    """Each run by the first column, along, and another one, upwards; None where no run has both."""
    baseline, column = study.columns[0], study.columns[number]
    pairs = [
        (along, up, run.name)
        for along, up, run in zip(
            study.assessed[0].values, study.assessed[number].values, study.runs, strict=True
        )
        if not (math.isnan(along) or math.isnan(up))
    ]
    if not pairs:
        return None
    return Plot(
        title=say("{measure} against {baseline}", measure=label(column), baseline=label(baseline)),
        words=say_count(
            "A point for {count} run. Kendall's tau between the two is {tau}.",
            "A point for each of {count} runs. Kendall's tau between the two is {tau}.",
            len(pairs),
            tau=rounded(study.assessed[number].tau, 3),
        ),
        x=Axis(label(baseline), digits=baseline.track.digits),
        y=Axis(label(column), digits=column.track.digits),
        series=(
            Series(
                say("a run"),
                "own",
                "points",
                tuple(along for along, _, _ in pairs),
                tuple(up for _, up, _ in pairs),
                tuple(name for _, _, name in pairs),
            ),
        ),
    )


def _order_words(study: Study, number: int, names: tuple[str, ...]) -> Message:
    found = study.assessed[number].sensitivity
    return say_count(
        "{count} run from the best, {first}, to the last, {last}. {told}",
        "{count} runs from the best, {first}, to the last, {last}. {told}",
        len(names),
        first=names[0],
        last=names[-1],
        told=say_count(
            "{found} of {count} pair of runs is told apart at p < .05.",
            "{found} of {count} pairs of runs are told apart at p < .05.",
            found.pairs,
            found=found.plain,
        ),
    )
