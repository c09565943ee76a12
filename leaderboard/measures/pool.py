"""The judged items of several tracks, so that a run is joined with all of them by docno at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaderboard.measures.ranking import FloatArray, IntArray, Judged, Ranks


@dataclass(frozen=True, slots=True)
class Qrels:
    """The gold of one track: item i of topic `topics[topic[i]]` is `docnos[docno[i]]` with `value[i]`.

    No topic holds a docno twice. `topics` are in the order of all per-topic arrays.
    """

    topics: tuple[str, ...]
    topic: NDArray[np.integer]
    docnos: pa.Array
    docno: NDArray[np.integer]
    value: FloatArray


@dataclass(frozen=True, slots=True)
class _Track:
    """A track's items sorted by topic and value descending, and where each stands in the pool."""

    topics: tuple[str, ...]
    topic: IntArray
    value: FloatArray
    entry: IntArray


@dataclass(frozen=True, slots=True)
class Pool:
    """All (topic, docno) items of some tracks, each once, ready to be looked up in runs.

    Make one with `make_pool`; it is worth keeping as long as the gold is, since it serves any run.
    """

    tracks: Mapping[str, _Track]
    topic_code: Mapping[str, int]
    docnos: pa.Array
    keys: IntArray

    @property
    def topics(self) -> dict[str, tuple[str, ...]]:
        """For each track its topics, in the order of the per-topic arrays."""
        return {name: track.topics for name, track in self.tracks.items()}

    def rows_of(
        self,
        topics: Sequence[str],
        topic: NDArray[np.integer],
        docnos: pa.Array,
        docno: NDArray[np.integer],
    ) -> IntArray:
        """For each item of the pool the row of the run that holds it, −1 where none does.

        The run is given as codes: row i retrieves ``docnos[docno[i]]`` for ``topics[topic[i]]``.
        """
        topic_code = np.array([self.topic_code.get(name, -1) for name in topics], dtype=np.int64)
        found = pc.index_in(docnos, value_set=self.docnos)
        docno_code = found.fill_null(-1).to_numpy(zero_copy_only=False)
        row_topic, row_docno = topic_code[topic], docno_code[docno]
        rows = np.flatnonzero((row_docno >= 0) & (row_topic >= 0))
        result = np.full(len(self.keys), -1, dtype=np.int64)
        if not len(self.keys) or not rows.size:
            return result
        wanted = row_topic[rows] * len(self.docnos) + row_docno[rows]
        entry = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        hit = self.keys[entry] == wanted
        result[entry[hit]] = rows[hit]
        return result

    def part(self, kept: Set[str]) -> Pool:
        """The pool of these topics alone; a track of which nothing is left has no topics."""
        return make_pool({name: self._qrels(track, kept) for name, track in self.tracks.items()})

    def _qrels(self, track: _Track, kept: Set[str]) -> Qrels:
        codes = [code for code, topic in enumerate(track.topics) if topic in kept]
        renumbered = np.full(len(track.topics), -1, dtype=np.int64)
        renumbered[codes] = np.arange(len(codes))
        rows = np.flatnonzero(renumbered[track.topic] >= 0)
        docno = self.keys[track.entry[rows]] % max(1, len(self.docnos))
        topics = tuple(track.topics[code] for code in codes)
        return Qrels(topics, renumbered[track.topic[rows]], self.docnos, docno, track.value[rows])

    def items(self, track: str) -> tuple[list[str], list[str], FloatArray]:
        """Topic, docno and value of every item of one track."""
        chosen = self.tracks[track]
        docno = self.docnos.take(pa.array(self.keys[chosen.entry] % len(self.docnos)))
        return [chosen.topics[code] for code in chosen.topic], docno.to_pylist(), chosen.value

    def judged(self, track: str, rows: IntArray, ranks: Ranks, relevance_level: float = 1.0) -> Judged:
        """The judged items of one track with their ranks in the run; `rows` comes from `rows_of`."""
        chosen = self.tracks[track]
        row = rows[chosen.entry]
        return Judged(
            topic_count=len(chosen.topics),
            topic=chosen.topic,
            value=chosen.value,
            rank=np.where(row >= 0, ranks.descending[row], 0),
            rank_ascending=np.where(row >= 0, ranks.ascending[row], 0),
            relevance_level=relevance_level,
        )


def make_pool(tracks: Mapping[str, Qrels]) -> Pool:
    """Unites the gold of the given tracks."""
    topics = tuple(dict.fromkeys(name for qrels in tracks.values() for name in qrels.topics))
    topic_code = {name: code for code, name in enumerate(topics)}
    docnos = pc.unique(pa.chunked_array([qrels.docnos for qrels in tracks.values()], type=pa.string()))
    keys_of = {name: _keys(qrels, topic_code, docnos) for name, qrels in tracks.items()}
    keys = np.unique(np.concatenate([*keys_of.values(), np.empty(0, dtype=np.int64)]))
    return Pool(
        tracks={name: _sorted_track(qrels, keys_of[name], keys) for name, qrels in tracks.items()},
        topic_code=topic_code,
        docnos=docnos,
        keys=keys,
    )


def _keys(qrels: Qrels, topic_code: Mapping[str, int], docnos: pa.Array) -> IntArray:
    """One number for each item: its topic and docno as the pool counts them."""
    pool_topic = np.array([topic_code[name] for name in qrels.topics], dtype=np.int64)
    pool_docno = pc.index_in(qrels.docnos, value_set=docnos).to_numpy(zero_copy_only=False)
    keys: IntArray = pool_topic[qrels.topic] * len(docnos) + pool_docno[qrels.docno]
    return keys


def _sorted_track(qrels: Qrels, keys: IntArray, pool_keys: IntArray) -> _Track:
    order = np.lexsort((-qrels.value, qrels.topic))
    return _Track(
        topics=qrels.topics,
        topic=qrels.topic[order].astype(np.int64),
        value=qrels.value[order],
        entry=np.searchsorted(pool_keys, keys[order]),
    )
