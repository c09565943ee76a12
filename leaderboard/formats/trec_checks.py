"""What can be said of a run that was read: remarks on its columns, and the check against public inputs.

Nothing here sees gold, so that no sentence tells which topics or documents are judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from leaderboard.contract import Message, say, say_count
from leaderboard.formats.cells import shown
from leaderboard.formats.faults import FaultList
from leaderboard.formats.trec_columns import TrecRun

_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class RunCheck:
    """What the check against the public inputs found."""

    faults: FaultList
    warnings: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()


def check_run(run: TrecRun, *, depth: int, topics: Sequence[str] | None, id_pattern: str | None) -> RunCheck:
    """Judges a run by the task's `depth` (most results per topic), public topic list and form of docnos.

    `id_pattern` is a regular expression that a whole docno has to match. Where it or the topic list is
    None, that part is left out.
    """
    faults = FaultList()
    _check_depth(run, depth, faults)
    notes = () if topics is None else _check_topics(run, topics, faults)
    return RunCheck(faults, _strange_ids(run, id_pattern), notes)


def remarks(run: TrecRun) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Warnings (ties, ranks that contradict scores) and notes (several tags) on the columns alone."""
    notes: tuple[Message, ...] = ()
    if len(run.tags) > 1:
        notes = (
            say_count(
                "The last column holds {count} tag: {tags}. It is read as one run.",
                "The last column holds {count} different tags: {tags}. They are read as one run.",
                len(run.tags),
                tags=_list(run.tags),
            ),
        )
    return _ties(run) + _contradictions(run), notes


def _check_depth(run: TrecRun, depth: int, faults: FaultList) -> None:
    counts = np.bincount(run.topic, minlength=len(run.topics))
    excess = np.flatnonzero(counts > depth)
    if not len(excess):
        return
    message = say_count(
        "{count} topic has more than {depth} results: {topics}. Keep the best {depth}.",
        "{count} topics have more than {depth} results: {topics}. Keep the best {depth} of each.",
        len(excess),
        depth=depth,
        topics=_first(f"{shown(run.topics[code])} ({counts[code]})" for code in excess),
    )
    faults.add(None, None, message, "too-deep")


def _check_topics(run: TrecRun, topics: Sequence[str], faults: FaultList) -> tuple[Message, ...]:
    known = frozenset(topics)
    unknown = [topic for topic in run.topics if topic not in known]
    if len(unknown) == len(run.topics):
        message = say(
            "None of the topics of this run is in the task's topic list. The run has {given}; "
            "the task has {expected}.",
            given=_list(run.topics),
            expected=_list(topics),
        )
        faults.add(None, None, message, "unknown-topics")
        return ()
    notes = []
    if unknown:
        notes.append(
            say_count(
                "{count} topic is not in the task's topic list and is left aside: {topics}.",
                "{count} topics are not in the task's topic list and are left aside: {topics}.",
                len(unknown),
                topics=_list(unknown),
            )
        )
    answered = frozenset(run.topics)
    missing = [topic for topic in dict.fromkeys(topics) if topic not in answered]
    if missing:
        notes.append(
            say_count(
                "{count} topic of the task has no results in this run: {topics}.",
                "{count} topics of the task have no results in this run: {topics}.",
                len(missing),
                topics=_list(missing),
            )
        )
    return tuple(notes)


def _strange_ids(run: TrecRun, id_pattern: str | None) -> tuple[Message, ...]:
    if id_pattern is None:
        return ()
    # A good run is left at its first docno; only one without any match is read to the end.
    matches = re.compile(id_pattern).fullmatch
    if any(matches(docno.as_py()) for docno in run.docnos):
        return ()
    return (
        say(
            "0 of {count} retrieved items have the form of this collection's ids. The first is {docno}. "
            "Is this a run on another collection, or on documents instead of passages?",
            count=len(run),
            docno=shown(str(run.docnos[0].as_py())),
        ),
    )


def _ties(run: TrecRun) -> tuple[Message, ...]:
    order = _score_order(run)
    topic, score = run.topic[order], run.score[order]
    equal = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    if not equal.any():
        return ()
    tied = np.zeros(len(score), dtype=bool)
    tied[1:] = equal
    tied[:-1] |= equal
    return (
        say(
            "{count} results share their score with another one of their topic (topics concerned: {topics}). "
            "Each measure orders them by docno, as its reference program does, and not by the rank column. "
            "Different scores would say which comes first.",
            count=int(tied.sum()),
            topics=len(np.unique(topic[tied])),
        ),
    )


def _contradictions(run: TrecRun) -> tuple[Message, ...]:
    """A rank contradicts a score where a result with the lower score has the better rank.

    With a topic sorted by score, and by rank among equal scores, there is such a pair exactly if two
    neighbours have falling ranks.
    """
    order = _score_order(run)
    order = order[~np.isnan(run.rank[order])]
    falls = _falls(run, order)
    if falls.any():
        # The file's order among equal scores need not follow the ranks.
        order = order[np.lexsort((run.rank[order], -run.score[order], run.topic[order]))]
        falls = _falls(run, order)
    at = np.flatnonzero(falls)
    if not len(at):
        return ()
    better, worse = int(order[at[0]]), int(order[at[0] + 1])
    return (
        say_count(
            "In {count} topic the ranks contradict the scores. Only the scores count. "
            "For example, in topic {topic} {docno} has rank {rank} and score {score}, "
            "but {other} has rank {other_rank} and score {other_score}.",
            "In {count} topics the ranks contradict the scores. Only the scores count. "
            "For example, in topic {topic} {docno} has rank {rank} and score {score}, "
            "but {other} has rank {other_rank} and score {other_score}.",
            len(np.unique(run.topic[order[at]])),
            topic=shown(run.topics[run.topic[better]]),
            docno=_docno(run, better),
            rank=f"{run.rank[better]:.15g}",
            score=float(run.score[better]),
            other=_docno(run, worse),
            other_rank=f"{run.rank[worse]:.15g}",
            other_score=float(run.score[worse]),
        ),
    )


def _falls(run: TrecRun, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    topic, rank = run.topic[order], run.rank[order]
    falls: NDArray[np.bool_] = (topic[1:] == topic[:-1]) & (rank[1:] < rank[:-1])
    return falls


def _score_order(run: TrecRun) -> NDArray[np.intp]:
    """Rows by topic and falling score; rows of equal score stay as they are in the file."""
    topic, score = run.topic, run.score
    # Most files are in this order already, and looking is ten times cheaper than sorting.
    rises = (topic[1:] == topic[:-1]) & (score[1:] > score[:-1])
    if not rises.any() and not (topic[1:] < topic[:-1]).any():
        return np.arange(len(score))
    return np.lexsort((-score, topic))


def _docno(run: TrecRun, row: int) -> str:
    return shown(str(run.docnos[int(run.docno[row])].as_py()))


def _list(names: Iterable[str]) -> str:
    """The first few names, long ones cut off, with dots where there are more."""
    return _first(map(shown, names))


def _first(words: Iterable[str]) -> str:
    first = list(islice(words, _NAMED + 1))
    return ", ".join(first[:_NAMED]) + (", …" if len(first) > _NAMED else "")
