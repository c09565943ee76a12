"""The tournament of dedicated judges: the best item of a topic, then the next, until k are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.judging.preferences import Outcomes, Pair, pair_of


def bound(size: int, k: int) -> int:
    """So many judgments at most for the top `k` of `size` candidates: |C| + (k − 1)·ceil(log2 |C|).

    Clarke et al., Assessing top-k preferences, section 4; their Table 2 sums it over topics.
    """
    if size < 1:
        return 0
    return size + (k - 1) * (size - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a tournament is: the best items found so far, in order; the pairs that may be judged now, each
    independent of the others; how many judgments were used, and how many there are at most."""

    top: tuple[str, ...]
    open: tuple[Pair, ...]
    spent: int
    bound: int
    done: bool


_EMPTY = ""
"""Stands in the tree where an item was taken out; docnos are never empty."""


class Tournament:
    """Single elimination over a heap whose leaves are the candidates, in the order given.

    Each inner place holds the winner of the two below. When the root is decided its item is the best; it is
    taken out, and only the places above its leaf are played anew, at most ceil(log2 n) of them. Outcomes are
    looked up before anything is asked, so that no pair is asked twice, and a tournament is resumed by
    giving it the outcomes recorded before. A tied outcome counts as not yet judged.
    """

    def __init__(self, candidates: Sequence[str], k: int, outcomes: Outcomes | None = None) -> None:
        if k < 1:
            raise ValueError("k is at least 1")
        if len(set(candidates)) != len(candidates) or _EMPTY in candidates:
            raise ValueError("candidates are different and have names")
        self._size = len(candidates)
        self._k = k
        self._wanted = min(k, self._size)
        self._known: dict[Pair, str] = {
            pair: preferred for pair, preferred in (outcomes or {}).items() if preferred is not None
        }
        self._used: set[Pair] = set()
        self._open: dict[Pair, int] = {}
        self._top: list[str] = []
        inner = max(self._size - 1, 0)
        self._tree: list[str | None] = [*([None] * inner), *candidates]
        self._leaf: Mapping[str, int] = {docno: inner + number for number, docno in enumerate(candidates)}
        for place in reversed(range(inner)):
            self._play(place)
        self._take_best()

    def standing(self) -> Standing:
        """Where it is now."""
        return Standing(
            top=tuple(self._top),
            open=tuple(self._open),
            spent=len(self._used),
            bound=bound(self._size, self._k),
            done=len(self._top) == self._wanted,
        )

    def record(self, pair: Pair, preferred: str) -> None:
        """Takes the answer for one of the open pairs. Raises KeyError for any other pair, ValueError for a
        preferred item that is not in it."""
        if preferred not in pair:
            raise ValueError(f"{preferred} is not in the pair")
        place = self._open[pair]
        self._known[pair] = preferred
        self._climb(place)
        self._take_best()

    def _climb(self, place: int) -> None:
        """Plays a place and all above it, as far as they can be decided."""
        while True:
            self._play(place)
            if place == 0:
                return
            place = (place - 1) // 2

    def _play(self, place: int) -> None:
        left, right = self._tree[2 * place + 1], self._tree[2 * place + 2]
        self._tree[place] = None
        if left is None or right is None:
            return
        if _EMPTY in (left, right):
            self._tree[place] = left or right
            return
        pair = pair_of(left, right)
        winner = self._known.get(pair)
        if winner is None:
            self._open[pair] = place
            return
        self._open.pop(pair, None)
        self._used.add(pair)
        self._tree[place] = winner

    def _take_best(self) -> None:
        while len(self._top) < self._wanted and self._tree[0] is not None:
            best = self._tree[0]
            self._top.append(best)
            leaf = self._leaf[best]
            self._tree[leaf] = _EMPTY
            if leaf and len(self._top) < self._wanted:
                self._climb((leaf - 1) // 2)
