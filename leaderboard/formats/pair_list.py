"""The public list of pairs of a task, and what a run looks like beside it.

Everything a participant is told about missing, unknown, misspelt and reversed pairs is judged here, so that
no message can depend on the gold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, FormatError, Message, say, say_count
from leaderboard.formats.faults import FaultList
from leaderboard.formats.near_pairs import NearPairs
from leaderboard.formats.pairs import Pairs, PairsRun, RowNumbers, read_pairs, repeated_with_other_values

SHOWN = 5
"""So many pairs are given as examples in one note."""

MAX_NEAR = 20
"""So many "did you mean" notes at most."""

_SEPARATORS = re.compile(r'[,;\t\r\n"]+')


@dataclass(frozen=True, eq=False)
class PairList(Pairs):
    """The different pairs of a task's public input list, in order of first appearance."""

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the list, trimmed."""
        return frozenset(word.strip() for column in (self.word1, self.word2) for word in column.to_pylist())

    @cached_property
    def near(self) -> NearPairs:
        return NearPairs(self.to_list())

    def knows_words_of(self, text: str) -> bool:
        """Whether a text in a guessed encoding makes sense: half of its words with other letters than
        Latin ones, but at least one, are words of the list. Needs no header."""
        found = {part.strip() for part in _SEPARATORS.split(text)}
        telling = {word for word in found if not word.isascii()}
        return 0 < len(telling) <= 2 * len(telling & self.words)


def read_pair_list(path: Path) -> PairList:
    """Reads a public input list, a file of the same form as a run whose values do not matter.

    Kept in memory until the file changes. Raises FormatError naming file and line, and OSError.
    """
    state = path.stat()
    return _read_pair_list(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _read_pair_list(path: Path, _changed: int, _size: int) -> PairList:
    found = read_pairs(path.read_bytes())
    if found.run is None:
        raise FormatError(path.name, found.faults.all_told())
    _, first = np.unique(found.run.coded.indices.to_numpy(), return_index=True)
    different = found.run.take(np.sort(first))
    return PairList(different.word1, different.word2)


@dataclass
class Judged:
    """What a run looks like beside the public list: faults that refuse it, and notes on the rest."""

    faults: FaultList = field(default_factory=FaultList)
    notes: list[Message] = field(default_factory=list)


def judge_repeats(run: PairsRun) -> tuple[Message, ...]:
    """A note on the pairs that stand in the run several times with different values."""
    rows = repeated_with_other_values(run)
    if not len(rows):
        return ()
    codes = run.coded.indices.to_numpy()
    pairs = dict.fromkeys(int(code) for code in codes[rows])
    examples = []
    for code in list(pairs)[:SHOWN]:
        lines = ", ".join(str(line) for line in run.line[np.flatnonzero(codes == code)][-SHOWN:])
        examples.append(f"{_shown_pair(run, int(run.last_row[code]))} [{lines}]")
    return (
        say_count(
            "{count} pair stands in the file several times with different values; the last one counts "
            "(pair and lines): {examples}.",
            "{count} pairs stand in the file several times with different values; the last one counts "
            "(pairs and lines): {examples}.",
            len(pairs),
            examples=_listed(examples, len(pairs)),
        ),
    )


def judge(run: PairsRun, listed: PairList) -> Judged:
    """Compares the pairs of a run with those of the public list, one way only: (a, b) is not (b, a)."""
    judged = Judged()
    rows, trimmed = run.find(listed)
    answered = ~np.isnan(run.values_at(rows))
    # The pairs of a list differ, so a run that has each as it is and no more different ones has no others.
    whole = len(run.last_row) == len(listed) and bool((rows >= 0).all()) and not trimmed.any()
    strangers = rows[:0] if whole else _unknown_rows(run, listed)
    reversed_rows = _reversed(run, strangers, listed)
    unknown = np.setdiff1d(strangers, reversed_rows)
    _judge_reversed(run, reversed_rows, judged)
    _judge_missing(listed, answered, len(reversed_rows) if judged.faults.count else 0, judged)
    if trimmed.any():
        judged.notes.append(
            say_count(
                "{count} pair of the input list was found only without the white space around its words.",
                "{count} pairs of the input list were found only without the white space around their words.",
                int(trimmed.sum()),
            )
        )
    _judge_unknown(run, unknown, judged)
    _judge_near(run, unknown, listed, answered, judged)
    return judged


def given_values(run: PairsRun, listed: PairList) -> FloatArray:
    """The values that the run gives to pairs of the list, without those it leaves empty."""
    values = run.values_at(run.find(listed)[0])
    return values[~np.isnan(values)]


def _unknown_rows(run: PairsRun, listed: PairList) -> RowNumbers:
    """The last row of each different pair of the run that is not in the list, even when trimmed."""
    known = pc.is_in(run.coded.dictionary, value_set=listed.keys).to_numpy(zero_copy_only=False)
    rows = np.sort(run.last_row[~known])
    variant = pc.is_in(run.take(rows).trimmed_keys, value_set=listed.trimmed_keys).to_numpy(
        zero_copy_only=False
    )
    return np.asarray(rows[~variant], dtype=np.int64)


def _reversed(run: PairsRun, rows: RowNumbers, listed: PairList) -> RowNumbers:
    held = pc.is_in(run.take(rows).swapped().trimmed_keys, value_set=listed.trimmed_keys).to_numpy(
        zero_copy_only=False
    )
    return np.asarray(rows[held], dtype=np.int64)


def _judge_reversed(run: PairsRun, rows: RowNumbers, judged: Judged) -> None:
    if not len(rows):
        return
    row = int(rows[0])
    if 2 * len(rows) > len(run.last_row):
        judged.faults.add(
            None,
            None,
            say(
                "{count} of the {total} pairs stand the other way round in the input list, such as {pair} on "
                "line {line}. Order matters: please swap word1 and word2.",
                count=len(rows),
                total=len(run.last_row),
                pair=_shown_pair(run, row),
                line=int(run.line[row]),
            ),
            "reversed",
        )
        return
    judged.notes.append(
        say_count(
            "{count} pair stands the other way round in the input list and is not used: {pair} "
            "on line {line}.",
            "{count} pairs stand the other way round in the input list and are not used, such as {pair} "
            "on line {line}.",
            len(rows),
            pair=_shown_pair(run, row),
            line=int(run.line[row]),
        )
    )


def _judge_missing(listed: PairList, answered: NDArray[np.bool_], explained: int, judged: Judged) -> None:
    """`explained` pairs are missing only because they stand reversed, which has been said already."""
    missing = np.flatnonzero(~answered)
    if 2 * (len(missing) - explained) > len(listed):
        judged.faults.add(
            None,
            None,
            say(
                "The file has values for only {answered} of the {total} pairs of the input list. Please "
                "check that it is complete and belongs to this task.",
                answered=int(answered.sum()),
                total=len(listed),
            ),
            "too-few-pairs",
        )
    elif len(missing) and not explained:
        examples = [_shown(*listed[i]) for i in missing[:SHOWN].tolist()]
        judged.notes.append(
            say_count(
                "{count} pair of the input list has no value in the file: {examples}.",
                "{count} pairs of the input list have no value in the file: {examples}.",
                len(missing),
                examples=_listed(examples, len(missing)),
            )
        )


def _judge_unknown(run: PairsRun, rows: RowNumbers, judged: Judged) -> None:
    if not len(rows):
        return
    examples = [f"{_shown_pair(run, row)} [{run.line[row]}]" for row in rows[:SHOWN].tolist()]
    judged.notes.append(
        say_count(
            "{count} pair of the file is not in the input list (pair and line): {examples}.",
            "{count} pairs of the file are not in the input list (pairs and lines): {examples}.",
            len(rows),
            examples=_listed(examples, len(rows)),
        )
    )


def _judge_near(
    run: PairsRun, rows: RowNumbers, listed: PairList, answered: NDArray[np.bool_], judged: Judged
) -> None:
    """Suggests pairs of the list that the run has not answered, for pairs that resemble them."""
    if not len(rows) or answered.all():
        return
    for row, suggestion in listed.near.suggest(run, rows, answered, MAX_NEAR):
        values = {
            "line": int(run.line[row]),
            "pair": _shown_pair(run, row),
            "near": _shown(*suggestion.pair),
        }
        if suggestion.look_alike:
            judged.notes.append(
                say(
                    "Line {line}: {pair} has letters of another alphabet that look alike. "
                    "Did you mean {near}, as the input list writes it?",
                    **values,
                )
            )
        else:
            judged.notes.append(
                say("Line {line}: {pair} is not in the input list. Did you mean {near}?", **values)
            )


def _shown_pair(run: PairsRun, row: int) -> str:
    return _shown(*run[row])


def _shown(word1: str, word2: str) -> str:
    return "(" + ", ".join(word if len(word) <= 40 else word[:40] + "…" for word in (word1, word2)) + ")"


def _listed(examples: list[str], count: int) -> str:
    return ", ".join(examples) + (", …" if count > len(examples) else "")
