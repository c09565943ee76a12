"""Pools: which items of a topic are worth comparing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Grades = Mapping[str, Mapping[str, float]]
"""For each topic the grade of each judged item."""

Pools = Mapping[str, tuple[str, ...]]
"""For each topic its candidates."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How large pools are: candidates in all, the most that a topic has and which topics have so many, the
    topics with fewer than k (the empty ones among them), and the empty ones."""

    candidates: int
    most: int
    largest: tuple[str, ...]
    fewer: tuple[str, ...]
    empty: tuple[str, ...]


def pool_of_grades(grades: Mapping[str, float], k: int) -> tuple[str, ...]:
    """The items of the highest grade, then of the next, until at least `k` are in; positive grades only.

    A grade is never cut: all of its items are in, or none. Items stand by grade, then by docno. Clarke et
    al., Assessing top-k preferences, section 4.
    """
    if k < 1:
        raise ValueError("k is at least 1")
    found: list[str] = []
    for grade in sorted({grade for grade in grades.values() if grade > 0}, reverse=True):
        found += sorted(docno for docno, given in grades.items() if given == grade)
        if len(found) >= k:
            break
    return tuple(found)


def pools_of_grades(grades: Grades, k: int) -> dict[str, tuple[str, ...]]:
    """`pool_of_grades` of every topic; a topic without a positive grade has an empty pool."""
    return {topic: pool_of_grades(of_topic, k) for topic, of_topic in grades.items()}


def pool_of_runs(rankings: Iterable[Sequence[str]], depth: int, known: Collection[str]) -> tuple[str, ...]:
    """The first `depth` items of each ranking of a topic that are not `known` (graded) yet.

    They stand by the best place that any ranking gives them, then by docno.
    """
    if depth < 1:
        raise ValueError("the depth is at least 1")
    best: dict[str, int] = {}
    for ranking in rankings:
        for place, docno in enumerate(ranking[:depth]):
            if docno not in known:
                best[docno] = min(place, best.get(docno, place))
    return tuple(sorted(best, key=lambda docno: (best[docno], docno)))


def extent(pools: Pools, k: int) -> Extent:
    """How large the pools are."""
    most = max(map(len, pools.values()), default=0)
    return Extent(
        candidates=sum(map(len, pools.values())),
        most=most,
        largest=tuple(topic for topic, found in pools.items() if most and len(found) == most),
        fewer=tuple(topic for topic, found in pools.items() if len(found) < k),
        empty=tuple(topic for topic, found in pools.items() if not found),
    )


def steps_below_top(grades: Grades, pools: Pools) -> dict[float, int]:
    """How many candidates lie how far below the highest grade of their topic (the paper's Figure 3)."""
    found: Counter[float] = Counter()
    for topic, candidates in pools.items():
        top = max((grades[topic][docno] for docno in candidates), default=0.0)
        found.update(top - grades[topic][docno] for docno in candidates)
    return dict(sorted(found.items()))
