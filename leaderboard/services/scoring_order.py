"""Scoring one run, for whoever does it: what it needs, what it gives, and the work between. No database is
needed, so that a process which only scores starts in a moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from leaderboard.analysis.public_values import BY_UNIT
from leaderboard.contract import FloatArray, Gold, Message, Report, Scorer, Scores, TaskSpec, TrackScores, say
from leaderboard.services import samples
from leaderboard.services.gold_reading import Version, read_at
from leaderboard.services.parting import How, Units, divided

ByUnit = Mapping[str, FloatArray]
"""By track, what the primary measure says of a run on each unit, where its scores have none by topic."""

_OURS = say("The scorer broke on this run. The fault is ours; it can be scored again once it is mended.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """The scores of a run on these gold versions, or why there are none.

    `failure` is for everybody; `detail` may speak of gold and is for organisers only. `broke`: the scoring
    broke its limits of time or memory, or ended its process, which may go better another time. Where
    the phase parts its gold, `scores` are on the public part, `private` on the other, and `units` say which
    is which. `public_values` is how what everybody is told was made when they were computed, and `by_unit`
    what runs are compared by where that needs it.
    """

    run_id: int
    versions: tuple[Version, ...]
    report: Report | None
    scores: Scores | None
    failure: Message | None = None
    detail: str | None = None
    broke: bool = False
    private: Scores | None = None
    units: Units | None = None
    public_values: Mapping[str, str] = field(default_factory=dict)
    by_unit: ByUnit = field(default_factory=dict)

    def without_run(self) -> Prepared:
        """The same without the columns of the run, which may be large."""
        return self if self.report is None else replace(self, report=replace(self.report, run=None))


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that scoring a run needs, whoever does it: files on this machine, in `before` the run and
    the versions of gold, in `how` the way its phase parts that."""

    spec: TaskSpec
    path: Path
    folder: Path | None
    gold: Mapping[str, Path]
    before: Prepared
    how: How | None = None


def carry_out(order: Order, scorer: Scorer) -> Prepared:
    """Computes the scores of a run, here and now."""
    before = order.before
    benchmark = read_at(order.gold, order.spec, scorer, before.versions)
    if order.how is None:
        found = _compute(order.spec, scorer, order.path, order.folder, benchmark, before)
        return _by_unit(order, scorer, benchmark, found)
    parted = divided(benchmark, order.spec, scorer, before.versions, order.how)
    found = _compute(order.spec, scorer, order.path, order.folder, parted.public, before)
    if found.scores is None:
        return found
    again = replace(before, report=found.report)
    private = _compute(order.spec, scorer, order.path, order.folder, parted.private, again)
    if private.scores is None:
        return private
    found = _by_unit(order, scorer, parted.public, found)
    return replace(found, private=private.scores, units=parted.units)


def _compute(
    spec: TaskSpec, scorer: Scorer, path: Path, folder: Path | None, benchmark: Any, before: Prepared
) -> Prepared:
    """The scores, or as failure whatever the task's own code has raised: its faults must not stop ours."""
    run_id, versions, report = before.run_id, before.versions, before.report
    try:
        if report is None or (report.accepted and report.run is None):
            report = scorer.check(spec, path, folder)
        if not report.accepted:
            why = str(report.faults[0]) if report.faults else ""
            return Prepared(
                run_id, versions, report, None, say("The file is no longer accepted: {why}", why=why)
            )
        scores = in_order_of_gold(scorer.score(spec, report.run, benchmark), versions)
    except MemoryError as error:
        much = say("Scoring it needed more memory than it may have.")
        return Prepared(run_id, versions, None, None, much, f"{type(error).__name__}: {error}", broke=True)
    except Exception as error:
        return Prepared(run_id, versions, report, None, _OURS, f"{type(error).__name__}: {error}")
    return Prepared(run_id, versions, report, scores)


def _by_unit(order: Order, scorer: Scorer, benchmark: Gold, found: Prepared) -> Prepared:
    """With what the run is compared by to others of its team, on tracks whose public values need that."""
    if found.scores is None or found.report is None:
        return found
    wanted = [
        track
        for track in order.spec.tracks
        if order.before.public_values.get(track.name) == BY_UNIT
        and track.name in found.scores
        and not found.scores[track.name].topics
    ]
    run = found.report.run
    try:
        units = {track.name: samples.by_unit(order.spec, scorer, benchmark, track, run) for track in wanted}
    except Exception as error:
        return replace(found, scores=None, failure=_OURS, detail=f"{type(error).__name__}: {error}")
    return replace(found, by_unit={name: each for name, each in units.items() if each is not None})


def in_order_of_gold(scores: Scores, versions: tuple[Version, ...]) -> Scores:
    """The scores with values by topic in the order of the gold, nan for topics of another part of it.

    Raises ValueError where they are not of its form.
    """
    for version in versions:
        if version.track not in scores:
            raise ValueError(f"no scores for the track {version.track}")
    topics = {version.track: version.topics for version in versions}
    return {name: _spread(name, track, topics.get(name, ())) for name, track in scores.items()}


def _spread(name: str, track: TrackScores, topics: tuple[str, ...]) -> TrackScores:
    if not track.per_topic:
        return track
    order = {topic: row for row, topic in enumerate(topics)}
    if not set(track.topics) <= set(order):
        raise ValueError(f"the topics of {name} are not those of the gold")
    rows = [order[topic] for topic in track.topics]
    if rows != sorted(rows):
        raise ValueError(f"the topics of {name} are not those of the gold")
    by_topic = {}
    for measure, values in track.per_topic.items():
        if len(values) != len(rows):
            raise ValueError(f"{measure} on {name} has {len(values)} per-topic values")
        by_topic[measure] = np.full(len(topics), np.nan)
        by_topic[measure][rows] = values
    return replace(track, topics=topics, per_topic=by_topic)
