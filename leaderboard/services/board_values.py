"""Reading a board for what is computed of it: its runs, their values, and what was drawn before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import FloatArray, Scorer, TaskSpec, TrackSpec
from leaderboard.services import gold, parts
from leaderboard.services.parting import How
from leaderboard.services.samples import is_mean
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store import queries
from leaderboard.store.models import Board, GoldVersion, Phase, Resampling, Run, Standing


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
    """A board as it was read: its lines with a value, best first. `lacking` are those, and runs on other
    boards of its phase, for which nothing is known yet of how their value varies; the scorer can say. `how`
    is how the phase parts its gold."""

    board_id: int
    fingerprint: str
    track: TrackSpec
    version: gold.Version
    versions: tuple[gold.Version, ...]
    seed: int
    lines: tuple[Line, ...]
    lacking: tuple[Line, ...]
    how: How | None = None

    @property
    def measure(self) -> str:
        return self.track.primary


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
    how = parts.how(session, session.get_one(Phase, board.phase_id))
    found = Found(board_id, board.fingerprint, track, version, versions, seed, lines, (), how)
    if by_topic(found) is not None:
        return found
    every = {line.run_id: line for line in (*_beside(session, board, track.primary), *lines)}
    kept = kept_of(session, replace(found, lines=tuple(every.values())), scorer.VERSION)
    return replace(found, lacking=tuple(line for run_id, line in every.items() if run_id not in kept))


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


def _beside(session: Session, board: Board, measure: str) -> Iterator[Line]:
    """Runs that stand on other boards of the phase and have a value by this one's gold."""
    statement = (
        select(Run.id, Run.file_hash)
        .distinct()
        .join(Standing, Standing.run_id == Run.id)
        .join(Board, Board.id == Standing.board_id)
        .where(Board.phase_id == board.phase_id, Board.id != board.id)
    )
    hashes = {row.id: row.file_hash for row in session.execute(statement)}
    scores = queries.scores_of_measure(session, hashes, board.gold_version_id or 0, measure)
    for run_id, (value, packed) in scores.items():
        if value is not None:
            yield Line(run_id, None, value, hashes[run_id], packed)


def by_topic(found: Found) -> FloatArray | None:
    """Runs × topics, where the values of all lines are the means of these."""
    packed = [line.by_topic for line in found.lines]
    rows = [np.frombuffer(one, PER_TOPIC) for one in packed if one is not None]
    if not rows or len(rows) < len(packed):
        return None
    matrix = np.array(rows, dtype=np.float64)
    # Topics of another part of the gold are none of this board.
    matrix = matrix[:, ~np.isnan(matrix).all(axis=0)]
    return matrix if is_mean([line.value for line in found.lines], matrix) else None


def kept_of(session: Session, found: Found, scorer_version: str) -> Mapping[int, Resampling]:
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
