"""Scores rankings of passages for conversational questions (TREC run files) against qrels.

`cast` and its further editions share this file; what differs stands in their ``task.toml`` under
``[options]``, see `Options`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from leaderboard.contract import (
    Fault,
    FloatArray,
    FormatError,
    Message,
    Report,
    Scores,
    TaskSpec,
    TrackScores,
    TrackSpec,
    say,
)
from leaderboard.formats.faults import Refused
from leaderboard.formats.qrels import read_qrels
from leaderboard.formats.topics import read_topics
from leaderboard.formats.trec_run import TrecRun, check_run, read_run
from leaderboard.formats.upload import unpack
from leaderboard.measures import external, names, ranking
from leaderboard.measures.pool import Pool, Qrels, make_pool
from leaderboard.scorers import Answers, Stratum

VERSION = "1"

LOOKED_AT = 20
"""So many results at the top of each topic are its answer when runs are compared with each other."""


@dataclass(frozen=True, slots=True)
class Options:
    """What ``[options]`` says.

    `depth` is the most results of a topic, `relevance_level` the least grade that is relevant for the
    binary measures; both have to be there, so that a misspelt key cannot score an edition by another's rules.
    `id_pattern` is a regular expression for whole docnos, or None.
    """

    depth: int
    relevance_level: int
    id_pattern: str | None


def options_of(spec: TaskSpec) -> Options:
    """The options of a task. Raises FormatError naming the key that is not in order."""
    pattern = spec.options.get("id_pattern")
    try:
        re.compile(pattern or "")
    except (re.error, TypeError) as error:
        message = say("options.id_pattern is no regular expression: {reason}.", reason=str(error))
        raise _in_declaration(message, "options") from error
    return Options(_whole(spec, "depth"), _whole(spec, "relevance_level"), pattern)


def _whole(spec: TaskSpec, key: str) -> int:
    value = spec.options.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        message = say("options.{key} is not there or no whole number of at least 1; write it so.", key=key)
        raise _in_declaration(message, "options")
    return value


def _in_declaration(message: Message, kind: str) -> FormatError:
    return FormatError("task.toml", (Fault(None, None, message, kind),))


def check(spec: TaskSpec, path: Path, inputs: Path | None) -> Report:
    """The form of a run file, and how it fits the public topic list and id pattern."""
    options = options_of(spec)
    try:
        unpacked = unpack(path)
        read = read_run(unpacked.content)
    except Refused as refused:
        return Report(None, refused.faults, len(refused.faults))
    notes = unpacked.notes + read.notes
    if read.run is None:
        return Report(None, tuple(read.faults.first), read.faults.count, read.warnings, notes)
    topics = _public_topics(spec, inputs)
    fit = check_run(
        read.run,
        depth=options.depth,
        topics=topics,
        id_pattern=options.id_pattern,
    )
    left_out = () if topics is not None else (_TOPICS_LEFT_OUT,)
    return Report(
        run=None if fit.faults.count else read.run,
        faults=tuple(fit.faults.first),
        fault_count=fit.faults.count,
        warnings=read.warnings + fit.warnings,
        notes=notes + fit.notes,
        left_out=left_out,
    )


_TOPICS_LEFT_OUT = say(
    "Whether the topics of this run are those of the task was not checked: the topic list is not at hand."
)


def _public_topics(spec: TaskSpec, inputs: Path | None) -> tuple[str, ...] | None:
    """The public topic list; None where no file of it is there."""
    listed = _listed(spec, "topics", inputs) if inputs is not None else None
    return None if listed is None else tuple(listed)


def questions(spec: TaskSpec, inputs: Path) -> Mapping[str, str]:
    """What each topic asks, in words that stand alone where there is such a file, else as it was said."""
    found: dict[str, str] = {}
    for name in ("topics", "resolved"):
        found |= _listed(spec, name, inputs) or {}
    return found


def _listed(spec: TaskSpec, name: str, inputs: Path) -> Mapping[str, str] | None:
    """Topics and questions of a public input; None where it is not there."""
    for declared in spec.inputs:
        file = inputs / declared.file
        if declared.name == name and file.is_file():
            return {topic.topic: topic.question for topic in read_topics(file)}
    return None


def template(spec: TaskSpec, inputs: Path | None) -> Iterator[str]:
    """Three made-up passages for each topic, to show the six fields."""
    for topic in _public_topics(spec, inputs) or ("31_1", "31_2"):
        for rank in (1, 2, 3):
            yield f"{topic} Q0 MARCO_{rank} {rank} {4.0 - rank} my-run"


def read_gold(spec: TaskSpec, files: Mapping[str, Path]) -> Pool:
    """The qrels of the given tracks, joined into one pool.

    Raises FormatError for what is wrong in a file, and for an option or a measure in task.toml that cannot
    be used.
    """
    options_of(spec)
    for name in files:
        track = spec.track(name)
        for text in track.measures:
            _require_measure(text)
        if track.missing:
            message = say(
                "A passage that a run lacks adds nothing here; leave out missing in {name}.", name=name
            )
            raise _in_declaration(message, "missing")
    return make_pool({name: _read_track(spec.track(name), path) for name, path in files.items()})


def parting(spec: TaskSpec, gold: Pool) -> Mapping[str, Mapping[str, Stratum]]:  # noqa: ARG001 - the contract's signature
    """Topics, alike by their best grade and then by how many passages have a positive one."""
    return {name: _topics_alike(gold, name) for name in gold.tracks}


def part(spec: TaskSpec, gold: Pool, kept: Set[str]) -> Pool:  # noqa: ARG001 - the contract's signature
    """The judged passages of these topics."""
    return gold.part(kept)


def _topics_alike(gold: Pool, track: str) -> Mapping[str, Stratum]:
    held = gold.tracks[track]
    best = np.zeros(len(held.topics))
    np.maximum.at(best, held.topic, held.value)
    positive = np.bincount(held.topic[held.value > 0], minlength=len(held.topics))
    return {topic: (float(best[code]), float(positive[code])) for code, topic in enumerate(held.topics)}


def _require_measure(text: str) -> None:
    measure = names.parse(text)
    owner = ranking if measure.name in ranking.MEASURES else external
    try:
        owner.require(measure)
    except ValueError as error:
        raise _in_declaration(say("{reason}.", reason=str(error)), "unknown-measure") from error


def _read_track(track: TrackSpec, path: Path) -> Qrels:
    graded = any(names.parse(text).name != "compat" for text in track.measures)
    file = read_qrels(path, integer_grades=graded)
    qrels = Qrels(file.topics, file.topic, file.docnos, file.docno, file.value)
    return qrels if track.at_least is None else _at_least(qrels, track.at_least)


def _at_least(qrels: Qrels, least: float) -> Qrels:
    """The items whose value is at least `least`; topics that keep none are no part of the track."""
    kept = qrels.value >= least
    codes, topic = np.unique(qrels.topic[kept], return_inverse=True)
    topics = tuple(qrels.topics[code] for code in codes)
    return Qrels(topics, topic, qrels.docnos, qrels.docno[kept], qrels.value[kept])


def score(spec: TaskSpec, run: TrecRun, gold: Pool) -> Scores:
    """Orders the run once, joins it with all gold once, and reads every measure off the ranks."""
    ranks = ranking.rank_rows(
        run.topic, run.score, lambda rows: run.docnos.take(pa.array(run.docno[rows])).to_pylist()
    )
    rows = gold.rows_of(run.topics, run.topic, run.docnos, run.docno)
    return {name: _score_track(spec, spec.track(name), run, gold, ranks, rows) for name in gold.tracks}


def _score_track(
    spec: TaskSpec, track: TrackSpec, run: TrecRun, gold: Pool, ranks: ranking.Ranks, rows: ranking.IntArray
) -> TrackScores:
    level = options_of(spec).relevance_level
    judged = gold.judged(track.name, rows, ranks, level)
    measures = {text: names.parse(text) for text in track.measures}
    per_topic = {
        text: ranking.evaluate(measure, judged)
        for text, measure in measures.items()
        if measure.name in ranking.MEASURES
    }
    outside = [text for text in measures if text not in per_topic]
    if outside:
        found = external.evaluate(
            [measures[text] for text in outside],
            gold.topics[track.name],
            _qrels_frame(gold, track.name),
            _run_frame(run, ranks),
            level,
        )
        per_topic |= dict(zip(outside, found, strict=True))
    topics = gold.topics[track.name]
    values = {text: _mean(per_topic[text]) for text in track.measures}
    return TrackScores(
        values=values,
        undefined={text: _NO_TOPIC for text, value in values.items() if np.isnan(value)},
        topics=topics,
        per_topic={text: per_topic[text] for text in track.measures},
        answered=len(set(topics) & set(run.topics)),
        total=len(topics),
    )


_NO_TOPIC: Message = say("No topic of this benchmark has an item with a positive value.")


def answers(spec: TaskSpec, run: TrecRun) -> Answers:  # noqa: ARG001 - the contract's signature
    """The first `LOOKED_AT` passages of each topic, in their order."""
    ranks = ranking.rank_rows(
        run.topic, run.score, lambda rows: run.docnos.take(pa.array(run.docno[rows])).to_pylist()
    ).descending
    rows = np.flatnonzero(ranks <= LOOKED_AT)
    rows = rows[np.lexsort((ranks[rows], run.topic[rows]))]
    names = run.docnos.take(pa.array(run.docno[rows])).to_pylist()
    hashed = pd.util.hash_array(np.array(names, dtype=object), categorize=False)
    topic = run.topic[rows]
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    # A sum of products modulo 2^64 depends on the order; the least of the hashes does not.
    with np.errstate(over="ignore"):
        odd = 2 * ranks[rows].astype(np.uint64) + np.uint64(1)
        exact = np.add.reduceat(hashed * odd, starts)
    return Answers(
        [run.topics[code] for code in topic[starts]], exact, items=np.minimum.reduceat(hashed, starts)
    )


def _mean(per_topic: FloatArray) -> float:
    """The mean over the topics that the measure counts; nan where it counts none."""
    counted = per_topic[~np.isnan(per_topic)]
    return float(counted.mean()) if counted.size else float("nan")


def _qrels_frame(gold: Pool, track: str) -> pd.DataFrame:
    topics, docnos, values = gold.items(track)
    return pd.DataFrame({"query_id": topics, "doc_id": docnos, "relevance": values.astype(np.int64)})


def _run_frame(run: TrecRun, ranks: ranking.Ranks) -> pd.DataFrame:
    """The run with scores made from its ranks, since trec_eval 9 would compare its own as 32-bit floats."""
    return pd.DataFrame(
        {
            "query_id": pa.DictionaryArray.from_arrays(run.topic, pa.array(run.topics)).to_pylist(),
            "doc_id": run.docnos.take(pa.array(run.docno)).to_pylist(),
            "score": -ranks.descending.astype(np.float64),
        }
    )
