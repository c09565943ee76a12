"""Studies of runs that lie in a folder, with no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from leaderboard.analysis.samples import ByUnit, Drawn, Sample
from leaderboard.contract import Gold, Message, Scorer, Scores, TaskSpec, say
from leaderboard.services.mj_files import gold_in
from leaderboard.services.rescoring import Progress
from leaderboard.services.samples import drawing, is_mean
from leaderboard.services.studies import Column, NotStudiable, Studied, Study, assess

_PACKED = (".gz", ".zip")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file of the folder that is no run of the task, with the first reason."""

    name: str
    reason: Message


@dataclass(frozen=True, eq=False)
class _Read:
    """A run as the scorer has read and scored it."""

    name: str
    run: Any
    scores: Scores


def study_folder(
    spec: TaskSpec,
    scorer: Scorer,
    gold: Path,
    runs: Path,
    columns: Sequence[Column],
    seed: int,
    progress: Progress,
    only: Sequence[str] = (),
) -> tuple[Study, tuple[LeftOut, ...]]:
    """A study of all runs in a folder, or `only` some of them, by the gold of another, and the files that are
    no runs.

    Runs are called by their files. Raises FilesMissing, FormatError (for gold, and a measure that there is
    not), NotStudiable.
    """
    wanted = _declaring(spec, columns)
    files = _files(runs, only)
    benchmark = gold_in(wanted, scorer, gold)
    found, left_out = _read_all(wanted, scorer, benchmark, files, progress)
    samples = [_sample(wanted, scorer, benchmark, found, column, seed) for column in columns]
    named = [Studied(each.name) for each in found]
    return assess(spec, columns, named, samples, seed), tuple(left_out)


def _declaring(spec: TaskSpec, columns: Sequence[Column]) -> TaskSpec:
    """The task with the tracks and measures of the columns alone, also those it does not declare."""
    tracks = []
    for track in spec.tracks:
        measures = tuple(column.measure for column in columns if column.track.name == track.name)
        if measures:
            primary = track.primary if track.primary in measures else measures[0]
            tracks.append(replace(track, measures=measures, primary=primary))
    return replace(spec, tracks=tuple(tracks))


def _files(folder: Path, only: Sequence[str]) -> Sequence[Path]:
    """The files of the folder, or those that are called so, with or without what their names end in."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not only:
        return files
    for name in only:
        if not any(name in (path.name, _name(path)) for path in files):
            raise NotStudiable(say("There is no run {run} in {folder}.", run=name, folder=folder))
    return [path for path in files if path.name in only or _name(path) in only]


def _read_all(
    spec: TaskSpec, scorer: Scorer, benchmark: Gold, files: Sequence[Path], progress: Progress
) -> tuple[list[_Read], list[LeftOut]]:
    found, left_out = [], []
    for done, path in enumerate(files):
        progress(done, len(files))
        report = scorer.check(spec, path, None)
        if report.accepted:
            found.append(_Read(_name(path), report.run, scorer.score(spec, report.run, benchmark)))
        else:
            reason = report.faults[0].message if report.faults else say("It is no run of this task.")
            left_out.append(LeftOut(path.name, reason))
    progress(len(files), len(files))
    return found, left_out


def _name(path: Path) -> str:
    name = path.name
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return Path(name).stem


def _sample(
    spec: TaskSpec, scorer: Scorer, benchmark: Gold, found: Sequence[_Read], column: Column, seed: int
) -> Sample | None:
    track, measure = column.track.name, column.measure
    if any(track not in each.scores for each in found):
        return None
    values = [each.scores[track].values[measure] for each in found]
    by_topic = [each.scores[track].per_topic.get(measure) for each in found]
    given = [row for row in by_topic if row is not None]
    if given and len(given) == len(found):
        matrix = np.array(given)
        if is_mean(values, matrix):
            return ByUnit(matrix, seed)
    draws = drawing(spec, scorer, benchmark, track, measure, seed)
    if draws is None:
        return None
    resampled = np.array([draws.of(each.run) for each in found]).reshape(len(found), -1)
    return Drawn(np.array(values), resampled, draws.units)
