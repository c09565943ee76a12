"""Preferences between two items of a topic, and what several of them say together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

Pair = tuple[str, str]
"""Two different items of a topic, sorted: which of them was shown on the left is no part of it."""

Outcomes = Mapping[Pair, str | None]
"""The pairs that have been decided, each with the item preferred, or None where judges are divided."""


class Preference(NamedTuple):
    """One person's answer: of `first` and `second` the one `preferred`.

    `judge` is any name that tells judges apart, empty where nobody knows; `seconds` how long it took.
    """

    topic: str
    first: str
    second: str
    preferred: str
    judge: str = ""
    seconds: float | None = None

    @property
    def pair(self) -> Pair:
        return pair_of(self.first, self.second)


def pair_of(one: str, other: str) -> Pair:
    """The pair of two items. Raises ValueError for an item and itself."""
    if one == other:
        raise ValueError(f"{one} cannot be compared with itself")
    return (one, other) if one < other else (other, one)


def by_topic(preferences: Iterable[Preference]) -> dict[str, list[Preference]]:
    """The preferences of each topic, topics in order of first appearance."""
    found: defaultdict[str, list[Preference]] = defaultdict(list)
    for preference in preferences:
        found[preference.topic].append(preference)
    return dict(found)


def tally(preferences: Iterable[Preference]) -> dict[Pair, Counter[str]]:
    """How often each item of each pair was preferred, for the preferences of one topic."""
    found: defaultdict[Pair, Counter[str]] = defaultdict(Counter)
    for preference in preferences:
        found[preference.pair][preference.preferred] += 1
    return dict(found)


def majorities(preferences: Iterable[Preference], needed: int = 1) -> dict[Pair, str | None]:
    """The outcome of each pair that has at least `needed` judgments, for the preferences of one topic."""
    return {
        pair: preferred_by_most(pair, votes)
        for pair, votes in tally(preferences).items()
        if votes.total() >= needed
    }


def preferred_by_most(pair: Pair, votes: Mapping[str, int]) -> str | None:
    """The item of the pair with more votes; None for a tie."""
    first, second = (votes.get(item, 0) for item in pair)
    if first == second:
        return None
    return pair[0] if first > second else pair[1]


def wins_of_judgments(
    preferences: Iterable[Preference], among: Collection[str] | None = None
) -> dict[str, float]:
    """How often each item was preferred, every judgment counted, for the preferences of one topic.

    With `among`, only pairs of these items count, and each of them has an entry.
    """
    wins = dict.fromkeys(among or (), 0.0)
    for preference in preferences:
        if among is not None and not (preference.first in among and preference.second in among):
            continue
        for item in preference.pair:
            wins[item] = wins.get(item, 0.0) + (item == preference.preferred)
    return wins


def wins_of_pairs(outcomes: Outcomes, among: Collection[str]) -> dict[str, float]:
    """How many pairs each of the items won against another of them; a tied pair is half a win for both."""
    wins = dict.fromkeys(among, 0.0)
    for (first, second), preferred in outcomes.items():
        if first not in wins or second not in wins:
            continue
        if preferred is None:
            wins[first] += 0.5
            wins[second] += 0.5
        else:
            wins[preferred] += 1.0
    return wins
