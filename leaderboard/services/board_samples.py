"""How the values on a board would vary with other units of its gold, and which of them can be told apart.

Hidden labels go in, so little comes out: the two ends of an interval for a run and track, rounded to the
digits that the track displays, and the names of its groups. Nothing by topic, pair or word leaves this file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.analysis import resampling
from leaderboard.analysis.groups import groups, letters, reaches, told_apart
from leaderboard.analysis.resampling import Interval
from leaderboard.analysis.samples import ByUnit, Drawn, Sample
from leaderboard.analysis.tables import BoolArray
from leaderboard.contract import FloatArray, Scorer, TaskSpec
from leaderboard.services import parts
from leaderboard.services.board_values import Found, Line, by_topic, kept_of
from leaderboard.services.rescoring import Progress
from leaderboard.services.samples import drawing
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import Board, GoldVersion, Resampling, Standing

DRAWS = resampling.DRAWS

LETTERS = 26
"""Beyond so many groups letters would have to be doubled, and nobody could read them."""

GROUPED = 200
"""Among more runs no groups are looked for: there would be more than letters, and the time for it grows with
the cube of the runs."""

COMPARED = 1_000
"""So many runs, the best, are compared with each other: all pairs take time and memory that grow with the
square of the runs."""

DRAWN = np.dtype("<f4")
"""How resampled values are kept: seven digits are more than an interval has."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A run's value in each draw."""

    line: Line
    values: FloatArray
    units: int


@dataclass(frozen=True, slots=True)
class Lines:
    """What is stored of a board. `of` maps runs to value, interval and the name of their groups, of which
    there are so many different ones; `lettered`: they are letters."""

    of: Mapping[int, tuple[float, Interval, str]]
    groups: int
    lettered: bool

    def as_json(self) -> dict[str, Any]:
        """By the number of the run, as text."""
        return {
            str(run_id): {
                "value": value,
                "low": _or_none(interval.low),
                "high": _or_none(interval.high),
                "group": group,
            }
            for run_id, (value, interval, group) in self.of.items()
        }


def resample(
    files: Files, spec: TaskSpec, scorer: Scorer, found: Found, progress: Progress
) -> Iterator[Resampled]:
    """Reads the files of the runs that lack it and lets the scorer draw; nothing where it offers no way.

    A run whose file is missing or no longer accepted stays without.
    """
    if not found.lacking:
        return
    benchmark = parts.shown(files, spec, scorer, found.versions, found.how)
    way = drawing(spec, scorer, benchmark, found.track.name, found.measure, found.seed)
    if way is None:
        return
    for done, line in enumerate(found.lacking):
        progress(done, len(found.lacking))
        try:
            report = scorer.check(spec, files.kept.path(line.file_hash), None)
        except FileMissing:
            continue
        if report.accepted:
            yield Resampled(line, way.of(report.run), way.units)


def keep(session: Session, found: Found, scorer_version: str, drawn: Resampled) -> None:
    """Stores what was drawn for a run, in place of what was before."""
    before = (
        Resampling.run_id == drawn.line.run_id,
        Resampling.gold_version_id == found.version.id,
        Resampling.measure == found.measure,
    )
    session.execute(delete(Resampling).where(*before))
    session.add(
        Resampling(
            run_id=drawn.line.run_id,
            gold_version_id=found.version.id,
            measure=found.measure,
            scorer_version=scorer_version,
            file_hash=drawn.line.file_hash,
            seed=found.seed,
            units=drawn.units,
            values=np.asarray(drawn.values, DRAWN).tobytes(),
        )
    )
    session.flush()


def analyse(session: Session, found: Found, scorer_version: str) -> Lines:
    """Intervals of all lines that have a value, and the groups of the first `COMPARED` that have a place."""
    matrix = by_topic(found)
    if matrix is not None:
        return _told(found, found.lines, lambda rows: ByUnit(matrix[rows], found.seed))
    kept = kept_of(session, found, scorer_version)
    lines = [line for line in found.lines if line.run_id in kept]
    if not lines:
        return Lines({}, 0, False)
    values = np.array([line.value for line in lines])
    drawn = np.array([np.frombuffer(kept[line.run_id].values, DRAWN) for line in lines], dtype=np.float64)
    units = kept[lines[0].run_id].units
    return _told(found, lines, lambda rows: Drawn(values[rows], drawn[rows], units))


def _told(found: Found, lines: Sequence[Line], sample_of: Callable[[list[int]], Sample]) -> Lines:
    intervals = sample_of(list(range(len(lines)))).intervals() if lines else ()
    placed = [row for row, line in enumerate(lines) if line.place is not None]
    compared = placed[:COMPARED]
    apart = told_apart(sample_of(compared).pairs(), len(compared)) if compared else np.eye(0, dtype=bool)
    together = groups(apart) if len(compared) <= GROUPED else ()
    lettered = len(compared) <= GROUPED and len(together) <= LETTERS
    names = _letters(together) if lettered else _spans(apart, [lines[row].place or 0 for row in compared])
    named = {compared[place]: name for place, name in names.items()}
    return Lines(
        {
            line.run_id: (line.value, _rounded(interval, found.track.digits), named.get(row, ""))
            for row, (line, interval) in enumerate(zip(lines, intervals, strict=True))
        },
        len(set(names.values())),
        lettered,
    )


def _letters(together: Sequence[tuple[int, ...]]) -> Mapping[int, str]:
    """What groups each row is in."""
    numbers: dict[int, list[int]] = {}
    for number, group in enumerate(together):
        for row in group:
            numbers.setdefault(row, []).append(number)
    return {row: letters(of_row) for row, of_row in numbers.items()}


def _spans(apart: BoolArray, places: Sequence[int]) -> Mapping[int, str]:
    """From which place to which each row cannot be told apart."""
    return {
        row: f"{places[first]}–{places[last]}" if places[first] != places[last] else str(places[first])
        for row, (first, last) in enumerate(reaches(apart))
    }


def _rounded(interval: Interval, digits: int) -> Interval:
    return Interval(round(interval.low, digits), round(interval.high, digits))


def forget_unlisted(session: Session, found: Found) -> None:
    """Forgets what was drawn for runs that stand on no board of the task any more."""
    listed = (
        select(Standing.run_id)
        .join(Board, Board.id == Standing.board_id)
        .join(GoldVersion, GoldVersion.task_id == Board.task_id)
        .where(GoldVersion.id == found.version.id, Standing.run_id.is_not(None))
    )
    session.execute(
        delete(Resampling).where(
            Resampling.gold_version_id == found.version.id, Resampling.run_id.not_in(listed)
        )
    )


def _or_none(number: float) -> float | None:
    return None if math.isnan(number) else number
