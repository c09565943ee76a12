"""Whether preferences hang together: who prefers a to b and b to c should prefer a to c."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import nan

from leaderboard.judging.preferences import Outcomes

Cycle = tuple[str, str, str]
"""The first is preferred to the second, that to the third, that to the first; the smallest name leads."""


@dataclass(frozen=True, slots=True)
class Triples:
    """The triples of items of which all three pairs have a winner: how many are transitive, and which not."""

    transitive: int
    cycles: tuple[Cycle, ...]

    @property
    def total(self) -> int:
        return self.transitive + len(self.cycles)

    @property
    def share(self) -> float:
        """The share of transitive triples; nan without any. Pure guessing gives 3/4."""
        return self.transitive / self.total if self.total else nan


def triples(outcomes: Outcomes) -> Triples:
    """The triples of one topic; a tied pair has no winner."""
    beats: defaultdict[str, set[str]] = defaultdict(set)
    beaten_by: defaultdict[str, set[str]] = defaultdict(set)
    for pair, preferred in outcomes.items():
        if preferred is not None:
            loser = pair[0] if preferred == pair[1] else pair[1]
            beats[preferred].add(loser)
            beaten_by[loser].add(preferred)
    transitive = 0
    cycles: list[Cycle] = []
    for first in sorted(beats):
        for second in sorted(beats[first]):
            # A transitive triple is met once: with its best item first and its middle one second.
            transitive += len(beats[first] & beats[second])
            if first < second:
                closing = beats[second] & beaten_by[first]
                cycles += [(first, second, third) for third in sorted(closing) if first < third]
    return Triples(transitive, tuple(sorted(cycles)))
