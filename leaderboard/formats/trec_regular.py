"""The fast way to read a TREC run: one delimiter on every line, nothing out of the ordinary.

Whatever is not plainly regular is left to `leaderboard.formats.trec_lines`, which knows every rule and
can name lines; this reader never reports a fault. Where it does give columns they are the same.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from leaderboard.contract import FloatArray
from leaderboard.formats.trec_columns import MAX_LINE, TrecRun

_COLUMNS = ("topic", "Q0", "docno", "rank", "score", "tag")
_FEW = pa.dictionary(pa.int32(), pa.string())
_TYPES = (_FEW, _FEW, pa.string(), pa.float64(), pa.float64(), _FEW)
# One megabyte measured best on two cores: smaller blocks cost calls, larger ones leave a core idle.
_BLOCK = 1 << 20


def read_regular(content: bytes) -> TrecRun | None:
    """The columns of a regular run in UTF-8 without a byte order mark; None if it is not one.

    Regular means: fields separated by exactly one space each, or by exactly one TAB each; six fields on
    every line that is not empty; lines ended by LF or CRLF and not overlong; scores and ranks that are
    numbers without a leading ``+``; no docno twice in a topic.
    """
    delimiter = _delimiter(content)
    if delimiter is None or not _has_plain_lines(content):
        return None
    table = _parse(content, delimiter)
    if table is None or not _has_all_fields(table):
        return None
    score = _numbers(table, "score")
    if not np.isfinite(score).all():
        return None
    topics, topic = _encode(table, "topic")
    docnos, docno = _encode(table, "docno")
    if _has_duplicate(topic, docno, len(docnos)):
        return None
    rank = _numbers(table, "rank")
    rank = np.where(np.isfinite(rank), rank, np.nan)
    tags, _ = _encode(table, "tag")
    return TrecRun(tuple(topics.to_pylist()), topic, docnos, docno, score, rank, tuple(tags.to_pylist()))


def _delimiter(content: bytes) -> str | None:
    has_tab, has_space = b"\t" in content, b" " in content
    if has_tab == has_space:
        return None
    return "\t" if has_tab else " "


def _has_plain_lines(content: bytes) -> bool:
    # The CSV reader drops a byte order mark of its own accord and takes a lone CR for a line end.
    if b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return False
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return False
    # A line longer than MAX_LINE covers at least one whole window of half its length.
    window = MAX_LINE // 2
    starts = range(0, len(content) - window + 1, window)
    return all(content.find(b"\n", start, start + window) >= 0 for start in starts)


def _parse(content: bytes, delimiter: str) -> pa.Table | None:
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=list(_COLUMNS), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=dict(zip(_COLUMNS, _TYPES, strict=True)),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table if table.num_rows else None


def _has_all_fields(table: pa.Table) -> bool:
    # An empty field is a doubled delimiter, or one at an end of a line. Empty numbers are refused above.
    if pc.min(pc.binary_length(table["docno"])).as_py() == 0:
        return False
    return all("" not in _dictionary(table, column) for column in ("topic", "Q0", "tag"))


def _dictionary(table: pa.Table, column: str) -> list[str]:
    unified = table[column].unify_dictionaries()
    return cast(list[str], unified.chunk(0).dictionary.to_pylist())


def _encode(table: pa.Table, column: str) -> tuple[pa.Array, NDArray[np.int32]]:
    """The different values of a column in order of first appearance, and each row's code into them."""
    values = table[column]
    is_encoded = pa.types.is_dictionary(values.type)
    encoded = values.unify_dictionaries() if is_encoded else values.dictionary_encode()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return encoded.chunk(0).dictionary, codes


def _numbers(table: pa.Table, column: str) -> FloatArray:
    return cast(FloatArray, table[column].to_numpy())


def _has_duplicate(topic: NDArray[np.int32], docno: NDArray[np.int32], n_docnos: int) -> bool:
    items = topic.astype(np.int64) * n_docnos + docno
    items.sort()
    return bool((items[1:] == items[:-1]).any())
