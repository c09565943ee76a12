"""The fast way to read a TREC run; whatever is out of the ordinary is left to `trec_lines`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leaderboard.formats.regular import NUMBER, REPEATED, TEXT, first_appearance, numbers, read_regular_table
from leaderboard.formats.trec_columns import TrecRun

_TYPES = {
    "topic": REPEATED,
    "Q0": REPEATED,
    "docno": TEXT,
    "rank": NUMBER,
    "score": NUMBER,
    "tag": REPEATED,
}
_LARGE_TOPIC = 256


def read_regular(content: bytes) -> TrecRun | None:
    """The columns of a regular run (see `leaderboard.formats.regular`); None if it is not one.

    A run with a fault is none either, and one with ranks that are not numbers.
    """
    table = read_regular_table(content, _TYPES)
    if table is None:
        return None
    score = numbers(table["score"])
    if not np.isfinite(score).all():
        return None
    topics, topic = first_appearance(table["topic"])
    items = _docnos(table["docno"], topic, len(topics))
    if items is None:
        return None
    docnos, docno = items
    rank = numbers(table["rank"])
    rank = np.where(np.isfinite(rank), rank, np.nan)
    tags, _ = first_appearance(table["tag"])
    return TrecRun(tuple(topics.to_pylist()), topic, docnos, docno, score, rank, tuple(tags.to_pylist()))


def _docnos(
    column: pa.ChunkedArray, topic: NDArray[np.int32], n_topics: int
) -> tuple[pa.Array, NDArray[np.int32]] | None:
    """The docnos and each row's code into them; None where a topic has one twice."""
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    if len(starts) == n_topics and len(topic) >= _LARGE_TOPIC * n_topics:
        # Many hash tables that fit the processor's cache cost half the time of one that does not.
        docnos = column.combine_chunks()
        ends = [*starts[1:].tolist(), len(topic)]
        topics = (docnos.slice(start, end - start) for start, end in zip(starts.tolist(), ends, strict=True))
        if any(len(names.unique()) < len(names) for names in topics):
            return None
        return docnos, np.arange(len(topic), dtype=np.int32)
    docnos, docno = first_appearance(column)
    items = topic.astype(np.int64) * len(docnos) + docno
    items.sort()
    if (items[1:] == items[:-1]).any():
        return None
    return docnos, docno
