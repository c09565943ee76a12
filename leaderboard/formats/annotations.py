"""Annotators' files: pairs of words that somebody marked as related, unrelated or doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args
from unicodedata import normalize

from leaderboard.contract import FormatError, say
from leaderboard.formats.cells import listed, shown
from leaderboard.formats.faults import FaultList
from leaderboard.formats.separated import Row, names_in, read_rows, well_filled
from leaderboard.judging.negatives import Annotation, Mark

_MARKS: dict[str, Mark] = {
    "": "unrelated",
    "0": "unrelated",
    "1": "related",
    "?": "doubtful",
    "1?": "doubtful",
    "1(?)": "doubtful",
    "0?": "doubtful",
    "0(?)": "doubtful",
    **{mark: mark for mark in get_args(Mark)},
}
"""How people write it. A blank says unrelated: the lists hold pairs generated as such, and only what is
wrong with one is marked."""

_WORDS = ("word1", "word2")
_MARK, _COMMENT, _SOURCE = "related", "comment", "src"
_UNNAMED = ("num", *_WORDS, _MARK, _COMMENT, _SOURCE)
"""The columns of a file without a header that begins with a number."""


_Numbered = tuple[int, Annotation]


def read_annotations(path: Path, annotator: str | None = None) -> tuple[Annotation, ...]:
    """The marks in the file at `path`, in its order; `annotator` is the file's name if not given.

    With a header: the columns word1, word2 and related, and perhaps comment and src (the list that a pair
    comes from), in any order; other columns do not matter. Without one: the columns num, word1, word2,
    related, comment, src (the last two may lack); or word1, word2 alone, of unrelated pairs; or a word, how
    many candidates it had, how many of them are related, and these, separated by spaces.

    A mark is blank or 0 (unrelated), 1 (related), or has a question mark (doubtful). Words are trimmed and
    in NFC. A pair that stands twice in one source with the same mark counts once. Raises FormatError with
    every fault by line, and OSError.
    """
    return tuple(annotation for _, annotation in numbered_annotations(path, annotator))


def numbered_annotations(path: Path, annotator: str | None = None) -> tuple[_Numbered, ...]:
    """The same, each with its line."""
    rows, _ = read_rows(path)
    faults = FaultList()
    found = tuple(_different(_read(rows, annotator or path.stem, faults), faults))
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return found


def _read(rows: Sequence[Row], annotator: str, faults: FaultList) -> Iterator[_Numbered]:
    first = rows[0]
    names = names_in(first)
    if set(_WORDS) <= set(names):
        if _MARK not in names:
            message = say(
                "The header names no column `{column}`; it has: {columns}.",
                column=_MARK,
                columns=listed(names),
            )
            faults.add(first.line, None, message, "header")
            return
        yield from _by_columns(rows[1:], names, annotator, faults)
    elif len(first.cells) == 2:
        yield from _pairs_alone(rows, annotator, faults)
    elif len(first.cells) == 4 and first.cells[1].isdecimal() and first.cells[2].isdecimal():
        yield from _by_word(rows, annotator, faults)
    elif first.cells[0].isdecimal() and len(first.cells) in (4, 5, 6):
        yield from _by_columns(rows, _UNNAMED[: len(first.cells)], annotator, faults)
    else:
        message = say(
            "The columns cannot be told: the first line is neither a header with word1, word2 and related "
            "nor a line of a file without one. Please put a header at the top."
        )
        faults.add(first.line, None, message, "header")


def _by_columns(
    rows: Sequence[Row], names: Sequence[str], annotator: str, faults: FaultList
) -> Iterator[_Numbered]:
    place = {name: number for number, name in reversed(list(enumerate(names)))}
    for row in well_filled(rows, len(names), faults):
        written = row.cells[place[_MARK]]
        mark = _MARKS.get("".join(written.split()).casefold())
        if mark is None:
            message = say(
                'The mark "{mark}" is none of: blank or 0 (unrelated), 1 (related), ? or 1(?) (doubtful).',
                mark=written[:40],
            )
            faults.add(row.line, None, message, "mark")
            continue
        optional = {name: row.cells[place[name]] for name in (_COMMENT, _SOURCE) if name in place}
        words = [row.cells[place[name]] for name in _WORDS]
        yield from _annotation(
            row, words, mark, annotator, faults, optional.get(_COMMENT, ""), optional.get(_SOURCE, "")
        )


def _pairs_alone(rows: Sequence[Row], annotator: str, faults: FaultList) -> Iterator[_Numbered]:
    for row in well_filled(rows, 2, faults):
        yield from _annotation(row, row.cells, "unrelated", annotator, faults)


def _by_word(rows: Sequence[Row], annotator: str, faults: FaultList) -> Iterator[_Numbered]:
    for row in well_filled(rows, 4, faults):
        word, _, count, listed = row.cells
        related = listed.split()
        # Compared as text: a number of thousands of digits is refused by `int`.
        if not count or count.lstrip("0") != str(len(related) or ""):
            message = say(
                "The line says that {count} words are related, and lists {found}.",
                count=shown(count),
                found=len(related),
            )
            faults.add(row.line, None, message, "count")
            continue
        for other in related:
            yield from _annotation(row, (word, other), "related", annotator, faults)


def _annotation(
    row: Row,
    words: Sequence[str],
    mark: Mark,
    annotator: str,
    faults: FaultList,
    comment: str = "",
    source: str = "",
) -> Iterator[_Numbered]:
    word1, word2 = (normalize("NFC", word.strip()) for word in words)
    if not word1 or not word2:
        faults.add(row.line, None, say("A word is missing. Please write both words of the pair."), "no-word")
        return
    yield row.line, Annotation(word1, word2, mark, annotator, source, comment)


def _different(found: Iterator[_Numbered], faults: FaultList) -> Iterator[_Numbered]:
    seen: dict[tuple[str, str, str], tuple[int, Mark]] = {}
    for line, annotation in found:
        key = (annotation.source, annotation.word1, annotation.word2)
        if key not in seen:
            seen[key] = (line, annotation.mark)
            yield line, annotation
            continue
        before, mark = seen[key]
        if mark != annotation.mark:
            message = say(
                "The pair {word1}, {word2} stands on line {line} with another mark. Please keep one.",
                word1=shown(annotation.word1),
                word2=shown(annotation.word2),
                line=before,
            )
            faults.add(line, None, message, "two-marks")
