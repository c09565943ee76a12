"""Studies of the runs that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from leaderboard.analysis.samples import Sample
from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import fields, gold, parts
from leaderboard.services.boards import NoBoard
from leaderboard.services.rescoring import Progress
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.services.studies import Column, NotStudiable, Studied, Study, assess
from leaderboard.services.study_samples import Collected, drawn
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Task
from leaderboard.store.queries import Candidate
from leaderboard.store.session import Transaction

AT_ONCE = 200
"""So many runs are read at a time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs of a phase, by which measures: with `all_runs` every scored one that is neither withdrawn
    nor hidden, else those that have a place on some track. Where `only` has numbers, these of all runs."""

    phase: str
    columns: tuple[Column, ...]
    all_runs: bool
    seed: int
    only: tuple[int, ...] = ()


class Stored(Collected):
    """What is stored of a column by a version of its gold."""

    def __init__(self, column: Column, version: gold.Version, held: ExitStack) -> None:
        super().__init__(column, held)
        self.version = version

    def sample(self, seed: int) -> Sample | None:
        """The sample from values by topic. Topics of another part of the gold are none of the study."""
        return self.by_topic(seed, everywhere=False)


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
    with ExitStack() as held:
        with reading() as session:
            require_exact(known(session, spec.name), wanted.columns)
            runs = runs_of(session, spec, wanted)
            stored = [stored_column(session, spec, runs, column, held) for column in wanted.columns]
            versions = gold.active(session, spec)
            phase = queries.phase_named(session, known(session, spec.name).id, wanted.phase)
            how = None if phase is None else parts.how(session, phase)
        samples = [None if each is None else each.sample(wanted.seed) for each in stored]
        lacking = [
            each for each, sample in zip(stored, samples, strict=True) if each is not None and sample is None
        ]
        again: Mapping[str, Sample] = {}
        if lacking:
            benchmark = parts.shown(files, spec, scorer, versions, how)
            paths = (files.kept.path(file_hash) for file_hash in runs.hashes)
            again = drawn(spec, scorer, benchmark, paths, lacking, wanted.seed, progress, held)
        every = [
            sample or again.get(column.name) for column, sample in zip(wanted.columns, samples, strict=True)
        ]
        return assess(spec, wanted.columns, runs.studied, every, wanted.seed)


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
    session: Session,
    spec: TaskSpec,
    runs: Runs,
    column: Column,
    held: ExitStack,
    shown: Sequence[gold.Version] | None = None,
) -> Stored | None:
    """What is stored of a column by the gold of now, or that which is `shown` instead; None where a run has
    no such score. Raises NoGoldInstalled."""
    by = gold.active(session, spec) if shown is None else shown
    versions = {version.track: version for version in by}
    version = versions.get(column.track.name)
    if version is None:
        raise gold.NoGoldInstalled(spec)
    stored = Stored(column, version, held)
    for start in range(0, len(runs.ids), AT_ONCE):
        some = runs.ids[start : start + AT_ONCE]
        found = queries.scores_of_measure(session, some, version.id, column.measure)
        for run_id in some:
            if run_id not in found:
                return None
            value, packed = found[run_id]
            stored.add(value, None if packed is None else np.frombuffer(packed, PER_TOPIC))
    return stored
