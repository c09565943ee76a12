"""Judgments as files have them: one reader for each kind of campaign, for what was judged elsewhere and for
tests with known answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from leaderboard.contract import FormatError, say
from leaderboard.formats.annotations import numbered_annotations
from leaderboard.formats.faults import FaultList
from leaderboard.formats.preferences import numbered_preferences
from leaderboard.formats.ratings import numbered_ratings
from leaderboard.services.judging_answers import GRADES, RATINGS
from leaderboard.services.judging_material import WORDS
from leaderboard.services.judging_plans import Kind


class Given(NamedTuple):
    """A judgment of a file: its line, what was judged as units name it, the answer as judgments keep it, and
    whoever judged."""

    line: int
    topic: str
    first: str
    second: str
    choice: str
    judge: str

    @property
    def unit(self) -> tuple[str, str, str]:
        return self.topic, self.first, self.second


def read_given(kind: Kind, path: Path, name: str) -> tuple[Given, ...]:
    """The judgments in the file at `path`, which people call `name`.

    Preferences are lines of `topic docno1 docno2 preferred`; a pair that stands several times was judged by
    as many people. Grades and ratings are tables as `leaderboard.formats.ratings` reads them, of topic and
    docno, or of word1 and word2. Marks of unrelated pairs are annotators' files. Raises FormatError with
    every fault by line, and OSError.
    """
    stem = Path(name).stem
    if kind == "preference":
        return tuple(_preferences(path, stem))
    if kind == "negative":
        return tuple(
            Given(line, WORDS, each.word1, each.word2, each.mark, each.annotator)
            for line, each in numbered_annotations(path, stem)
        )
    return _values(path, kind)


def _preferences(path: Path, stem: str) -> Iterator[Given]:
    seen: Counter[tuple[str, tuple[str, str]]] = Counter()
    for line, each in numbered_preferences(path):
        seen[each.topic, each.pair] += 1
        judge = f"{stem} {seen[each.topic, each.pair]}"
        yield Given(line, each.topic, *each.pair, each.preferred, judge)


def _values(path: Path, kind: Kind) -> tuple[Given, ...]:
    allowed = GRADES if kind == "grade" else RATINGS
    faults = FaultList()
    found = []
    for line, rating in numbered_ratings(path, numbers=True):
        unit = rating.unit if isinstance(rating.unit, tuple) else ()
        value = f"{rating.value:g}"
        if len(unit) != 2:
            message = say(
                "The header has to name the columns topic and docno, or word1 and word2, and beside these "
                "the judge and the rating, or a column for each judge."
            )
            faults.add(1, None, message, "header")
            break
        if value not in allowed:
            message = say(
                'The value "{value}" is none of: {allowed}.', value=value, allowed=", ".join(allowed)
            )
            faults.add(line, None, message, "scale")
            continue
        topic, first, second = (*unit, "") if kind == "grade" else (WORDS, *unit)
        found.append(Given(line, topic, first, second, value, rating.judge))
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return tuple(found)
