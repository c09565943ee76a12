"""Any number of different runs made from a few: the same items in another order, or with other values."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import count, groupby
from pathlib import Path

from leaderboard.services.demonstration import Exhibit

NEAR = 10
"""A passage moves by about so many places at most."""


def variations(exhibit: Exhibit) -> Iterator[bytes]:
    """Files of runs without end, no two alike, made from the runs of a task in turn."""
    originals = [_text(entry.path).splitlines() for entry in exhibit.entries]
    vary = _pairs if exhibit.spec.resource == "mj" else _passages
    for number in count():
        yield ("\n".join(vary(originals[number % len(originals)], random.Random(number))) + "\n").encode()


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def _pairs(lines: list[str], dice: random.Random) -> Iterator[str]:
    """Word pairs with values that are partly the old ones."""
    yield "word1,word2,sim"
    # Some are separated otherwise, and have a decimal comma then.
    separator = next(each for each in "\t;," if each in lines[0])
    for line in lines[1:]:
        word1, word2, value, *_ = line.split(separator)
        yield f"{word1},{word2},{(float(value.replace(',', '.') or 0) + dice.random()) / 2:.6f}"


def _passages(lines: list[str], dice: random.Random) -> Iterator[str]:
    """The passages of each topic near to where they were."""
    rows = [line.split() for line in lines]
    for _, ranking in groupby(rows, key=lambda row: row[0]):
        ranked = list(ranking)
        docnos = [
            row[2]
            for _, row in sorted((place + NEAR * dice.random(), row) for place, row in enumerate(ranked))
        ]
        for row, docno in zip(ranked, docnos, strict=True):
            yield " ".join([*row[:2], docno, *row[3:]])
