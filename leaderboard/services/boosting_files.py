"""What the boosting attack gets, as a table and as a plot."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from leaderboard.analysis.boosting import CHANCE, DEFENCES, Boosted, Defence
from leaderboard.contract import Message, say
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import Role

COLUMNS = ("defence", "runs", "trials", "claimed", "told", "true")

NAMES: Mapping[Defence, Message] = {
    "plain": say("plain board"),
    "rounded": say("rounded to 2 decimals"),
    "ladder": say("Ladder, without a parameter"),
    "split": say("public and private part"),
    "quota": say("100 runs a team"),
}
_ROLES: Mapping[Defence, Role] = {"plain": "own", "ladder": "best", "quota": "other", "split": "median"}


def write(rows: Iterable[Boosted], stream: TextIO) -> None:
    """CSV, a line for each defence and number of runs."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow((row.defence, row.runs, row.trials, row.claimed, row.told, row.true))


def plot(rows: Sequence[Boosted]) -> Plot:
    """By how much the final standing puts the attacker above chance. Rounding lies on the plain board's line
    and is left out."""
    return Plot(
        title=say("What the boosting attack gets under each defence"),
        words=say("On a plain board the attacker rises with every run; the table has the numbers."),
        x=Axis(say("runs that the attacker submits"), low=0.0, digits=0),
        y=Axis(say("right answers in the final standing, above chance"), low=-0.02, digits=2),
        series=tuple(
            Series(
                NAMES[defence],
                _ROLES[defence],
                "line",
                tuple(float(row.runs) for row in rows if row.defence == defence),
                tuple(CHANCE - row.claimed for row in rows if row.defence == defence),
            )
            for defence in DEFENCES
            if defence in _ROLES
        ),
    )
