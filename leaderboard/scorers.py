"""What a task's scorer may offer beyond `leaderboard.contract.Scorer`, each for a part of the site.

All of it is optional: where a scorer lacks it, that part leaves the task out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, Gold, Scorer, TaskSpec


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


class TopicScorer(Scorer, Protocol):
    """A scorer that knows what the topics ask."""

    def questions(self, spec: TaskSpec, inputs: Path) -> Mapping[str, str]:
        """By topic, its text in the public inputs; topics without one are absent."""
        ...
