"""Whose wins decide, where a file of preferences does not say in which stage each was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from leaderboard.judging.levels import levels_by_wins
from leaderboard.judging.preferences import Pair, Preference, tally, wins_of_judgments

Way = Literal["all", "finalists"]


class Aggregated(NamedTuple):
    """The levels of a topic; whether they come from the wins among "all" its judged items or among its
    "finalists", who these are, and how many of their pairs nobody compared."""

    levels: Mapping[str, float]
    way: Way
    compared: tuple[str, ...]
    missing_pairs: int


def aggregate(preferences: Collection[Preference], k: int, finalists: int) -> Aggregated:
    """Levels from the preferences of one topic; every recorded judgment counts.

    With at most `finalists` items all of them are compared. With more there was a first stage, in which an
    item met only some of the others, so that wins do not compare: the finalists are then the largest set of
    which every two met.
    """
    votes = tally(preferences)
    items = {item for pair in votes for item in pair}
    chosen = items if len(items) <= finalists else _finalists(votes, preferences)
    met = sum(pair[0] in chosen and pair[1] in chosen for pair in votes)
    return Aggregated(
        levels=levels_by_wins(wins_of_judgments(preferences, chosen), k),
        way="all" if len(items) <= finalists else "finalists",
        compared=tuple(sorted(chosen)),
        missing_pairs=len(chosen) * (len(chosen) - 1) // 2 - met,
    )


def _finalists(pairs: Iterable[Pair], preferences: Collection[Preference]) -> frozenset[str]:
    """The largest set of which every two met; of equal ones that with more wins in all, then by name."""
    wins = wins_of_judgments(preferences)
    met: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in pairs:
        met[first].add(second)
        met[second].add(first)
    return min(
        _maximal_sets(met, frozenset(), set(met), set()),
        key=lambda found: (-len(found), -sum(wins[item] for item in found), sorted(found)),
    )


def _maximal_sets(
    met: Mapping[str, set[str]], chosen: frozenset[str], left: set[str], done: set[str]
) -> Iterator[frozenset[str]]:
    """All sets of items that met pairwise and cannot grow (Bron and Kerbosch 1973, with a pivot)."""
    if not left and not done:
        yield chosen
        return
    pivot = max(left | done, key=lambda item: len(met[item] & left))
    for item in sorted(left - met[pivot]):
        yield from _maximal_sets(met, chosen | {item}, left & met[item], done & met[item])
        left = left - {item}
        done = done | {item}
