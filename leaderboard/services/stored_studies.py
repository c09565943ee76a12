"""Studies of the runs that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from leaderboard.analysis.samples import ByUnit, Drawn, Sample
from leaderboard.contract import Gold, Scorer, TaskSpec, say
from leaderboard.services import fields, gold, parts
from leaderboard.services.boards import NoBoard
from leaderboard.services.rescoring import Progress
from leaderboard.services.samples import drawing, is_mean
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.services.studies import Column, NotStudiable, Studied, Study, assess
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Task
from leaderboard.store.queries import Candidate
from leaderboard.store.session import Transaction


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs of a phase, by which measures: with `all_runs` every scored one that is neither withdrawn
    nor hidden, else those that have a place on some track. Where `only` has numbers, these of all runs."""

    phase: str
    columns: tuple[Column, ...]
    all_runs: bool
    seed: int
    only: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Stored:
    """What is stored of a column: a value of each run, and where there are some, runs × topics."""

    column: Column
    version: gold.Version
    values: tuple[float | None, ...]
    by_topic: np.ndarray | None


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a study in the order of all their values, and the hash of each one's file."""

    studied: tuple[Studied, ...]
    hashes: tuple[str, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(run.run_id for run in self.studied if run.run_id is not None)


def study_stored(
    reading: Transaction, files: Files, spec: TaskSpec, scorer: Scorer, wanted: Wanted, progress: Progress
) -> Study:
    """A study of stored runs, for organisers. Where a measure has no values by topic the files of the runs
    are read again. Raises NotStudiable, NoBoard, NoGoldInstalled, FileMissing."""
    with reading() as session:
        require_exact(known(session, spec.name), wanted.columns)
        runs = runs_of(session, spec, wanted)
        stored = [stored_column(session, spec, runs, column) for column in wanted.columns]
        versions = gold.active(session, spec)
        phase = queries.phase_named(session, known(session, spec.name).id, wanted.phase)
        how = None if phase is None else parts.how(session, phase)
    by_topic = [None if each is None else sample_by_topic(each, wanted.seed) for each in stored]
    lacking = [
        each for each, sample in zip(stored, by_topic, strict=True) if each is not None and sample is None
    ]
    drawn: Mapping[str, Sample] = {}
    if lacking:
        benchmark = parts.shown(files, spec, scorer, versions, how)
        drawn = _drawn(files, spec, scorer, benchmark, runs, lacking, wanted.seed, progress)
    samples = [
        sample or drawn.get(column.name) for column, sample in zip(wanted.columns, by_topic, strict=True)
    ]
    return assess(spec, wanted.columns, runs.studied, samples, wanted.seed)


def require_exact(task: Task, columns: Sequence[Column]) -> None:
    """Makes sure that nothing is studied of which less is told than exact values: how they vary would say
    where they lie. Raises NotStudiable."""
    for column in columns:
        if column.track.name in task.public_values:
            raise NotStudiable(
                say(
                    "Everybody is told less than exact values of the track {track}, so there is no study of "
                    "it. Choose measures of other tracks, or study files with the benchmark at hand.",
                    track=column.track.name,
                )
            )


def runs_of(
    session: Session,
    spec: TaskSpec,
    wanted: Wanted,
    teams: Mapping[int, str] | None = None,
    among: Collection[int] | None = None,
) -> Runs:
    """The runs asked for, the oldest first; those that are `among` these, where it is given.

    `teams` says what to call them, by number; by default what they call themselves, which is for organisers.
    Raises NoBoard where there is no such phase, NotStudiable for a number that none of them has.
    """
    candidates = _candidates(session, spec, wanted.phase)
    if among is not None:
        candidates = [run for run in candidates if run.run_id in among]
    if wanted.only:
        candidates = _only(candidates, wanted.only)
    elif not wanted.all_runs:
        field = fields.field(session, spec, wanted.phase)
        placed = {line.run_id for lines in field.values() for line in lines}
        candidates = [run for run in candidates if run.run_id in placed]
    names = queries.names_of_runs(session, [run.run_id for run in candidates])
    return Runs(_called(candidates, names, teams or {}), tuple(run.file_hash for run in candidates))


def numbers_of(session: Session, spec: TaskSpec, phase: str, wanted: Sequence[str]) -> tuple[int, ...]:
    """The numbers of runs that somebody calls by name, or by number.

    Raises NoBoard where there is no such phase, NotStudiable for a name that no run has, or several have.
    """
    candidates = _candidates(session, spec, phase)
    names = queries.names_of_runs(session, [run.run_id for run in candidates])
    return tuple(dict.fromkeys(_number(names, text, phase) for text in wanted))


def _number(names: Mapping[int, str], text: str, phase: str) -> int:
    having = [run_id for run_id, name in names.items() if name == text]
    if not having and text.isascii() and text.isdigit() and int(text) in names:
        return int(text)
    if not having:
        raise NotStudiable(
            say("No scored run of the phase {phase} has the name or number {run}.", phase=phase, run=text)
        )
    if len(having) > 1:
        raise NotStudiable(
            say(
                "Several runs are called {run}; name one by its number: {numbers}.",
                run=text,
                numbers=", ".join(map(str, having)),
            )
        )
    return having[0]


def _candidates(session: Session, spec: TaskSpec, name: str) -> Sequence[Candidate]:
    phase = queries.phase_named(session, known(session, spec.name).id, name)
    if phase is None:
        raise NoBoard(say("The task {task} has no phase {phase}.", task=spec.name, phase=name))
    return queries.candidates(session, phase.id)


def _only(candidates: Sequence[Candidate], numbers: Sequence[int]) -> Sequence[Candidate]:
    unknown = set(numbers) - {run.run_id for run in candidates}
    if unknown:
        raise NotStudiable(
            say(
                "There is no run {run} in this phase that could be studied. Choose among those listed.",
                run=min(unknown),
            )
        )
    return [run for run in candidates if run.run_id in set(numbers)]


def _called(
    candidates: Sequence[Candidate], names: Mapping[int, str], teams: Mapping[int, str]
) -> tuple[Studied, ...]:
    """Runs by their names; where two have the same, with their numbers."""
    times = Counter(names[run.run_id] for run in candidates)
    return tuple(
        Studied(
            names[run.run_id] if times[names[run.run_id]] == 1 else f"{names[run.run_id]} ({run.run_id})",
            teams.get(run.team_id, run.team),
            run.run_id,
        )
        for run in candidates
    )


def stored_column(
    session: Session, spec: TaskSpec, runs: Runs, column: Column, shown: Sequence[gold.Version] | None = None
) -> Stored | None:
    """What is stored of a column by the gold of now, or that which is `shown` instead; None where a run has
    no such score. Raises NoGoldInstalled."""
    by = gold.active(session, spec) if shown is None else shown
    versions = {version.track: version for version in by}
    version = versions.get(column.track.name)
    if version is None:
        raise gold.NoGoldInstalled(spec)
    found = queries.scores_of_measure(session, runs.ids, version.id, column.measure)
    if any(run_id not in found for run_id in runs.ids):
        return None
    scores = [found[run_id] for run_id in runs.ids]
    rows = [np.frombuffer(packed, PER_TOPIC) for _, packed in scores if packed is not None]
    whole = len(rows) == len(scores) > 0
    return Stored(column, version, tuple(value for value, _ in scores), np.array(rows) if whole else None)


def sample_by_topic(stored: Stored, seed: int) -> Sample | None:
    """The sample from values by topic, where they are what the runs' values are means of."""
    if stored.by_topic is None or not is_mean(stored.values, stored.by_topic):
        return None
    matrix = stored.by_topic.astype(np.float64)
    # Topics of another part of the gold are none of the study.
    return ByUnit(matrix[:, ~np.isnan(matrix).all(axis=0)], seed)


def _drawn(
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    benchmark: Gold,
    runs: Runs,
    lacking: Sequence[Stored],
    seed: int,
    progress: Progress,
) -> Mapping[str, Sample]:
    """Samples that the scorer can draw, by the name of their column. Each run is read once."""
    ways = {}
    for each in lacking:
        column = each.column
        way = drawing(spec, scorer, benchmark, column.track.name, column.measure, seed)
        if way is not None:
            ways[column.name] = way
    resampled: dict[str, list[np.ndarray]] = {name: [] for name in ways}
    for done, file_hash in enumerate(runs.hashes):
        progress(done, len(runs.hashes))
        report = scorer.check(spec, files.kept.path(file_hash), None)
        for name, way in ways.items():
            resampled[name].append(way.of(report.run))
    progress(len(runs.hashes), len(runs.hashes))
    return {
        each.column.name: Drawn(
            np.array([np.nan if value is None else value for value in each.values]),
            np.array(resampled[each.column.name]).reshape(len(runs.hashes), -1),
            ways[each.column.name].units,
        )
        for each in lacking
        if each.column.name in ways
    }
