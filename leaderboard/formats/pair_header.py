"""The header of a file of word pairs: which separator it uses and where its columns are."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from leaderboard.contract import say
from leaderboard.formats.faults import Refused, refuse

NAMES = ("word1", "word2", "sim")
SEPARATORS = (",", ";", "\t")

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_DIRECTIVE = re.compile(r'"?sep=([,;\t])"?', re.IGNORECASE)
_LONGEST = 10_000

MAX_BLANK = 1_000
"""So many lines above the header may be empty: looking at each costs time."""


@dataclass(frozen=True)
class Header:
    """`word1`, `word2` and `sim` are places of columns, from 0, of `width` in all; `ignored` names others.

    The header stands on `line` (from 1); the rows begin at character `end` of the text.
    """

    separator: str
    word1: int
    word2: int
    sim: int
    width: int
    ignored: tuple[str, ...]
    line: int
    end: int


def read_header(text: str) -> Header:
    """Finds the header on the first line that is not empty, and the separator by which it makes sense.

    Letter case and spaces around the names do not matter, and Excel's ``sep=;`` above it is understood.
    Raises `Refused` where word1, word2 and sim are not all there, saying what was expected and found.
    """
    line, end = 0, 0
    separators: tuple[str, ...] = SEPARATORS
    first = ""
    while end < len(text):
        match = _LINE.match(text, end)
        assert match is not None  # noqa: S101 - the pattern matches anywhere
        line, end, first = line + 1, match.end(), match[1]
        directive = _DIRECTIVE.fullmatch(first.strip())
        if directive is not None:
            separators = (directive[1],)
        elif first.strip():
            break
        elif line > MAX_BLANK:
            message = say("The file begins with more than {count} empty lines; remove them.", count=MAX_BLANK)
            raise refuse(message, "header", line)
    if not first.strip():
        raise refuse(say("The file is empty. Please choose the file with your results."), "empty")
    for separator in separators:
        names = _split(first, separator)
        if set(NAMES) <= set(names):
            return _header(names, separator, line, end)
    raise _unexpected(first, line)


def _split(first: str, separator: str) -> list[str]:
    if len(first) > _LONGEST:
        return []
    try:
        fields = next(csv.reader([first], delimiter=separator), [])
    except csv.Error:
        return []
    return [name.strip().lower() for name in fields]


def _header(names: list[str], separator: str, line: int, end: int) -> Header:
    for name in NAMES:
        if names.count(name) > 1:
            raise refuse(
                say("The header names the column {name} twice. Please keep one of them.", name=name),
                "header",
                line,
            )
    ignored = tuple(name[:40] for name in names if name and name not in NAMES)
    word1, word2, sim = (names.index(name) for name in NAMES)
    return Header(separator, word1, word2, sim, len(names), ignored, line, end)


def _unexpected(first: str, line: int) -> Refused:
    shown = first if len(first) <= 60 else first[:60] + "…"
    held = {name for separator in SEPARATORS for name in _split(first, separator)}
    absent = [name for name in NAMES if name not in held]
    if 0 < len(absent) < len(NAMES):
        message = say(
            "The header “{found}” lacks {names}. The file must begin with the line word1,word2,sim.",
            found=shown,
            names=", ".join(absent),
        )
    else:
        message = say(
            "The header word1,word2,sim is missing: the file begins with “{found}”. "
            "Please put the line word1,word2,sim at the top.",
            found=shown,
        )
    return refuse(message, "header", line, 1)
