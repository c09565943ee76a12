"""Runs of word pairs: CSV with the columns word1, word2 and sim, in whatever dialect people send it.

A file with one separator and no quotes goes through pyarrow; anything else, and whatever has a fault,
through `pair_lines`, which reads the same and knows lines and columns.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from unicodedata import is_normalized, normalize
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, Message, say, say_count
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.pair_header import Header, read_header
from leaderboard.formats.pair_lines import MAX_WORD, Columns, read_lines
from leaderboard.formats.text import decode

MAX_BYTES = 64 * 1024 * 1024
"""So many bytes of one run of pairs; a run over 15,000 pairs has less than one million."""

MAX_ROWS = 1_000_000
"""So many lines are read; a file with more is refused by counting its line ends."""

RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of words, in NFC, as two columns of one length."""

    word1: pa.StringArray
    word2: pa.StringArray

    def __len__(self) -> int:
        return len(self.word1)

    def __getitem__(self, row: int) -> tuple[str, str]:
        return self.word1[row].as_py(), self.word2[row].as_py()

    def take(self, rows: RowNumbers) -> Pairs:
        """The pairs of these rows."""
        places = pa.array(rows)
        return Pairs(self.word1.take(places), self.word2.take(places))

    def swapped(self) -> Pairs:
        """Each pair the other way round."""
        return Pairs(self.word2, self.word1)

    def to_list(self) -> list[tuple[str, str]]:
        return list(zip(self.word1.to_pylist(), self.word2.to_pylist(), strict=True))

    @cached_property
    def keys(self) -> pa.StringArray:
        """One string for each pair. The readers refuse NUL, so that no two pairs can share a key."""
        return pc.binary_join_element_wise(self.word1, self.word2, "\0")

    @cached_property
    def trimmed_keys(self) -> pa.StringArray:
        """The keys of the pairs without the white space around their words."""
        word1, word2 = (pc.utf8_trim_whitespace(column) for column in (self.word1, self.word2))
        return pc.binary_join_element_wise(word1, word2, "\0")


@dataclass(frozen=True, eq=False)
class PairsRun(Pairs):
    """The rows of a run in file order: two words, the value (nan where empty) and the line, from 1.

    A pair may stand several times; `find` gives its last row.
    """

    sim: FloatArray
    line: RowNumbers

    @cached_property
    def coded(self) -> pa.DictionaryArray:
        """The keys as codes into the distinct ones."""
        return self.keys.dictionary_encode()

    @cached_property
    def last_row(self) -> RowNumbers:
        """For each distinct key its last row."""
        return _last_rows(self.coded)

    def find(self, wanted: Pairs) -> tuple[RowNumbers, NDArray[np.bool_]]:
        """For each wanted pair the row that answers it, -1 where none does, and whether trimming was needed.

        A pair that the run holds exactly is answered by its last row; only one that it does not hold takes
        the last row that equals it once white space around both words is trimmed.
        """
        if wanted not in self._answers:
            self._answers[wanted] = self._look_up(wanted)
        return self._answers[wanted]

    @cached_property
    def _answers(self) -> WeakKeyDictionary[Pairs, tuple[RowNumbers, NDArray[np.bool_]]]:
        """What was found before: checking a run and telling its values ask for the same list."""
        return WeakKeyDictionary()

    def _look_up(self, wanted: Pairs) -> tuple[RowNumbers, NDArray[np.bool_]]:
        # Most runs have the pairs of the list in its order, as the template does.
        if wanted.keys.equals(self.keys):
            return self.last_row[self.coded.indices.to_numpy()], np.zeros(len(self), dtype=bool)
        rows = _find(wanted.keys, self.coded, self.last_row)
        absent = np.flatnonzero(rows < 0)
        trimmed = np.zeros(len(rows), dtype=bool)
        if len(absent):
            coded, last_row = self._trimmed
            rows[absent] = _find(wanted.trimmed_keys.take(pa.array(absent)), coded, last_row)
            trimmed[absent] = rows[absent] >= 0
        return rows, trimmed

    @cached_property
    def _trimmed(self) -> tuple[pa.DictionaryArray, RowNumbers]:
        coded = self.trimmed_keys.dictionary_encode()
        return coded, _last_rows(coded)

    def values_at(self, rows: RowNumbers) -> FloatArray:
        """The values of these rows, nan for the row -1."""
        if not len(self.sim):
            return np.full(len(rows), np.nan)
        return np.where(rows >= 0, self.sim[rows], np.nan)


@dataclass(frozen=True)
class ReadPairs:
    """What reading found: the run (None where there are faults), the faults, and what was done to read it."""

    run: PairsRun | None
    faults: FaultList
    notes: tuple[Message, ...] = ()


