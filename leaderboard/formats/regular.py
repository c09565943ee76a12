"""The fast way into columns: text with one delimiter on every line and nothing out of the ordinary.

Whatever is not plainly regular is declined, and left to a reader that goes line by line, knows every rule
of `leaderboard.formats.fields` and can name lines. Where this reader gives columns, they are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from leaderboard.contract import FloatArray
from leaderboard.formats.fields import MAX_LINE

TEXT = pa.string()
REPEATED = pa.dictionary(pa.int32(), pa.string())
NUMBER = pa.float64()

# One megabyte measured best on two cores: smaller blocks cost calls, larger ones leave a core idle.
_BLOCK = 1 << 20


def read_regular_table(content: bytes, types: Mapping[str, pa.DataType]) -> pa.Table | None:
    """The columns named in `types` (TEXT, REPEATED or NUMBER), in that order; None for an irregular text.

    `content` is UTF-8 without byte order mark. Regular means: fields separated by exactly one space each,
    or by exactly one TAB each; as many fields as `types` on every line that is not empty; lines ended by
    LF or CRLF and not overlong; numbers finite, or inf and nan, and without a leading ``+``.
    """
    delimiter = _delimiter(content)
    if delimiter is None or not _has_plain_lines(content):
        return None
    # Strictly decimal numbers, and nan and inf besides, are all that pyarrow takes for a float64.
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=dict(types), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    # An empty field is a doubled delimiter, or one at an end of a line. (pyarrow refuses empty numbers.)
    if not table.num_rows or any(_has_empty(table[name]) for name in types if types[name] != NUMBER):
        return None
    return table


def first_appearance(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """The different values of a column in order of first appearance, and each row's code into them."""
    is_encoded = pa.types.is_dictionary(column.type)
    encoded = column.unify_dictionaries() if is_encoded else column.dictionary_encode()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return encoded.chunk(0).dictionary, codes


def numbers(column: pa.ChunkedArray) -> FloatArray:
    """The values of a NUMBER column."""
    return cast(FloatArray, column.to_numpy())


def _delimiter(content: bytes) -> str | None:
    has_tab, has_space = b"\t" in content, b" " in content
    if has_tab == has_space:
        return None
    return "\t" if has_tab else " "


def _has_plain_lines(content: bytes) -> bool:
    # pyarrow drops a byte order mark of its own accord and takes a lone CR for a line end.
    if b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return False
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return False
    # A line longer than MAX_LINE covers at least one whole window of half its length.
    window = MAX_LINE // 2
    starts = range(0, len(content) - window + 1, window)
    return all(content.find(b"\n", start, start + window) >= 0 for start in starts)


def _has_empty(column: pa.ChunkedArray) -> bool:
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary for chunk in column.chunks])
    return bool(pc.min(pc.binary_length(column)).as_py() == 0)
