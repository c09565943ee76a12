"""How the values on a board would vary with other units of its gold, and which of them can be told apart.

Hidden labels go in, so little comes out: the two ends of an interval for a run and track, rounded to the
digits that the track displays, and the names of its groups. Nothing by topic, pair or word leaves this file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.analysis import resampling
from leaderboard.analysis.groups import groups, letters, told_apart
from leaderboard.analysis.resampling import Interval
from leaderboard.analysis.samples import ByUnit, Drawn, Sample
from leaderboard.contract import FloatArray, Scorer, TaskSpec, TrackSpec
from leaderboard.services import gold
from leaderboard.services.rescoring import Progress
from leaderboard.services.samples import drawing, is_mean
from leaderboard.services.scoring import PER_TOPIC
from leaderboard.store import queries
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import Board, GoldVersion, Resampling, Run, Standing

DRAWS = resampling.DRAWS

LETTERS = 26
"""Beyond so many groups letters would have to be doubled, and nobody could read them."""

DRAWN = np.dtype("<f4")
"""How resampled values are kept: seven digits are more than an interval has."""


@dataclass(frozen=True, slots=True)
class Line:
    """A run on a board that has a value; `by_topic` holds its values by topic, packed."""

    run_id: int
    place: int | None
    value: float
    file_hash: str
    by_topic: bytes | None


@dataclass(frozen=True, slots=True)
class Found:
    """A board as it was read: its lines with a value, best first. `lacking` are those for which nothing is
    known yet of how their value varies; the scorer can say."""

    board_id: int
    fingerprint: str
    track: TrackSpec
    version: gold.Version
    versions: tuple[gold.Version, ...]
    seed: int
    lines: tuple[Line, ...]
    lacking: tuple[Line, ...]

    @property
    def measure(self) -> str:
        return self.track.primary


@dataclass(frozen=True, eq=False)
class Resampled:
    """A run's value in each draw."""

    line: Line
    values: FloatArray
    units: int


@dataclass(frozen=True, slots=True)
class Lines:
    """What is stored of a board. `of` maps runs to value, interval and the name of their groups, of which
    there are so many; `lettered`: they are letters."""

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


def seed_of(file_hash: str) -> int:
    """What a gold's units are drawn by: made from its own content, so that it is the same in every database
    and not told to those who do not have it."""
    return int(file_hash[:12], 16)


def read(session: Session, spec: TaskSpec, scorer: Scorer, board_id: int) -> Found | None:
    """The board, None where it is no longer there or its track no longer declared."""
    board = session.get(Board, board_id, populate_existing=True)
    version_row = session.get(GoldVersion, board.gold_version_id) if board and board.gold_version_id else None
    tracks = {track.name: track for track in spec.tracks}
    if board is None or version_row is None or board.track not in tracks:
        return None
    track = tracks[board.track]
    versions = gold.active(session, spec)
    version = next((each for each in versions if each.id == version_row.id), None)
    if version is None:
        return None
    lines = _lines(session, board_id, version.id, track.primary)
    seed = seed_of(version.file_hash)
    found = Found(board_id, board.fingerprint, track, version, versions, seed, lines, ())
    if _by_topic(found) is not None:
        return found
    kept = _kept(session, found, scorer.VERSION)
    return replace(found, lacking=tuple(line for line in lines if line.run_id not in kept))


def resample(
    files: Files, spec: TaskSpec, scorer: Scorer, found: Found, progress: Progress
) -> Iterator[Resampled]:
    """Reads the files of the runs that lack it and lets the scorer draw; nothing where it offers no way.

    A run whose file is missing or no longer accepted stays without.
    """
    if not found.lacking:
        return
    benchmark = gold.read(files, spec, scorer, found.versions)
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
    """Intervals of all lines that have a value, and the groups of those that have a place."""
    matrix = _by_topic(found)
    if matrix is not None:
        return _told(found, found.lines, lambda rows: ByUnit(matrix[rows], found.seed))
    kept = _kept(session, found, scorer_version)
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
    together: tuple[tuple[int, ...], ...] = ()
    if placed:
        together = groups(told_apart(sample_of(placed).pairs(), len(placed)))
    lettered = len(together) <= LETTERS
    names = _letters(together) if lettered else _spans(together, [lines[row].place or 0 for row in placed])
    named = {placed[place]: name for place, name in names.items()}
    return Lines(
        {
            line.run_id: (line.value, _rounded(interval, found.track.digits), named.get(row, ""))
            for row, (line, interval) in enumerate(zip(lines, intervals, strict=True))
        },
        len(together),
        lettered,
    )


