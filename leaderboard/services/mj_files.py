"""Scoring MJ files against the gold: those built here, and those that were released in 2015."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from leaderboard.contract import FloatArray, FormatError, Gold, PairScorer, Scorer, TaskSpec, say
from leaderboard.formats.mj import MjFile, read_mj, write_run
from leaderboard.services import gold
from leaderboard.services.mj_combining import Values
from leaderboard.services.mj_plans import pair_scorer
from leaderboard.services.scoring_files import FilesMissing
from leaderboard.store.files import Files


def gold_in(spec: TaskSpec, scorer: Scorer, folder: Path) -> Gold:
    """The gold files of a folder. Raises FilesMissing where it has none, FormatError for a broken one."""
    there = {track.name: folder / track.gold for track in spec.tracks if (folder / track.gold).is_file()}
    if not there:
        names = ", ".join(dict.fromkeys(track.gold for track in spec.tracks))
        raise FilesMissing(
            say(
                "{folder} holds no gold of {task}; expected is at least one of {files}.",
                folder=str(folder),
                task=spec.name,
                files=names,
            )
        )
    return scorer.read_gold(spec, there)


def installed_gold(session: Session, files: Files, spec: TaskSpec, scorer: Scorer) -> Gold:
    """The gold that is active now. Raises NoGoldInstalled."""
    versions = gold.active(session, spec)
    if not versions:
        raise gold.NoGoldInstalled(spec)
    return gold.read(files, spec, scorer, versions)


def evaluate_files(
    spec: TaskSpec, scorer: Scorer, paths: Sequence[Path], benchmark: Gold
) -> tuple[Values, ...]:
    """For each MJ file the primary measure of every track of `benchmark`: the paper's Table 3.

    A file's values are scored as a run's would be: the last line of a pair counts, and a pair that is not
    there scores as missing. A line that names its track counts there alone. Raises FormatError.
    """
    pairs = pair_scorer(spec, scorer)
    return tuple(_evaluate(spec, pairs, path, benchmark) for path in paths)


def _evaluate(spec: TaskSpec, scorer: PairScorer, path: Path, benchmark: Gold) -> Values:
    found = read_mj(path)
    line: dict[str, float | None] = {}
    for track in scorer.pairs(benchmark):
        value = _value(spec, scorer, path.name, found, track, benchmark)
        line[track] = None if math.isnan(value) else value
    return line


def _value(
    spec: TaskSpec, scorer: PairScorer, name: str, found: MjFile, track: str, benchmark: Gold
) -> float:
    pairs = list(found.of_track(track))
    if not pairs:
        return math.nan
    values = _as_run(spec, scorer, name, pairs, benchmark)[track]
    return scorer.evaluate(spec, track, values, benchmark)


def _as_run(
    spec: TaskSpec,
    scorer: PairScorer,
    name: str,
    pairs: Iterable[tuple[str, str, float]],
    benchmark: Gold,
) -> Mapping[str, FloatArray]:
    """The values the scorer finds where the pairs are handed in as a run, so that its rules hold for them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mj.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            write_run(pairs, stream)
        report = scorer.check(spec, path, None)
    if not report.accepted:
        raise FormatError(name, report.faults)
    return scorer.values(spec, report.run, benchmark)
