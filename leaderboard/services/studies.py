"""Studies of measures: how many pairs of runs each tells apart, and how alike they rank the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.analysis.samples import Sample
from leaderboard.analysis.study import Assessed, study
from leaderboard.contract import Message, TaskSpec, TrackSpec, say
from leaderboard.measures.names import parse
from leaderboard.services.errors import ServiceError

SEED = 1
"""What a study draws by where nobody says otherwise."""


class NotStudiable(ServiceError):
    """There is nothing to study: no such measure, fewer than two runs, or no way to compare them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A measure on a track."""

    track: TrackSpec
    measure: str

    @property
    def name(self) -> str:
        """How options and files call it."""
        return f"{self.track.name}:{self.measure}"

    @property
    def higher_is_better(self) -> bool:
        """The direction of the measure on the track."""
        return self.track.more_is_better(self.measure)


@dataclass(frozen=True, slots=True)
class Studied:
    """A run of a study. `team` is what the reader may call it; `run_id` None where it lies in a folder."""

    name: str
    team: str = ""
    run_id: int | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """What came out: `assessed` has an element for each of `columns`, its values in the order of `runs`.

    The first column is the baseline that the agreement of the others is measured by. `left_out` are those
    asked for by which runs cannot be compared.
    """

    task: str
    columns: tuple[Column, ...]
    runs: tuple[Studied, ...]
    assessed: tuple[Assessed, ...]
    seed: int
    left_out: tuple[Column, ...] = ()

    @property
    def pairs(self) -> int:
        return len(self.runs) * (len(self.runs) - 1) // 2


def default_columns(spec: TaskSpec) -> tuple[Column, ...]:
    """What ranks on some track, on every track that has it: the first track's own measure first.

    For CAsT: nDCG@3 on graded, then compat(p=0.8) on graded, combined, top5 and best.
    """
    ranking = dict.fromkeys(track.primary for track in spec.tracks)
    return tuple(
        Column(track, measure) for measure in ranking for track in spec.tracks if measure in track.measures
    )


def columns_of(spec: TaskSpec, wanted: Sequence[str]) -> tuple[Column, ...]:
    """The columns that somebody asks for as ``TRACK:MEASURE``, or as ``MEASURE`` on every track that has it.

    Without any, `default_columns`. A measure that the task does not declare for the track is let through
    where a track is named: whoever scores knows whether there is such a one. Raises NotStudiable.
    """
    if not wanted:
        return default_columns(spec)
    found: dict[str, Column] = {}
    for text in wanted:
        for column in _columns(spec, text):
            found.setdefault(column.name, column)
    return tuple(found.values())


def _columns(spec: TaskSpec, text: str) -> tuple[Column, ...]:
    name, colon, said = text.rpartition(":")
    try:
        measure = str(parse(said))
    except ValueError as error:
        raise NotStudiable(say("{why}.", why=str(error))) from error
    if not colon:
        having = tuple(Column(track, measure) for track in spec.tracks if measure in track.measures)
        if having:
            return having
        raise NotStudiable(
            say(
                "No track of {task} has the measure {measure}; write TRACK:MEASURE to name a track.",
                task=spec.name,
                measure=measure,
            )
        )
    try:
        return (Column(spec.track(name), measure),)
    except KeyError:
        raise NotStudiable(say("The task {task} has no track {track}.", task=spec.name, track=name)) from None


def assess(
    spec: TaskSpec,
    columns: Sequence[Column],
    runs: Sequence[Studied],
    samples: Sequence[Sample | None],
    seed: int,
) -> Study:
    """The study of samples of these runs, one a column, None for one that they cannot be compared by.

    Raises NotStudiable for fewer than two runs, and where they can be compared by none.
    """
    if len(runs) < 2:
        raise NotStudiable(
            say("A study compares runs, and here is {count}; at least two are needed.", count=len(runs))
        )
    there = [(column, sample) for column, sample in zip(columns, samples, strict=True) if sample is not None]
    left_out = tuple(column for column, sample in zip(columns, samples, strict=True) if sample is None)
    if not there:
        raise NotStudiable(not_comparable(left_out[0]))
    assessed = study([sample for _, sample in there], [column.higher_is_better for column, _ in there])
    return Study(spec.name, tuple(column for column, _ in there), tuple(runs), assessed, seed, left_out)


def not_comparable(column: Column) -> Message:
    """Why there is no sample of a measure."""
    return say(
        "Runs cannot be compared by {measure} on {track}: it is not stored for all of them, or it has no "
        "values by topic and the task's scorer cannot resample it.",
        measure=column.measure,
        track=column.track.name,
    )
