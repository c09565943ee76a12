"""The two stages of crowd judging: rounds of random pairings until few are left, then all pairs of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.judging.levels import levels_by_wins
from leaderboard.judging.preferences import Outcomes, Pair, pair_of, wins_of_pairs
from leaderboard.judging.shuffling import shuffled

STUCK_ROUNDS = 3
"""After so many rounds in a row that eliminate nobody, the final has all who are left."""


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """`k` best items are wanted; pairings go on while more than `finalists` (F) candidates remain, each of
    them in `pairings` (P) pairs of a round, or in one more. Raises ValueError for F < k, k < 1 and P < 1."""

    k: int = 5
    finalists: int = 9
    pairings: int = 7

    def __post_init__(self) -> None:
        if self.k < 1 or self.pairings < 1:
            raise ValueError("k and P are at least 1")
        if self.finalists < self.k:
            raise ValueError("F is at least k")


@dataclass(frozen=True, slots=True)
class Round:
    """A round of pairings, or the `final` with all pairs. `number` counts from 1; those `eliminated` by it
    are known once all pairs are judged; `recalled` of them came back because fewer than k were left."""

    number: int
    candidates: tuple[str, ...]
    pairs: tuple[Pair, ...]
    final: bool
    eliminated: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()


def pairings(candidates: Sequence[str], per_candidate: int) -> tuple[Pair, ...]:
    """Pairs, none twice, with each candidate in `per_candidate` of them, or in one more.

    The candidates stand in a circle, in the order given, and each meets those nearest to it on both sides;
    an odd number is completed by those opposite. When the order is random, any set of opponents is as likely
    as any other. With no more opponents than that, all pairs.
    """
    count = len(candidates)
    if count <= per_candidate:
        return _all_pairs(candidates)
    steps = [(place, place + step) for step in range(1, per_candidate // 2 + 1) for place in range(count)]
    if per_candidate % 2:
        steps += _opposite(count)
    return tuple(pair_of(candidates[one % count], candidates[other % count]) for one, other in steps)


def _opposite(count: int) -> Iterator[tuple[int, int]]:
    """Places about half a circle apart that together hold every candidate once, an odd one twice."""
    half = count // 2
    if count % 2 == 0:
        yield from ((place, place + half) for place in range(half))
        return
    # Steps of half an odd circle pass every place once; every other step of that way is a pair.
    for step in range(0, count, 2):
        yield step * half, (step + 1) * half


def _all_pairs(candidates: Sequence[str]) -> tuple[Pair, ...]:
    return tuple(
        pair_of(one, other) for place, one in enumerate(candidates) for other in candidates[place + 1 :]
    )


class TwoStage:
    """The way of one topic through both stages, replayed from its seed and the outcomes recorded so far.

    A pair that was judged in an earlier round is not asked again; its outcome counts in every round that
    draws it. docs/decisions/0009 has the rules for rounds that eliminate nobody or too many.
    """

    def __init__(
        self,
        topic: str,
        candidates: Sequence[str],
        settings: CrowdSettings,
        seed: int,
        outcomes: Outcomes | None = None,
    ) -> None:
        self.topic = topic
        self.settings = settings
        self.seed = seed
        self.rounds: list[Round] = []
        self.done = False
        self._outcomes: dict[Pair, str | None] = dict(outcomes or {})
        self._waiting: dict[Pair, None] = {}
        self._counted: dict[Pair, None] = {}
        self._stuck = 0
        self._start(tuple(candidates))
        self._go_on()

    @property
    def round(self) -> Round:
        """The round that is being judged, or was last."""
        return self.rounds[-1]

    def pending(self) -> tuple[Pair, ...]:
        """The pairs of the round that have no outcome yet."""
        return tuple(self._waiting)

    def record(self, pair: Pair, preferred: str | None) -> None:
        """Takes the outcome of a pending pair, None for a tie. Raises KeyError for any other pair and
        ValueError for a preferred item that is not in it."""
        if preferred is not None and preferred not in pair:
            raise ValueError(f"{preferred} is not in the pair")
        del self._waiting[pair]
        self._outcomes[pair] = preferred
        self._go_on()

    def wins(self) -> Mapping[str, float]:
        """The wins of the finalists among themselves; meaningful once `done`."""
        return wins_of_pairs(self._outcomes, self.round.candidates)

    def levels(self) -> dict[str, float]:
        """The levels of the best k, with ties at rank k. Raises ValueError before it is `done`."""
        if not self.done:
            raise ValueError("not all pairs of the final are judged yet")
        return levels_by_wins(self.wins(), self.settings.k)

    def _go_on(self) -> None:
        while not self.done and not self._waiting:
            if self.round.final:
                self.done = True
            else:
                self._finish_round()

    def _start(self, candidates: tuple[str, ...], final: bool = False) -> None:
        number = len(self.rounds) + 1
        final = final or len(candidates) <= self.settings.finalists
        if final:
            pairs = _all_pairs(candidates)
        else:
            drawn = shuffled(candidates, self.seed, self.topic, number)
            pairs = pairings(drawn, self.settings.pairings)
            self._counted.update(dict.fromkeys(pairs))
        self.rounds.append(Round(number, candidates, pairs, final))
        self._waiting = {pair: None for pair in pairs if pair not in self._outcomes}

    def _finish_round(self) -> None:
        shares = self._shares_won()
        out = {item for item, share in shares.items() if share < 0.5}
        recalled = self._recalled(shares, out)
        out -= recalled
        now = self.round
        self.rounds[-1] = Round(
            now.number,
            now.candidates,
            now.pairs,
            final=False,
            eliminated=tuple(item for item in now.candidates if item in out),
            recalled=tuple(item for item in now.candidates if item in recalled),
        )
        left = tuple(item for item in now.candidates if item not in out)
        self._stuck = 0 if out else self._stuck + 1
        if out:
            self._counted.clear()
        self._start(left, final=self._stuck >= STUCK_ROUNDS)

    def _shares_won(self) -> dict[str, float]:
        """Of the pairs that count for this decision, the share that each candidate won."""
        counted = {pair: self._outcomes[pair] for pair in self._counted}
        met = dict.fromkeys(self.round.candidates, 0)
        for pair in counted:
            for item in pair:
                met[item] += 1
        wins = wins_of_pairs(counted, self.round.candidates)
        return {item: wins[item] / met[item] for item in met}

    def _recalled(self, shares: Mapping[str, float], out: set[str]) -> set[str]:
        """Of those who would leave, the best who must stay for k to be left, with all tied with the last."""
        short = self.settings.k - (len(shares) - len(out))
        if short <= 0:
            return set()
        last = sorted((shares[item] for item in out), reverse=True)[short - 1]
        return {item for item in out if shares[item] >= last}
