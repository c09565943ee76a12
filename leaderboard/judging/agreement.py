"""How far people agree: two sources of answers, several judges, one judge with all others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import comb, nan
from typing import Literal, NamedTuple, get_args

import numpy as np

from leaderboard.judging.levels import preferred_items
from leaderboard.judging.pools import Grades
from leaderboard.judging.preferences import Preference, tally

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""What differences between values mean, from less to more."""


class Rating(NamedTuple):
    """A judge's value for a unit (an item, a pair of words, …)."""

    unit: Hashable
    judge: str
    value: float


@dataclass(frozen=True, slots=True)
class Sources:
    """Two sources of best answers beside each other, by topic of the second (the paper's Figure 5): its
    answer is among the top answers of the first, among all its answers (the top ones too), or not there."""

    at_top: tuple[str, ...]
    among: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopGrades:
    """How many top answers, and answers in all, have which grade below their topic's highest, counted as
    steps from it (the paper's Figures 3 and 6); None stands for an answer without a grade."""

    first: Mapping[float | None, int]
    all: Mapping[float | None, int]

    @property
    def share_of_first(self) -> float:
        """The share of top answers that have the topic's highest grade; nan without answers."""
        return _share(self.first)

    @property
    def share_of_all(self) -> float:
        """The share of all answers that have the topic's highest grade; nan without answers."""
        return _share(self.all)


def compare_sources(crowd: Grades, local: Grades) -> Sources:
    """Where the best answers of `local` stand in `crowd`, which may be combined qrels: only levels count.

    Ties count: of several best items of a topic, any will do.
    """
    at_top, among, absent = [], [], []
    for topic, values in local.items():
        wanted = _best(values)
        levels = preferred_items(crowd.get(topic, {}))
        if wanted & _best(levels):
            at_top.append(topic)
        if wanted & levels.keys():
            among.append(topic)
        else:
            absent.append(topic)
    return Sources(tuple(at_top), tuple(among), tuple(absent))


def grades_of_answers(crowd: Grades, grades: Grades) -> TopGrades:
    """How the answers of `crowd` (combined qrels: only levels count) were graded."""
    first: Counter[float | None] = Counter()
    every: Counter[float | None] = Counter()
    for topic, values in crowd.items():
        levels = preferred_items(values)
        of_topic = grades.get(topic, {})
        highest = max(of_topic.values(), default=0.0)
        steps = {docno: highest - of_topic[docno] if docno in of_topic else None for docno in levels}
        every.update(steps.values())
        first.update(steps[docno] for docno in _best(levels))
    return TopGrades(first, every)


def _best(values: Mapping[str, float]) -> set[str]:
    highest = max(values.values(), default=0.0)
    return {docno for docno, value in values.items() if value == highest and value > 0}


def _share(steps: Mapping[float | None, int]) -> float:
    total = sum(steps.values())
    return steps.get(0.0, 0) / total if total else nan


def alpha(ratings: Iterable[Rating], level: Level) -> float:
    """Krippendorff's alpha; nan where it is undefined: no unit was rated twice, or all values are the same.

    1 is perfect agreement, 0 that of chance. Computed by the library krippendorff.
    """
    by_unit: defaultdict[Hashable, Counter[float]] = defaultdict(Counter)
    for rating in ratings:
        by_unit[rating.unit][rating.value] += 1
    several = [values for values in by_unit.values() if values.total() > 1]
    domain = sorted({value for values in several for value in values})
    if len(domain) < 2:
        return nan
    # Loaded when it is asked for: it is used here alone.
    import krippendorff

    counts = np.array([[values[value] for value in domain] for values in several])
    found = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    return float(found)


def ratings_of(preferences: Iterable[Preference]) -> tuple[Rating, ...]:
    """Preferences as ratings for a nominal alpha: a pair of a topic is a unit, its value which item of the
    sorted pair was preferred."""
    return tuple(
        Rating((given.topic, given.pair), given.judge, float(given.preferred == given.pair[1]))
        for given in preferences
    )


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Of all pairs of judgments on the same thing, how many agree."""

    agreeing: int
    total: int

    @property
    def share(self) -> float:
        """nan where nothing was judged twice."""
        return self.agreeing / self.total if self.total else nan


def pairwise_agreement(preferences_of_topics: Iterable[Collection[Preference]]) -> Pairwise:
    """Over the preferences of several topics: how often two judgments of the same pair agree."""
    agreeing = total = 0
    for preferences in preferences_of_topics:
        for votes in tally(preferences).values():
            agreeing += sum(comb(count, 2) for count in votes.values())
            total += comb(votes.total(), 2)
    return Pairwise(agreeing, total)


def pairwise_agreement_of_ratings(
    ratings: Iterable[Rating], same: Callable[[float, float], bool] = lambda one, other: one == other
) -> Pairwise:
    """How often two ratings of the same unit are the `same` (equal, if not told otherwise)."""
    by_unit: defaultdict[Hashable, list[float]] = defaultdict(list)
    for rating in ratings:
        by_unit[rating.unit].append(rating.value)
    agreeing = total = 0
    for values in by_unit.values():
        for place, one in enumerate(values):
            agreeing += sum(same(one, other) for other in values[:place])
            total += place
    return Pairwise(agreeing, total)
