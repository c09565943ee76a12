"""Studies of runs that lie in a folder, with no database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.contract import Gold, Message, Scorer, TaskSpec, say
from leaderboard.services.mj_files import gold_in
from leaderboard.services.rescoring import Progress
from leaderboard.services.studies import Column, NotStudiable, Studied, Study, assess
from leaderboard.services.study_samples import Collected, drawn

_PACKED = (".gz", ".zip")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file of the folder that is no run of the task, with the first reason."""

    name: str
    reason: Message


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
    with ExitStack() as held:
        collected = [Collected(column, held) for column in columns]
        found, left_out = _read_all(wanted, scorer, benchmark, files, collected, progress)
        samples = {each.column.name: each.by_topic(seed) for each in collected if each.values}
        # A track that some run has no part in has fewer values than there are runs.
        whole = [each for each in collected if len(each.values) == len(found)]
        lacking = [each for each in whole if samples.get(each.column.name) is None]
        again = drawn(wanted, scorer, benchmark, found, lacking, seed, progress, held)
        every = [
            samples.get(each.column.name) or again.get(each.column.name) if each in whole else None
            for each in collected
        ]
        named = [Studied(_name(path)) for path in found]
        return assess(spec, columns, named, every, seed), tuple(left_out)


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
    spec: TaskSpec,
    scorer: Scorer,
    benchmark: Gold,
    files: Sequence[Path],
    collected: Sequence[Collected],
    progress: Progress,
) -> tuple[list[Path], list[LeftOut]]:
    """The files that are runs, what the columns need of which is collected, and the others."""
    found, left_out = [], []
    for done, path in enumerate(files):
        progress(done, len(files))
        report = scorer.check(spec, path, None)
        if report.accepted:
            found.append(path)
            scores = scorer.score(spec, report.run, benchmark)
            for each in collected:
                if (track := scores.get(each.column.track.name)) is not None:
                    measure = each.column.measure
                    each.add(track.values[measure], track.per_topic.get(measure))
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
