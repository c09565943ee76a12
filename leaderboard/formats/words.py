"""Pairs of words that somebody is to judge, in the shapes that people have them in."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

from leaderboard.contract import FormatError, say
from leaderboard.formats.annotations import numbered_annotations
from leaderboard.formats.faults import FaultList
from leaderboard.formats.separated import names_in, read_rows, well_filled
from leaderboard.judging.negatives import Words


def read_words(path: Path) -> tuple[Words, ...]:
    """The different pairs of a file, in its order: the columns word1 and word2 of a table with a header,
    whatever else it has, or an annotator's file (`leaderboard.formats.annotations`), whatever the marks.

    Raises FormatError with every fault by line, and OSError.
    """
    rows, _ = read_rows(path)
    names = names_in(rows[0])
    if not {"word1", "word2"} <= set(names):
        return tuple(dict.fromkeys((each.word1, each.word2) for _, each in numbered_annotations(path)))
    faults = FaultList()
    places = (names.index("word1"), names.index("word2"))
    found: list[Words] = []
    for row in well_filled(rows[1:], len(names), faults):
        first, second = (normalize("NFC", row.cells[place]) for place in places)
        if first and second:
            found.append((first, second))
        else:
            message = say("A word is missing. Please write both words of the pair.")
            faults.add(row.line, None, message, "no-word")
    if not found and not faults.count:
        faults.add(None, None, say("The table has a header, but no pairs."), "empty")
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return tuple(dict.fromkeys(found))
