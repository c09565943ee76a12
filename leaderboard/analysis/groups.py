"""Groups of runs that cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from leaderboard.analysis.corrections import holm
from leaderboard.analysis.pairwise import Pairs
from leaderboard.analysis.tables import BoolArray

ALPHA = 0.05
"""How often chance alone may tell any two runs of a ranking apart."""


def told_apart(pairs: Iterable[Pairs], runs: int, alpha: float = ALPHA) -> BoolArray:
    """Runs × runs: whether two differ, at the level `alpha` over all pairs together (Holm)."""
    p = np.ones((runs, runs))
    for some in pairs:
        p[some.first, some.second] = some.p
    apart = np.zeros((runs, runs), dtype=bool)
    every = np.triu_indices(runs, 1)
    apart[every] = holm(p[every]) < alpha
    return apart | apart.T


def groups(apart: BoolArray) -> tuple[tuple[int, ...], ...]:
    """A compact letter display: groups such that two runs share one exactly if they are not told apart.

    Runs stand in the order of the ranking. Each pair not told apart starts a group, unless some group has it
    already, which takes in whatever run is told apart from none of it; a group whose pairs all stand in
    others is dropped. (Gramm et al., Algorithms for Compact Letter Displays, Computational Statistics & Data
    Analysis 2007: the letters are a cover of a graph by cliques; a smallest cover would take exponential
    time.) A run that is told apart from all others is a group of its own. Groups come by their first run.
    """
    runs = len(apart)
    together = ~apart
    covered = np.eye(runs, dtype=bool)
    found: list[tuple[int, ...]] = []
    for run in range(runs):
        for other in np.flatnonzero(together[run, run + 1 :] & ~covered[run, run + 1 :]) + run + 1:
            if covered[run, other]:
                continue
            group = _grown(together, (run, int(other)))
            covered[np.ix_(group, group)] = True
            found.append(group)
    alone = [(run,) for run in range(runs) if not any(run in group for group in found)]
    return tuple(sorted((*_needed(found, runs), *alone)))


def reaches(apart: BoolArray) -> tuple[tuple[int, int], ...]:
    """For each run the first and the last that it is not told apart from, which its groups reach to."""
    if not len(apart):
        return ()
    together = ~apart | np.eye(len(apart), dtype=bool)
    first = together.argmax(axis=1)
    last = len(apart) - 1 - together[:, ::-1].argmax(axis=1)
    return tuple(zip(first.tolist(), last.tolist(), strict=True))


def _grown(together: BoolArray, pair: tuple[int, int]) -> tuple[int, ...]:
    """The pair and every run, nearest in the ranking first, that is told apart from none of the group."""
    group = list(pair)
    fits = together[pair[0]] & together[pair[1]]
    fits[group] = False
    near = np.argsort(np.abs(np.arange(len(fits)) - sum(pair) / 2), kind="stable")
    for run in near.tolist():
        if fits[run]:
            group.append(run)
            fits &= together[run]
            fits[run] = False
    return tuple(sorted(group))


def _needed(found: Sequence[tuple[int, ...]], runs: int) -> Iterator[tuple[int, ...]]:
    """Without those whose every pair stands in another group too."""
    times = np.zeros((runs, runs), dtype=np.intp)
    for group in found:
        times[np.ix_(group, group)] += 1
    for group in sorted(found, key=len):
        within = times[np.ix_(group, group)]
        pairs = within[np.triu_indices(len(group), 1)]
        if (pairs > 1).all():
            times[np.ix_(group, group)] -= 1
        else:
            yield group


def letter(number: int) -> str:
    """The name of a group, counted from 0: a, b, …, z, aa, ab, …."""
    name = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        name = chr(ord("a") + place) + name
    return name


def letters(numbers: Sequence[int]) -> str:
    """The names of a run's groups: "a", "bc", "c–g"; with commas where a name has two letters."""
    parts = []
    for first, last in _stretches(numbers):
        if last - first > 1:
            parts.append(f"{letter(first)}–{letter(last)}")
        else:
            parts.extend(letter(number) for number in range(first, last + 1))
    plain = all(len(part) == 1 for part in parts)
    return ("" if plain else ", ").join(parts)


def _stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of all whole numbers that follow on each other."""
    ordered = sorted(numbers)
    start = 0
    for end, number in enumerate(ordered, 1):
        if end == len(ordered) or ordered[end] != number + 1:
            yield ordered[start], number
            start = end
