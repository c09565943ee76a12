"""The scorer of the toy task, a module like any task's: a run is one number a line, for the topics a, b, c, …

Track `near`: the mean over topics of 1 − |run − gold|, per topic. Track `same`: the correlation of run and
gold, undefined for a constant run. A run that holds 666 breaks the scorer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leaderboard.contract import Fault, FormatError, Report, Scores, TaskSpec, TrackScores, say

VERSION = "1"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class ToyGold:
    values: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]
    topics: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, list[int]] | None = None
    """The units of a part, None for all."""


def check(spec: TaskSpec, path: Path, folder: Path | None) -> Report:
    values, faults = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            values.append(float(line))
        except ValueError:
            faults.append(Fault(number, 1, say('"{text}" is not a number.', text=line), "not-a-number"))
    if faults:
        return Report(None, tuple(faults), len(faults))
    left_out = () if folder else (say("Whether all topics are there was not checked."),)
    expected = len((folder / "topics.txt").read_text().split()) if folder else len(values)
    warnings = () if len(values) == expected else (say("{n} topics are expected.", n=expected),)
    return Report(np.array(values), warnings=warnings, left_out=left_out)


def template(spec: TaskSpec, folder: Path | None) -> Iterator[str]:
    yield "0.5\n"


def read_gold(spec: TaskSpec, files: Mapping[str, Path]) -> ToyGold:
    values = {}
    for track, path in files.items():
        try:
            values[track] = np.array([float(line) for line in path.read_text().splitlines()])
        except ValueError:
            fault = Fault(1, None, say("This is not a number."), "not-a-number")
            raise FormatError(path.name, (fault,)) from None
    topics = {track: tuple(LETTERS[: len(v)]) if track == "near" else () for track, v in values.items()}
    return ToyGold(values, topics)


def score(spec: TaskSpec, run: Any, benchmark: ToyGold) -> Scores:
    scores = {}
    for track, expected in benchmark.values.items():
        given = np.zeros(len(expected))
        given[: len(run)] = run[: len(expected)]
        if benchmark.rows is not None:
            given, expected = given[benchmark.rows[track]], expected[benchmark.rows[track]]
        if 666 in run:
            raise ArithmeticError("the number of the beast, not of the gold")
        if track == "near":
            per_topic = 1 - np.abs(given - expected)
            values = {"closeness": float(per_topic.mean()), "P@1": float(per_topic[0])}
            scores[track] = TrackScores(
                values, {}, benchmark.topics[track], {"closeness": per_topic}, len(run), len(expected)
            )
        else:
            constant = np.ptp(given) == 0
            value = math.nan if constant else float(np.corrcoef(given, expected)[0, 1])
            why = {"correlation": say("All values of the run are the same.")} if constant else {}
            scores[track] = TrackScores({"correlation": value}, why, answered=len(run), total=len(expected))
    return scores


def parting(spec: TaskSpec, benchmark: ToyGold) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
    return {track: dict.fromkeys(LETTERS[: len(v)], ()) for track, v in benchmark.values.items()}


def part(spec: TaskSpec, benchmark: ToyGold, kept: Set[str]) -> ToyGold:
    rows = {
        track: [row for row, unit in enumerate(LETTERS[: len(v)]) if unit in kept]
        for track, v in benchmark.values.items()
    }
    topics = {
        track: tuple(topic for topic in found if topic in kept) for track, found in benchmark.topics.items()
    }
    return ToyGold(benchmark.values, topics, rows)
