"""The plots of judging: what noisy judges find and cost, and how chosen answers were graded."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TextIO

from leaderboard.contract import Message, say, say_count
from leaderboard.judging.agreement import Sources, TopGrades
from leaderboard.judging.simulation import Procedure, Simulated
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import Role

_ROLES: tuple[Role, ...] = ("own", "best", "other", "median")

_STEPS = say("steps below the topic's highest grade")

SOURCES = ("top", "among", "absent")
"""The three places of an answer, as the table beside the plot names them."""

COLUMNS = (
    "procedure",
    "judges",
    "candidates",
    "error",
    "trials",
    "found",
    "best",
    "overlap",
    "judgments",
    "answers",
)


def write_simulation(rows: Iterable[Simulated], stream: TextIO) -> None:
    """The simulation as CSV, a line for each procedure, size and error rate."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        how = (row.procedure.kind, row.procedure.judges)
        shares = (row.found, row.best, row.overlap)
        writer.writerow((*how, row.size, row.error, row.trials, *shares, row.judgments, row.answers))


def found_plot(rows: Sequence[Simulated], k: int) -> Plot:
    """How often the true top k is found, by how often a judge errs; the mean over all sizes of pools."""
    return Plot(
        title=say("How often the true top {k} is found", k=k),
        words=say("Each line falls as judges err more often; the table has the numbers."),
        x=Axis(say("judgments that are wrong, in %"), low=0.0, digits=0),
        y=Axis(say("share of topics whose answer holds all of the true top {k}", k=k), low=0.0, high=1.0),
        series=tuple(
            Series(
                _label(procedure),
                role,
                "line",
                tuple(100 * error for error in _errors(rows)),
                tuple(
                    fmean(row.found for row in rows if (row.procedure, row.error) == (procedure, error))
                    for error in _errors(rows)
                ),
            )
            for procedure, role in zip(_procedures(rows), _ROLES, strict=False)
        ),
    )


def cost_plot(rows: Sequence[Simulated]) -> Plot:
    """How many judgments a topic costs, by the size of its pool; the mean over all error rates."""
    return Plot(
        title=say("What a topic costs"),
        words=say("Each line rises with the number of candidates; the table has the numbers."),
        x=Axis(say("candidates"), low=0.0, digits=0),
        y=Axis(say("judgments for a topic"), low=0.0, digits=1),
        series=tuple(
            Series(
                _label(procedure),
                role,
                "line",
                tuple(float(size) for size in _sizes(rows)),
                tuple(
                    fmean(row.judgments for row in rows if (row.procedure, row.size) == (procedure, size))
                    for size in _sizes(rows)
                ),
            )
            for procedure, role in zip(_procedures(rows), _ROLES, strict=False)
        ),
    )


def steps_plot(steps: Mapping[float, int]) -> Plot:
    """How far candidates lie below their topic's highest grade (Figure 3)."""
    counts: dict[float | None, int] = dict(steps.items())
    total = sum(steps.values())
    return Plot(
        title=say("Grades of the candidates"),
        words=say_count(
            "{count} candidate, by how far below its topic's highest grade it lies.",
            "{count} candidates, by how far below their topic's highest grade they lie.",
            total,
        ),
        x=Axis(_STEPS, "order", names=_names(tuple(counts))),
        y=Axis(say("share of candidates"), low=0.0, high=1.0, digits=3),
        series=(_bars(say("candidates"), "own", counts, tuple(counts)),),
    )


def grades_plot(grades: TopGrades) -> Plot:
    """How the chosen answers were graded, those at the top and all of them (Figures 3 and 6)."""
    steps = tuple(sorted({*grades.first, *grades.all}, key=lambda step: (step is None, step or 0.0)))
    return Plot(
        title=say("Grades of the chosen answers"),
        words=say(
            "{first} of the top answers and {all} of all chosen answers have their topic's highest grade.",
            first=grades.first.get(0.0, 0),
            all=grades.all.get(0.0, 0),
        ),
        x=Axis(_STEPS, "order", names=_names(steps)),
        y=Axis(say("share of answers"), low=0.0, high=1.0, digits=3),
        series=(
            _bars(say("all answers"), "own", grades.all, steps),
            _points(say("top answers"), "best", grades.first, steps),
        ),
    )


def sources_plot(sources: Sources) -> Plot:
    """Where the best answers of one source stand in another (Figure 5)."""
    counts = {0.0: len(sources.at_top), 1.0: len(sources.among), 2.0: len(sources.absent)}
    return Plot(
        title=say("The best answers of one source in the other"),
        words=say(
            "A top answer there for {top} topics, among its answers for {among}, "
            "not among them for {absent}.",
            top=len(sources.at_top),
            among=len(sources.among),
            absent=len(sources.absent),
        ),
        x=Axis(say("top answer, among the answers (top ones too), not among them"), "order"),
        y=Axis(say("topics"), low=0.0, digits=0),
        series=(
            Series(say("topics"), "own", "bars", tuple(counts), tuple(map(float, counts.values())), SOURCES),
        ),
    )


def _bars(
    label: Message, role: Role, counts: Mapping[float | None, int], steps: Sequence[float | None]
) -> Series:
    return replace(_points(label, role, counts, steps), mark="bars")


def _points(
    label: Message, role: Role, counts: Mapping[float | None, int], steps: Sequence[float | None]
) -> Series:
    total = sum(counts.values()) or 1
    places = tuple(float(place) for place in range(len(steps)))
    shares = tuple(counts.get(step, 0) / total for step in steps)
    return Series(label, role, "points", places, shares, _names(steps))


def _names(steps: Sequence[float | None]) -> tuple[str, ...]:
    """Steps as figures and tables have them; a dash, the same in any language, is for what has no grade."""
    return tuple("–" if step is None else f"{step:g}" for step in steps)


def _label(procedure: Procedure) -> Message:
    if procedure.kind == "tournament":
        if procedure.judges == 1:
            return say("tournament")
        return say("tournament, {judges} judges a pair", judges=procedure.judges)
    if procedure.judges == 1:
        return say("two stages")
    return say("two stages, {judges} judges a pair", judges=procedure.judges)


def _procedures(rows: Sequence[Simulated]) -> tuple[Procedure, ...]:
    return tuple(dict.fromkeys(row.procedure for row in rows))


def _errors(rows: Sequence[Simulated]) -> tuple[float, ...]:
    return tuple(sorted({row.error for row in rows}))


def _sizes(rows: Sequence[Simulated]) -> tuple[int, ...]:
    return tuple(sorted({row.size for row in rows}))
