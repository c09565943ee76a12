"""One pass over the counted runs of a task: their weighted means, and what these score.

Runs are read one after the other. The values of each go to a temporary file, to tell what it brought: memory
grows with the pairs alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leaderboard.contract import FloatArray, Gold, PairScorer, Report, TaskSpec, say
from leaderboard.resources.mj import WEIGHTINGS, Combination, Pair, Scale, TrackValues, weights_of
from leaderboard.resources.rows import Arranged, Rows, RowsOnDisk
from leaderboard.services import mj_shares
from leaderboard.services.errors import ServiceError
from leaderboard.services.mj_plans import CountedRun, NotBuildable, Plan, TrackPlan
from leaderboard.services.mj_shares import Evaluate, TrackShares
from leaderboard.services.rescoring import Progress
from leaderboard.store.files import FileMissing, Files

Values = Mapping[str, float | None]
"""Track to the value of its primary measure, None where undefined."""


class RunUnusable(ServiceError):
    """A counted run cannot be read any more."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best single run of a track."""

    run_id: int
    name: str
    team: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Table3:
    """The best single run of each track beside the combinations, each by weighting and track."""

    best: Mapping[str, Best]
    combined: Mapping[str, Values]


@dataclass(frozen=True, eq=False)
class Combined:
    """All weightings of all tracks."""

    tracks: Mapping[str, tuple[TrackValues, ...]]
    table: Table3
    shares: Mapping[str, TrackShares]


def combine(
    files: Files,
    spec: TaskSpec,
    scorer: PairScorer,
    plan: Plan,
    benchmark: Gold,
    folder: Path,
    progress: Progress,
    shown: Gold | None = None,
) -> Combined:
    """Reads each run of the plan once and adds it to the three weightings of every track it counts on.

    `folder` has the public inputs, `benchmark` the gold of `plan.versions`, `shown` the part of it that the
    combinations are scored by (None: all of it). Of tracks that tell less than exact values they are not
    scored: a combination of one run, or of one and constant ones, has the value of that run. Raises
    RunUnusable, and NotBuildable where the public list of pairs is not among the inputs.
    """
    pairs = scorer.pairs(benchmark)
    exact = {track.track for track in plan.tracks if track.told is None}
    evaluate = _evaluation(spec, scorer, pairs, benchmark if shown is None else shown, exact)
    with ExitStack() as stack:
        gathered = _Gathered(plan, pairs, stack)
        for done, run in enumerate(plan.runs):
            progress(done, len(plan.runs))
            report = _read(files, spec, scorer, run, folder)
            scale = Scale.of(_given(spec, scorer, report, folder))
            gathered.add(run, scale, scorer.values(spec, report.run, benchmark))
        progress(len(plan.runs), len(plan.runs))
        shares = {
            track.track: mj_shares.of_track(evaluate, track, plan.weighting, gathered.in_order(track))
            for track in plan.tracks
        }
    tracks = {
        weighting: tuple(
            _values(track, pairs, gathered.sums[track.track, weighting]) for track in plan.tracks
        )
        for weighting in WEIGHTINGS
    }
    combined = {weighting: _line(evaluate, found) for weighting, found in tracks.items()}
    return Combined(tracks, Table3(_best(plan), combined), shares)


class _Gathered:
    """What is kept of the runs read so far: their weighted sums, and their values in temporary files."""

    def __init__(self, plan: Plan, pairs: Mapping[str, Sequence[Pair]], stack: ExitStack) -> None:
        self._weights = _weights(plan)
        self._kept = {
            track.track: stack.enter_context(RowsOnDisk(len(pairs[track.track]))) for track in plan.tracks
        }
        self._rows: dict[tuple[str, int], int] = {}
        self.sums = {
            (track, weighting): Combination(len(pairs[track]))
            for track in self._kept
            for weighting in WEIGHTINGS
        }

    def add(self, run: CountedRun, scale: Scale, values: Mapping[str, FloatArray]) -> None:
        """Adds a run to the three weightings of every track it counts on."""
        for track, kept in self._kept.items():
            if (run.run_id, track, "rank") not in self._weights:
                continue
            scaled = scale.apply(values[track])
            self._rows[track, run.run_id] = len(kept)
            kept.append(scaled)
            for weighting in WEIGHTINGS:
                self.sums[track, weighting].add(scaled, self._weights[run.run_id, track, weighting])

    def in_order(self, track: TrackPlan) -> Rows:
        """The values of the runs of a track, in the order of the plan."""
        return Arranged(self._kept[track.track], [self._rows[track.track, run.run_id] for run in track.runs])


def _evaluation(
    spec: TaskSpec,
    scorer: PairScorer,
    pairs: Mapping[str, Sequence[Pair]],
    shown: Gold,
    exact: Collection[str],
) -> Evaluate:
    """Scores values of `pairs` by those of them that `shown` has, on tracks that tell exact values."""
    of_pair = {track: {pair: place for place, pair in enumerate(known)} for track, known in pairs.items()}
    places = {
        track: np.array([of_pair[track][pair] for pair in found], dtype=np.intp)
        for track, found in scorer.pairs(shown).items()
    }

    def evaluate(track: str, values: FloatArray) -> float:
        return scorer.evaluate(spec, track, values[places[track]], shown) if track in exact else math.nan

    return evaluate


def _line(evaluate: Evaluate, tracks: Sequence[TrackValues]) -> Values:
    values = {track.track: evaluate(track.track, track.mj) for track in tracks}
    return {track: None if math.isnan(value) else float(value) for track, value in values.items()}


def _values(track: TrackPlan, pairs: Mapping[str, Sequence[Pair]], combination: Combination) -> TrackValues:
    runs = frozenset(str(run.run_id) for run in track.runs)
    return TrackValues(track.track, pairs[track.track], combination.mj, combination.paper_sum, runs)


def _weights(plan: Plan) -> Mapping[tuple[int, str, str], float]:
    """By run, track and weighting."""
    return {
        (run.run_id, track.track, weighting): float(weight)
        for track in plan.tracks
        for weighting in WEIGHTINGS
        for run, weight in zip(
            track.runs, weights_of([run.place for run in track.runs], weighting), strict=True
        )
    }


def _read(files: Files, spec: TaskSpec, scorer: PairScorer, run: CountedRun, folder: Path) -> Report:
    try:
        report = scorer.check(spec, files.kept.path(run.file_hash), folder)
    except FileMissing as missing:
        message = say(
            "The file of run {run} ({team}) is missing from the storage; restore it from a backup.",
            run=run.run_id,
            team=run.team,
        )
        raise RunUnusable(message) from missing
    if not report.accepted:
        message = say(
            "Run {run} ({team}) is no longer accepted: {why} Score the runs again with `rescore {task}`.",
            run=run.run_id,
            team=run.team,
            why=str(report.faults[0]) if report.faults else "",
            task=spec.name,
        )
        raise RunUnusable(message)
    return report


def _given(spec: TaskSpec, scorer: PairScorer, report: Report, folder: Path) -> FloatArray:
    try:
        return scorer.given(spec, report.run, folder)
    except OSError as error:
        raise no_list(spec) from error


def no_list(spec: TaskSpec) -> NotBuildable:
    """The public list of pairs is not there."""
    return NotBuildable(
        say(
            "The public list of pairs of {task} is not installed, and runs are brought to one scale by it; "
            "run `inputs install {task} DIR` first.",
            task=spec.name,
        )
    )


def _best(plan: Plan) -> Mapping[str, Best]:
    firsts = {track.track: track.runs[0] for track in plan.tracks}
    return {track: Best(run.run_id, run.name, run.team, run.value) for track, run in firsts.items()}