def read_pairs(content: bytes, accepts_legacy: Callable[[str], bool] | None = None) -> ReadPairs:
    """Reads a run of pairs; `accepts_legacy` is that of `text.decode`. Never raises for what is in it."""
    faults = FaultList()
    try:
        decoded = decode(content, accepts_legacy)
        header = read_header(decoded.text)
    except Refused as refused:
        for fault in refused.faults:
            faults.add(fault.line, fault.column, fault.message, fault.kind)
        return ReadPairs(None, faults)
    notes = decoded.notes + _ignored_columns(header)
    if max(decoded.text.count("\n"), decoded.text.count("\r")) > MAX_ROWS:
        message = say("The file has more than {count} lines. Please check that it is the right file.",
                      count=MAX_ROWS)  # fmt: skip
        faults.add(None, None, message, "too-many-lines")
        return ReadPairs(None, faults, notes)
    # A note says that the text was not UTF-8; where there is none, the bytes need not be made again.
    utf8 = decoded.text.encode() if decoded.notes else content.removeprefix(BOM_UTF8)
    run = read_regular(decoded.text, utf8, header)
    if run is None:
        run = read_tolerant(decoded.text, header, faults)
    if not faults.count and not len(run):
        faults.add(None, None, say("The file has a header but no pairs."), "empty")
    return ReadPairs(None if faults.count else run, faults, notes)


def read_regular(text: str, utf8: bytes, header: Header) -> PairsRun | None:
    """The run where every line below the header is plain and without fault, None where it is not.

    `utf8` is the text in UTF-8.
    """
    if text.find('"', header.end) >= 0 or "\0" in text or text.count("\r") != text.count("\r\n"):
        return None
    names = [str(place) for place in range(header.width)]
    word1, word2, sim = (names[place] for place in (header.word1, header.word2, header.sim))
    content = memoryview(utf8)[len(text[: header.end].encode()) :]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=len(content) + 1, column_names=names),
            pyarrow.csv.ParseOptions(
                delimiter=header.separator, quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            pyarrow.csv.ConvertOptions(
                check_utf8=False,
                column_types={word1: pa.string(), word2: pa.string(), sim: pa.float64()},
                include_columns=[word1, word2, sim],
                null_values=[""],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    words = [table.column(name).combine_chunks() for name in (word1, word2)]
    for column in words:
        # In bytes, which are at least as many: what is too long for this reader, the other one counts.
        lengths = pc.min_max(pc.binary_length(pc.utf8_trim_whitespace(column))).as_py()
        if not lengths["min"] or lengths["max"] > MAX_WORD:
            return None
    values = table.column(sim)
    numbers = values.to_numpy()
    if np.isfinite(numbers).sum() + values.null_count != len(numbers):
        return None
    if not is_normalized("NFC", text):
        words = [_composed(column) for column in words]
    return PairsRun(words[0], words[1], numbers, np.arange(len(numbers), dtype=np.int64) + header.line + 1)


def read_tolerant(text: str, header: Header, faults: FaultList) -> PairsRun:
    """The run read line by line; every row with a fault is left out and its faults are added to `faults`."""
    columns: Columns = read_lines(text, header, faults)
    return PairsRun(
        _composed(pa.array(columns.word1, pa.string())),
        _composed(pa.array(columns.word2, pa.string())),
        np.array(columns.sim, dtype=np.float64),
        np.array(columns.line, dtype=np.int64),
    )


def repeated_with_other_values(run: PairsRun) -> RowNumbers:
    """The rows that a later row of the same pair overrules with another value, in file order."""
    if len(run.last_row) == len(run):
        return np.empty(0, dtype=np.int64)
    counted = run.sim[run.last_row[run.coded.indices.to_numpy()]]
    same = (run.sim == counted) | (np.isnan(run.sim) & np.isnan(counted))
    return np.flatnonzero(~same)


def _composed(words: pa.StringArray) -> pa.StringArray:
    """The words in NFC, by Python's tables whichever reader they come from."""
    texts = words.to_pylist()
    if all(is_normalized("NFC", text) for text in texts):
        return words
    return pa.array([normalize("NFC", text) for text in texts], pa.string())


def _last_rows(coded: pa.DictionaryArray) -> RowNumbers:
    rows = np.full(len(coded.dictionary), -1, dtype=np.int64)
    # Where an index is repeated, numpy keeps the last assignment.
    rows[coded.indices.to_numpy()] = np.arange(len(coded), dtype=np.int64)
    return rows


def _find(wanted: pa.StringArray, coded: pa.DictionaryArray, last_row: RowNumbers) -> RowNumbers:
    place = pc.index_in(wanted, value_set=coded.dictionary)
    rows = np.full(len(wanted), -1, dtype=np.int64)
    known = place.is_valid().to_numpy(zero_copy_only=False)
    rows[known] = last_row[place.drop_null().to_numpy()]
    return rows


def _ignored_columns(header: Header) -> tuple[Message, ...]:
    if not header.ignored:
        return ()
    names = ", ".join(header.ignored[:10]) + (", …" if len(header.ignored) > 10 else "")
    return (
        say_count(
            "The column {names} was ignored.",
            "The columns {names} were ignored.",
            len(header.ignored),
            names=names,
        ),
    )
