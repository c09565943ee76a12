"""What the runs of one team in one phase have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.analysis.probing import LEAST_RUNS, Step, Strength, coins, flips, strangers
from leaderboard.analysis.probing_climbs import Climb, climb
from leaderboard.analysis.probing_sketch import Sketch, unpack
from leaderboard.contract import FloatArray, TaskSpec, TrackSpec
from leaderboard.services.probing_found import MOST_RUNS, Found, Kind
from leaderboard.services.probing_sketches import LOOKED_AT, touched_of
from leaderboard.store import queries
from leaderboard.store.models import Phase, Run, RunSketch

MOST = 400
"""So many runs of a series are looked at, the last ones."""

LEAST = 3


@dataclass(frozen=True, eq=False)
class Series:
    """The runs of one team in one phase whose files could be read, in the order in which they were sent."""

    team_id: int
    phase_id: int
    phase: str
    run_ids: tuple[int, ...]
    steps: tuple[Step, ...]
    sketches: tuple[Sketch, ...]


def within_teams(session: Session, spec: TaskSpec, task_id: int, reader: str) -> Iterator[Found]:
    """All that is seen within single teams; holds the runs of one at a time."""
    statement = (
        select(Run.team_id, Run.phase_id, Phase.name)
        .join(RunSketch, RunSketch.run_id == Run.id)
        .join(Phase, Phase.id == Run.phase_id)
        .where(Run.task_id == task_id, *LOOKED_AT, RunSketch.reader == reader, RunSketch.sketch.is_not(None))
        .group_by(Run.team_id, Run.phase_id, Phase.name)
        .having(func.count() >= LEAST)
        .order_by(Run.team_id, Run.phase_id)
    )
    for team_id, phase_id, phase in session.execute(statement).all():
        series = _series(session, reader, team_id, phase_id, phase)
        yield from _flips(series)
        if len(series.run_ids) >= LEAST_RUNS:
            yield from _by_chance(series)
            yield from _climbs(session, spec, task_id, series)


def _series(session: Session, reader: str, team_id: int, phase_id: int, phase: str) -> Series:
    statement = (
        select(RunSketch)
        .join(Run, Run.id == RunSketch.run_id)
        .where(
            Run.team_id == team_id,
            Run.phase_id == phase_id,
            *LOOKED_AT,
            RunSketch.reader == reader,
            RunSketch.sketch.is_not(None),
        )
        .order_by(Run.submitted_at.desc(), Run.id.desc())
        .limit(MOST)
    )
    rows = session.scalars(statement).all()[::-1]
    position = {row.run_id: number for number, row in enumerate(rows)}
    steps = tuple(
        Step(number, position.get(row.parent_id or 0), row.changed, row.units, touched_of(row))
        for number, row in enumerate(rows)
    )
    sketches = tuple(unpack(row.sketch) for row in rows if row.sketch is not None)
    return Series(team_id, phase_id, phase, tuple(position), steps, sketches)


def _flips(series: Series) -> Iterator[Found]:
    found = flips(series.steps)
    if found is not None:
        numbers = {"of": found.of, "count": len(found.runs), "most": found.most, "units": found.units}
        yield _found("flips", series, found.runs, found.strength, {**numbers, "different": found.different})


def _by_chance(series: Series) -> Iterator[Found]:
    answers, values = _matrices(series.sketches)
    thrown = coins(answers)
    if thrown is not None:
        numbers = {
            "count": len(thrown.runs),
            "units": thrown.units,
            "odds": thrown.odds,
            "p_value": thrown.p_value,
        }
        yield _found("coins", series, thrown.runs, thrown.strength, numbers)
    apart = None if values is None else strangers(values)
    if apart is not None:
        numbers = {"count": len(apart.runs), "share": apart.share, "mean": apart.mean}
        yield _found("strangers", series, apart.runs, apart.strength, numbers)


def _matrices(sketches: Sequence[Sketch]) -> tuple[NDArray[np.uint32], FloatArray | None]:
    """Runs × sampled units: a number for each answer, 0 where there is none; and values, then the run's
    mean."""
    units, times = np.unique(np.concatenate([each.unit for each in sketches]), return_counts=True)
    units = units[2 * times >= len(sketches)]
    answers = np.zeros((len(sketches), len(units)), dtype=np.uint32)
    values = np.zeros((len(sketches), len(units)))
    for row, each in enumerate(sketches):
        _, here, there = np.intersect1d(units, each.unit, assume_unique=True, return_indices=True)
        answers[row, here] = each.exact[there]
        given = each.values
        if given is not None:
            values[row] = given.mean()
            values[row, here] = given[there]
    return answers, None if any(each.is_items for each in sketches) else values


def _climbs(session: Session, spec: TaskSpec, task_id: int, series: Series) -> Iterator[Found]:
    """On the track where it is the least likely to be chance, of as many as were looked at."""
    climbs: list[tuple[TrackSpec, Climb]] = []
    for track, values in _values(session, spec, task_id, series):
        found = climb(series.steps, values)
        if found is not None:
            climbs.append((track, found))
    if climbs:
        track, best = min(climbs, key=lambda each: each[1].p_value)
        tests = len(spec.tracks)
        numbers = {name: number for name, number in asdict(best).items() if name != "runs"}
        numbers |= {"track": track.name, "count": len(best.runs), "p_value": min(1.0, best.p_value * tests)}
        yield _found("climb", series, best.runs, best.strength(tests), numbers)


def _values(
    session: Session, spec: TaskSpec, task_id: int, series: Series
) -> Iterator[tuple[TrackSpec, FloatArray]]:
    """What the team was told, on each track: never on the private part. More is better."""
    versions = queries.active_gold(session, task_id)
    found = queries.values_of_runs(session, series.run_ids, [version.id for version in versions.values()])
    for track in spec.tracks:
        values = np.array(
            [_value(found.get(run_id, {}).get(track.name, {}), track) for run_id in series.run_ids]
        )
        if not np.isnan(values).all():
            yield track, values if track.higher_is_better else -values


def _value(by_measure: Mapping[str, float | None], track: TrackSpec) -> float:
    value = by_measure.get(track.primary)
    return float("nan") if value is None else value


def _found(
    kind: Kind, series: Series, rows: Sequence[int], strength: Strength, numbers: Mapping[str, Any]
) -> Found:
    runs = tuple(series.run_ids[row] for row in rows)[-MOST_RUNS:]
    return Found(kind, strength, (series.team_id,), runs, {**numbers, "phase": series.phase}, series.phase)
