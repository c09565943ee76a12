"""The plots of judging: what noisy judges find and cost, and how chosen answers were graded."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TextIO

from leaderboard.contract import Message, say
from leaderboard.judging.simulation import Procedure, Simulated
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import Role

_ROLES: tuple[Role, ...] = ("own", "best", "other", "median")

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
