"""Checks and scores a file that lies on the disk, with no database: what `check` and `score` do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leaderboard.catalog import load_scorer
from leaderboard.contract import Message, Report, Scores, TaskSpec, TrackSpec, say
from leaderboard.services.errors import ServiceError


class FilesMissing(ServiceError):
    """A folder lacks the files it was named for; `message` says which."""


@dataclass(frozen=True, slots=True)
class FileScores:
    """The check of a file, and its scores where it was accepted; `absent` are tracks without gold."""

    report: Report
    absent: tuple[TrackSpec, ...]
    scores: Scores = field(default_factory=dict)


def check_file(spec: TaskSpec, file: Path, inputs: Path | None) -> Report:
    """Judges the form of a run against the public inputs, None for no inputs.

    Raises FilesMissing when the folder holds no input of the task, FormatError when one is broken.
    """
    if inputs is not None:
        _require_inputs(spec, inputs)
    return load_scorer(spec).check(spec, file, inputs)


def template_lines(spec: TaskSpec, inputs: Path | None) -> Iterator[str]:
    """The lines of an example of a run, without line ends."""
    if inputs is not None:
        _require_inputs(spec, inputs)
    return load_scorer(spec).template(spec, inputs)


def score_file(spec: TaskSpec, file: Path, gold: Path, inputs: Path | None) -> FileScores:
    """Checks the file and scores it on every track whose gold is in the folder `gold`.

    Raises FilesMissing when no gold is there, FormatError when some of it is broken.
    """
    found = {track.name: gold / track.gold for track in spec.tracks if (gold / track.gold).is_file()}
    if not found:
        raise FilesMissing(_no_gold(spec, gold))
    absent = tuple(track for track in spec.tracks if track.name not in found)
    report = check_file(spec, file, inputs)
    if not report.accepted:
        return FileScores(report, absent)
    scorer = load_scorer(spec)
    return FileScores(report, absent, scorer.score(spec, report.run, scorer.read_gold(spec, found)))


def holds_inputs(spec: TaskSpec, folder: Path) -> bool:
    """Whether some public input of the task lies in the folder."""
    return any((folder / each.file).is_file() for each in spec.inputs)


def _require_inputs(spec: TaskSpec, inputs: Path) -> None:
    if not spec.inputs or holds_inputs(spec, inputs):
        return
    raise FilesMissing(
        say(
            "{folder} holds no public input of {task}; expected is at least one of {files}.",
            folder=str(inputs),
            task=spec.name,
            files=", ".join(each.file for each in spec.inputs),
        )
    )


def _no_gold(spec: TaskSpec, gold: Path) -> Message:
    files = dict.fromkeys(track.gold for track in spec.tracks)
    below = [folder for folder in sorted(gold.glob("*/")) if any((folder / file).is_file() for file in files)]
    if below:
        return say(
            "{folder} holds no gold of {task}; did you mean {below}?",
            folder=str(gold),
            task=spec.name,
            below=str(below[0]),
        )
    return say(
        "{folder} holds no gold of {task}; expected is at least one of {files}.",
        folder=str(gold),
        task=spec.name,
        files=", ".join(files),
    )
