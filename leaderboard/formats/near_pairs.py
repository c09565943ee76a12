"""Finds the pair that was meant where one is not in the list: look-alike letters, ё, case, a slip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.formats.pairs import Pairs

Pair = tuple[str, str]

MAX_EXAMINED = 500
"""So many unknown pairs are looked at; a file with more has another trouble."""

_LONGEST = 60

_LOOK_ALIKES = str.maketrans("abcehkmoptuxy", "авсенкмортиху")
_YO = str.maketrans("ё", "е")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The pair that was probably meant; `look_alike` where only letters of another alphabet differ."""

    pair: Pair
    look_alike: bool


class NearPairs:
    """The pairs of a list, to be found by what they resemble. Built once, in time linear in the list."""

    def __init__(self, pairs: list[Pair]) -> None:
        self._pairs = pairs
        self._by_fold: dict[Pair, list[int]] = defaultdict(list)
        self._by_word1: dict[str, list[int]] = defaultdict(list)
        self._by_word2: dict[str, list[int]] = defaultdict(list)
        self._folded: list[Pair] = [(_fold(word1), _fold(word2)) for word1, word2 in pairs]
        for place, (word1, word2) in enumerate(self._folded):
            self._by_fold[word1, word2].append(place)
            self._by_word1[word1].append(place)
            self._by_word2[word2].append(place)

    def suggest(
        self,
        run: Pairs,
        rows: NDArray[np.int64],
        answered: NDArray[np.bool_],
        at_most: int,
    ) -> Iterator[tuple[int, Suggestion]]:
        """For some of the `rows`, the pair of the list that is not `answered` and was probably meant."""
        found = 0
        for row in rows[:MAX_EXAMINED].tolist():
            suggestion = self.nearest(run[row], answered)
            if suggestion is None:
                continue
            yield row, suggestion
            found += 1
            if found == at_most:
                return

    def nearest(self, pair: Pair, answered: NDArray[np.bool_]) -> Suggestion | None:
        """The pair that folds to the same, or shares one word and is nearest in the other; None if none is.

        At most one edit is forgiven in words of up to five letters, two in longer ones.
        """
        if max(map(len, pair)) > _LONGEST:
            return None
        word1, word2 = _fold(pair[0]), _fold(pair[1])
        for place in self._by_fold.get((word1, word2), ()):
            if not answered[place]:
                return Suggestion(self._pairs[place], _look_alike(pair, self._pairs[place]))
        best: tuple[int, int] | None = None
        for places, side, word in (
            (self._by_word1.get(word1, ()), 1, word2),
            (self._by_word2.get(word2, ()), 0, word1),
        ):
            for place in places:
                if answered[place]:
                    continue
                other = self._folded[place][side]
                allowed = 1 if min(len(word), len(other)) <= 5 else 2
                edits = edit_distance(word, other, allowed)
                if edits <= allowed and (best is None or (edits, place) < best):
                    best = (edits, place)
        return None if best is None else Suggestion(self._pairs[best[1]], look_alike=False)


def edit_distance(left: str, right: str, at_most: int) -> int:
    """Insertions, deletions and substitutions from one word to the other; `at_most` + 1 where it is more."""
    if abs(len(left) - len(right)) > at_most:
        return at_most + 1
    above = list(range(len(right) + 1))
    for row, letter in enumerate(left, start=1):
        current = [row]
        for column, other in enumerate(right, start=1):
            current.append(min(above[column] + 1, current[-1] + 1, above[column - 1] + (letter != other)))
        if min(current) > at_most:
            return at_most + 1
        above = current
    return min(above[-1], at_most + 1)


def _fold(word: str) -> str:
    return " ".join(word.lower().translate(_YO).translate(_LOOK_ALIKES).split())


def _look_alike(given: Pair, meant: Pair) -> bool:
    return all(
        left.translate(_SAME_SHAPE) == right.translate(_SAME_SHAPE)
        for left, right in zip(given, meant, strict=True)
    )


_SAME_SHAPE = str.maketrans("aceopxyABCEHKMOPTXY", "асеорхуАВСЕНКМОРТХУ")
