"""Files of preferences: ``topic docno1 docno2 preferred``, one judgment a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from leaderboard.contract import FormatError, say
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.fields import as_utf8, broken_line, column_of, lines_of, shown, split_fields
from leaderboard.judging.preferences import Preference


def read_preferences(path: Path) -> tuple[Preference, ...]:
    """The judgments in the file at `path`, in its order, by the rules of `leaderboard.formats.fields`.

    A pair may stand several times: each line is a judgment. Raises FormatError with every fault by line,
    for an empty file as well, and OSError where there is no file.
    """
    return tuple(given for _, given in numbered_preferences(path))


def numbered_preferences(path: Path) -> tuple[tuple[int, Preference], ...]:
    """The same, each with its line."""
    try:
        lines, _ = as_utf8(path.read_bytes())
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from refused
    faults = FaultList()
    found = tuple(_judgments(lines, faults))
    if not found and not faults.count:
        message = say(
            "The file is empty. Preferences have one judgment a line: topic docno1 docno2 preferred."
        )
        faults.add(None, None, message, "empty")
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return found


def write_preferences(preferences: Iterable[Preference], stream: TextIO) -> None:
    """Writes the judgments in the order given."""
    for given in preferences:
        stream.write(f"{given.topic} {given.first} {given.second} {given.preferred}\n")


def _judgments(lines: bytes, faults: FaultList) -> Iterator[tuple[int, Preference]]:
    for number, line in lines_of(lines):
        broken = broken_line(line)
        if broken is not None:
            faults.add(number, *broken)
            continue
        fields = split_fields(line)
        if len(fields) != 4:
            message = say(
                "Found {count} fields where preferences have four: topic, docno1, docno2 and the preferred "
                "docno, separated by spaces or TABs.",
                count=len(fields),
            )
            faults.add(number, column_of(line, 4) if len(fields) > 4 else None, message, "wrong-field-count")
            continue
        topic, first, second, preferred = fields
        if first == second:
            message = say("{docno} is compared with itself. Please give two items.", docno=shown(first))
            faults.add(number, column_of(line, 2), message, "same-item")
        elif preferred not in (first, second):
            message = say(
                "The preferred {docno} is neither of the two items of this line.", docno=shown(preferred)
            )
            faults.add(number, column_of(line, 3), message, "not-in-pair")
        else:
            yield number, Preference(topic.decode(), first.decode(), second.decode(), preferred.decode())
