"""What a task's scorer may offer beyond `leaderboard.contract.Scorer`, each for a part of the site.

All of it is optional: where a scorer lacks it, that part leaves the task out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, Gold, Scorer, TaskSpec

Stratum = tuple[float, ...]
"""What units of gold are alike by, for spreading them evenly: near units have near strata."""


class ResamplingScorer(Scorer, Protocol):
    """A scorer of tracks without topics whose values can be computed again for other samples of their units:
    what intervals and groups on their boards are made from. (With values by topic nothing more is needed.)"""

    def units(self, spec: TaskSpec, track: str, measure: str, gold: Gold) -> int:
        """How many units a sample of the track's gold has: pairs, source words, …; 0 where the measure
        cannot be resampled."""
        ...

    def resampled(
        self, spec: TaskSpec, run: Any, gold: Gold, track: str, measure: str, draws: NDArray[np.int32]
    ) -> FloatArray:
        """The run's value of a measure in each draw; nan where undefined. `draws` is draws × units, how
        often each unit was drawn."""
        ...


@dataclass(frozen=True, eq=False)
class OwnValues:
    """What a run says of the public inputs alone, one entry an item: its value, nan where it gives none, its
    name, and the number of its group (a source word, say), which `groups` names."""

    values: FloatArray
    names: Sequence[str]
    group: NDArray[np.intp]
    groups: Sequence[str]


class ValueScorer(Scorer, Protocol):
    """A scorer whose runs give values to items of the public inputs, so that two runs can be compared by
    these without the gold having any part in it."""

    def own_values(self, spec: TaskSpec, run: Any, inputs: Path) -> OwnValues:
        """The run's value of each item that the public inputs list, in their order, whoever's run it is."""
        ...


class PartingScorer(Scorer, Protocol):
    """A scorer whose gold can be parted, so that a phase shows values on one part and decides on the other.

    What it scores on a part is what it would score were the part all the gold there is."""

    def parting(self, spec: TaskSpec, gold: Gold) -> Mapping[str, Mapping[str, Stratum]]:
        """By track, its units and what each is alike by. A unit of one name in several tracks (a topic, a
        source word) goes to the same part in all of them."""
        ...

    def part(self, spec: TaskSpec, gold: Gold, kept: Set[str]) -> Gold:
        """The gold of these units alone; a track of which nothing is left stays, empty."""
        ...


class TopicScorer(Scorer, Protocol):
    """A scorer that knows what the topics ask."""

    def questions(self, spec: TaskSpec, inputs: Path) -> Mapping[str, str]:
        """By topic, its text in the public inputs; topics without one are absent."""
        ...


@dataclass(frozen=True, eq=False)
class Answers:
    """What a run answers, unit by unit (a pair, a topic), with no gold and no public inputs having part in
    it.

    `units` are their names, each once. `exact` is another number where the answer is another. `values` are
    the answers themselves where they are numbers, else None; `items` then is a number that two answers share
    as often as they have items in common (a minhash)."""

    units: Sequence[str]
    exact: NDArray[np.uint64]
    values: FloatArray | None = None
    items: NDArray[np.uint64] | None = None


class AnswerScorer(Protocol):
    """A scorer that can say what a run answers, so that runs can be compared with each other: what the report
    of probing is made from."""

    def answers(self, spec: TaskSpec, run: Any) -> Answers:
        """The answers of a run that `check` accepted."""
        ...