def _letters(together: Sequence[tuple[int, ...]]) -> Mapping[int, str]:
    """What groups each row is in."""
    numbers: dict[int, list[int]] = {}
    for number, group in enumerate(together):
        for row in group:
            numbers.setdefault(row, []).append(number)
    return {row: letters(of_row) for row, of_row in numbers.items()}


def _spans(together: Sequence[tuple[int, ...]], places: Sequence[int]) -> Mapping[int, str]:
    """From which place to which each row cannot be told apart."""
    spans: dict[int, tuple[int, int]] = {}
    for group in together:
        for row in group:
            first, last = spans.get(row, (row, row))
            spans[row] = min(first, group[0]), max(last, group[-1])
    return {
        row: f"{places[first]}–{places[last]}" if places[first] != places[last] else str(places[first])
        for row, (first, last) in spans.items()
    }


def _rounded(interval: Interval, digits: int) -> Interval:
    return Interval(round(interval.low, digits), round(interval.high, digits))


def forget_unlisted(session: Session, found: Found) -> None:
    """Forgets what was drawn for runs that stand on no board of this gold any more."""
    listed = (
        select(Standing.run_id)
        .join(Board, Board.id == Standing.board_id)
        .where(Board.gold_version_id == found.version.id, Standing.run_id.is_not(None))
    )
    session.execute(
        delete(Resampling).where(
            Resampling.gold_version_id == found.version.id, Resampling.run_id.not_in(listed)
        )
    )


def _lines(session: Session, board_id: int, gold_version_id: int, measure: str) -> tuple[Line, ...]:
    statement = (
        select(Standing.run_id, Standing.place, Standing.value, Run.file_hash)
        .join(Run, Run.id == Standing.run_id)
        .where(Standing.board_id == board_id, Standing.value.is_not(None))
        .order_by(Standing.position)
    )
    rows = session.execute(statement).all()
    scores = queries.scores_of_measure(session, [row.run_id for row in rows], gold_version_id, measure)
    return tuple(
        Line(row.run_id, row.place, row.value, row.file_hash, scores[row.run_id][1])
        for row in rows
        # A score written since belongs to the next state of the board.
        if row.run_id in scores and scores[row.run_id][0] == row.value
    )


def _by_topic(found: Found) -> FloatArray | None:
    """Runs × topics, where the values of all lines are the means of these."""
    packed = [line.by_topic for line in found.lines]
    rows = [np.frombuffer(one, PER_TOPIC) for one in packed if one is not None]
    if not rows or len(rows) < len(packed):
        return None
    matrix = np.array(rows, dtype=np.float64)
    return matrix if is_mean([line.value for line in found.lines], matrix) else None


def _kept(session: Session, found: Found, scorer_version: str) -> Mapping[int, Resampling]:
    """What was drawn before, by run: with the same seed, from the same file, by the scorer of now."""
    hashes = {line.run_id: line.file_hash for line in found.lines}
    statement = select(Resampling).where(
        Resampling.gold_version_id == found.version.id,
        Resampling.measure == found.measure,
        Resampling.scorer_version == scorer_version,
        Resampling.seed == found.seed,
    )
    rows = session.scalars(statement.execution_options(populate_existing=True))
    return {row.run_id: row for row in rows if hashes.get(row.run_id) == row.file_hash}


def _or_none(number: float) -> float | None:
    return None if math.isnan(number) else number
