"""A run beside the field: the runs that count and have a place.

Aggregates only: places, the best value, the median; topic by topic the same. No run of another team is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

import numpy as np
from sqlalchemy import select, true
from sqlalchemy.orm import Session

from leaderboard.contract import FloatArray, TaskSpec, TrackSpec
from leaderboard.rules import Entry, Placed, place_of
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.models import IN_TIME, SHOWN_SPLITS, Board, GoldVersion, Standing

_ANY_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a value stands on a track. `has_place`: it has this place; else it would have it, were it to
    count in place of its team's counted run. `teams` have a place on the track.

    `best` and `median` are those of the runs that have a place; `to_best` and `to_median` are how much
    better (positive) or worse the run is, whichever direction is better.
    """

    place: int
    has_place: bool
    teams: int
    best: float
    median: float
    to_best: float
    to_median: float


@dataclass(frozen=True, slots=True)
class TopicField:
    """The median and the best value of each topic over the `runs` that have a place, in the order of
    `topics`."""

    topics: tuple[str, ...]
    median: FloatArray
    best: FloatArray
    runs: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A line of a board that has a place, made with that version of the gold."""

    team_id: int
    run_id: int
    place: int
    value: float
    gold_version: int


Field = Mapping[str, tuple[Counted, ...]]
"""Track to the runs that have a place there, best first."""


def field(session: Session, spec: TaskSpec, phase: str) -> Field:
    """The runs that have a place in a phase, as the stored boards say. Raises UnknownTask."""
    row = queries.phase_named(session, known(session, spec.name).id, phase)
    frozen = row is not None and row.frozen_at is not None
    statement = (
        select(
            Board.track,
            Standing.team_id,
            Standing.run_id,
            Standing.place,
            Standing.value,
            GoldVersion.number,
        )
        .join(Board, Board.id == Standing.board_id)
        .join(GoldVersion, GoldVersion.id == Board.gold_version_id)
        .where(
            Board.phase_id == (row.id if row else 0),
            Board.stage == (queries.stage_shown(row, IN_TIME) if row else IN_TIME),
            Board.split.in_(SHOWN_SPLITS),
            true() if frozen else GoldVersion.state == "active",
            Standing.place.is_not(None),
        )
        .order_by(Board.track, GoldVersion.number.desc(), Standing.position)
    )
    found: dict[str, list[Counted]] = {}
    for track, team_id, run_id, place, value, number in session.execute(statement):
        # A line with a place on a track is that of a run with a value; the columns serve other lines too.
        if track is None or run_id is None or place is None or value is None:
            continue
        lines = found.setdefault(track, [])
        # Of the copies of a frozen phase, those under the gold that was active then.
        if not lines or lines[0].gold_version == number:
            lines.append(Counted(team_id, run_id, place, value, number))
    return {track: tuple(lines) for track, lines in found.items()}


def stand(
    track: TrackSpec, lines: Sequence[Counted], run_id: int, team_id: int, value: float | None
) -> Stand | None:
    """Where a run of that value stands; None where it has no value, or nobody has a place."""
    if value is None or not lines:
        return None
    own = next((line for line in lines if line.run_id == run_id), None)
    sign = 1.0 if track.higher_is_better else -1.0
    values = [line.value for line in lines]
    best, middle = lines[0].value, median(values)
    return Stand(
        place=own.place if own else _would_have(track, lines, team_id, value),
        has_place=own is not None,
        teams=len(lines),
        best=best,
        median=middle,
        to_best=sign * (value - best),
        to_median=sign * (value - middle),
    )


def by_topic(
    session: Session,
    spec: TaskSpec,
    track: TrackSpec,
    lines: Sequence[Counted],
    measure: str,
    until: datetime | None = None,
) -> TopicField | None:
    """The median and best of each topic, from one load of a matrix of runs × topics; None where the track has
    no topics or nobody has a place. With `until`, runs that were scored later are left out. Raises
    UnknownTask."""
    if not lines:
        return None
    task_id, number = known(session, spec.name).id, lines[0].gold_version
    version = queries.gold_numbered(session, task_id, track.name, number)
    if version is None or not version.topics:
        return None
    run_ids = [line.run_id for line in lines]
    packed = queries.per_topic_of(session, run_ids, version.id, measure, until)
    if not packed:
        return None
    matrix = np.frombuffer(b"".join(packed), PER_TOPIC).reshape(len(packed), len(version.topics))
    best = matrix.max(axis=0) if track.more_is_better(measure) else matrix.min(axis=0)
    return TopicField(tuple(version.topics), np.median(matrix, axis=0), best, len(packed))


def _would_have(track: TrackSpec, lines: Sequence[Counted], team_id: int, value: float) -> int:
    """As if the run counted in place of the one of its team."""
    others = [
        Placed(Entry(line.run_id, str(line.team_id), _ANY_TIME, line.value), line.place)
        for line in lines
        if line.team_id != team_id
    ]
    return place_of(value, others, higher_is_better=track.higher_is_better)
