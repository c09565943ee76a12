"""How well each judge works: pace, agreement with the others, pairs with a known answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from leaderboard.judging.preferences import Pair, Preference

Known = Mapping[tuple[str, Pair], str]
"""Test pairs: by topic and pair, the item that has to be preferred."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """A judge's work. `pace` is the median of seconds for a judgment, None where none was timed.

    `agreeing` of `compared` judgments are those of the majority of all others who judged the pair, where
    these have one. `right` of `tested` answers to test pairs are the known ones; test pairs are in no other
    number.
    """

    judge: str
    judgments: int
    pace: float | None
    agreeing: int
    compared: int
    right: int
    tested: int

    @property
    def agreement(self) -> float | None:
        return self.agreeing / self.compared if self.compared else None

    @property
    def accuracy(self) -> float | None:
        return self.right / self.tested if self.tested else None


def judge_records(preferences: Iterable[Preference], known: Known | None = None) -> tuple[JudgeRecord, ...]:
    """A record for each judge, sorted by name."""
    tests = known or {}
    everything = list(preferences)
    work = [given for given in everything if (given.topic, given.pair) not in tests]
    votes: defaultdict[tuple[str, Pair], Counter[str]] = defaultdict(Counter)
    for given in work:
        votes[given.topic, given.pair][given.preferred] += 1
    compared: defaultdict[str, list[bool]] = defaultdict(list)
    for given in work:
        others = votes[given.topic, given.pair] - Counter([given.preferred])
        most = _most(others)
        if most is not None:
            compared[given.judge].append(most == given.preferred)
    tested: defaultdict[str, list[bool]] = defaultdict(list)
    for given in everything:
        right = tests.get((given.topic, given.pair))
        if right is not None:
            tested[given.judge].append(given.preferred == right)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for given in work:
        if given.seconds is not None:
            seconds[given.judge].append(given.seconds)
    amount = Counter(given.judge for given in work)
    return tuple(
        JudgeRecord(
            judge=judge,
            judgments=amount[judge],
            pace=median(seconds[judge]) if seconds[judge] else None,
            agreeing=sum(compared[judge]),
            compared=len(compared[judge]),
            right=sum(tested[judge]),
            tested=len(tested[judge]),
        )
        for judge in sorted({given.judge for given in everything})
    )


def _most(votes: Counter[str]) -> str | None:
    """The answer that most gave; None where two have the same number, or nobody answered."""
    leading = votes.most_common(2)
    if not leading or (len(leading) == 2 and leading[0][1] == leading[1][1]):
        return None
    return leading[0][0]


def below_threshold(
    records: Iterable[JudgeRecord], threshold: float, at_least: int = 1
) -> tuple[JudgeRecord, ...]:
    """The judges who answered at least so many test pairs, and less than this share of them rightly."""
    return tuple(
        record
        for record in records
        if record.tested >= max(1, at_least) and record.right < threshold * record.tested
    )
