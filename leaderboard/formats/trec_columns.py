"""The columns of a TREC run, and what reading one found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leaderboard.contract import FloatArray, Message
from leaderboard.formats.faults import FaultList


@dataclass(frozen=True, slots=True, eq=False)
class TrecRun:
    """A run as it was sent, one entry per retrieved item, in the order of the file.

    `topics` holds each name once, in order of first appearance, and `topic` the code of every row into it.
    Row i retrieves ``docnos[docno[i]]``; a docno that several topics retrieve may stand in `docnos` once
    or several times, whichever was faster to read. `score` is finite. `rank` is the fourth column as
    given, nan where that is not a finite number: it never decides an order. `tags` are the different run
    names of the last column. No docno stands twice in a topic.
    """

    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    docnos: pa.Array
    docno: NDArray[np.int32]
    score: FloatArray
    rank: FloatArray
    tags: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True, slots=True, eq=False)
class ReadRun:
    """A run that could be read, or the faults why not; `warnings` and `notes` are sentences for its team."""

    run: TrecRun | None
    faults: FaultList
    warnings: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
