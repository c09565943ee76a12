"""Unrelated pairs for RT and AE: confirmed by annotators, of each word as many as there are related ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from leaderboard.judging.shuffling import shuffled

Mark = Literal["related", "unrelated", "doubtful"]
"""What an annotator says about a pair."""

Words = tuple[str, str]
"""A pair of words in its order: (a, b) is not (b, a)."""

Reason = Literal[
    "called related",
    "in doubt",
    "too few annotators",
    "is a positive",
    "more than positives",
    "more than negatives",
    "no negatives",
    "no positives",
]
"""Why a pair was left out: an annotator called it related; one doubted it; fewer confirmed it than needed;
it is listed as related; its word has more unrelated than related pairs, or the reverse, and the lot fell on
this one; or its word has none of the other kind."""

CONFIRMED_BY = 2
"""So many annotators at least have to call a pair unrelated."""


class Annotation(NamedTuple):
    """What one annotator said about a pair; `source` names the list it was generated for."""

    word1: str
    word2: str
    mark: Mark
    annotator: str
    source: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A pair that was left out, whether it was a related one, and why."""

    words: Words
    related: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The pairs that are unrelated, in order of first appearance, and those that were not confirmed."""

    pairs: tuple[Words, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class Balanced:
    """Related and unrelated pairs, equally many of each source word, sorted; and what was left out."""

    positives: tuple[Words, ...]
    negatives: tuple[Words, ...]
    dropped: tuple[Dropped, ...]

    @property
    def reasons(self) -> dict[Reason, int]:
        """How many pairs were left out for each reason, the most frequent first."""
        return dict(Counter(each.reason for each in self.dropped).most_common())


def confirm(annotations: Iterable[Annotation], needed: int = CONFIRMED_BY) -> Confirmed:
    """The pairs that at least `needed` different annotators called unrelated and none called otherwise.

    So it was done for RUSSE: of the unrelated pairs of its benchmarks that stand in the annotators' files
    99.5 % are such. Of an annotator who marked a pair several times all marks count, but as one person.
    """
    marks: defaultdict[Words, dict[Mark, set[str]]] = defaultdict(dict)
    for given in annotations:
        marks[given.word1, given.word2].setdefault(given.mark, set()).add(given.annotator)
    pairs: list[Words] = []
    dropped: list[Dropped] = []
    for words, by_mark in marks.items():
        reason = _objection(by_mark, needed)
        if reason is None:
            pairs.append(words)
        else:
            dropped.append(Dropped(words, False, reason))
    return Confirmed(tuple(pairs), tuple(dropped))


def _objection(by_mark: Mapping[Mark, set[str]], needed: int) -> Reason | None:
    if "related" in by_mark:
        return "called related"
    if "doubtful" in by_mark:
        return "in doubt"
    if len(by_mark.get("unrelated", ())) < needed:
        return "too few annotators"
    return None


def balance(positives: Iterable[Words], negatives: Iterable[Words], seed: int) -> Balanced:
    """Keeps of each source word (the first one) equally many related and unrelated pairs, as many as it can.

    Of the more numerous kind those that stay are drawn by lot with the seed. An unrelated pair that is
    listed as related, in this order, is left out first. A pair given twice stands once.
    """
    related = _by_source(positives)
    listed = {words for of_word in related.values() for words in of_word}
    candidates = tuple(dict.fromkeys(negatives))
    unrelated = _by_source(words for words in candidates if words not in listed)
    dropped = [Dropped(words, False, "is a positive") for words in candidates if words in listed]
    kept: dict[bool, list[Words]] = {True: [], False: []}
    for word in sorted(related.keys() | unrelated.keys()):
        sides = {True: related.get(word, []), False: unrelated.get(word, [])}
        size = min(map(len, sides.values()))
        for is_related, pairs in sides.items():
            order = _drawn(pairs, seed)
            kept[is_related] += order[:size]
            reason = _surplus(is_related, size)
            dropped += [Dropped(words, is_related, reason) for words in sorted(order[size:])]
    return Balanced(tuple(sorted(kept[True])), tuple(sorted(kept[False])), tuple(dropped))


def _by_source(pairs: Iterable[Words]) -> dict[str, list[Words]]:
    found: defaultdict[str, list[Words]] = defaultdict(list)
    for words in dict.fromkeys(pairs):
        found[words[0]].append(words)
    return dict(found)


def _drawn(pairs: Iterable[Words], seed: int) -> list[Words]:
    by_second = {second: (first, second) for first, second in pairs}
    first = next(iter(by_second.values()))[0] if by_second else ""
    return [by_second[second] for second in shuffled(by_second, seed, first)]


def _surplus(is_related: bool, size: int) -> Reason:
    if size:
        return "more than negatives" if is_related else "more than positives"
    return "no negatives" if is_related else "no positives"
