"""What was found, as it goes from those who look to those who store and show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from leaderboard.analysis.probing import Strength

Kind = Literal[
    "flips",
    "coins",
    "strangers",
    "climb",
    "copies",
    "same files",
    "one person",
    "one mailbox",
    "one browser",
    "turns",
]

ORDER: Mapping[Strength, int] = {"strong": 0, "moderate": 1, "weak": 2}

MOST_RUNS = 100
"""So many runs of a finding are named at most."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was seen: about which teams and runs, how strong, and the numbers that the sentence
    about it says. `where` tells findings of one kind about the same teams from each other (a phase, a
    track)."""

    kind: Kind
    strength: Strength
    teams: tuple[int, ...]
    runs: tuple[int, ...]
    numbers: Mapping[str, Any]
    where: str = ""

    @property
    def key(self) -> str:
        return "/".join([self.kind, self.where, *map(str, sorted(self.teams))])
