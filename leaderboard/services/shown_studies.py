"""Studies as everybody may see them: of public runs, from what is stored alone.

Of hidden labels they say no more than boards do: draws are those of the boards, whose seed only those know
who have the gold, and the ends of intervals have the digits that their track displays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.analysis.resampling import Interval
from leaderboard.analysis.samples import Drawn, Sample
from leaderboard.analysis.study import Assessed
from leaderboard.contract import TaskSpec, say
from leaderboard.services import gold, standstill
from leaderboard.services.board_samples import DRAWN
from leaderboard.services.board_values import seed_of
from leaderboard.services.boards import NoBoard
from leaderboard.services.phases import PhaseView
from leaderboard.services.recent import Recent
from leaderboard.services.stored_studies import (
    Runs,
    Stored,
    Wanted,
    require_exact,
    runs_of,
    stored_column,
)
from leaderboard.services.studies import SEED, NotStudiable, Studied, Study, assess
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_names
from leaderboard.store import queries
from leaderboard.store.models import Resampling

MOST_RUNS = 200
"""Pairs grow with the square of runs; beyond so many a study is for the command line."""

CACHED = 16
"""So many studies are kept in memory by one process."""

_made: Recent[Study] = Recent(CACHED)


def show(session: Session, spec: TaskSpec, phase: PhaseView, wanted: Wanted, now: datetime) -> Study:
    """The study asked for, teams called as the public reads them.

    Raises NoBoard where the phase does not show its scores, NotStudiable, NoGoldInstalled.
    """
    if not phase.shows_board:
        raise NoBoard(say("The ranking of this phase is shown once the phase has closed."))
    task = known(session, spec.name)
    require_exact(task, wanted.columns)
    teams = public_names(session, task, now)
    row = queries.phase_named(session, task.id, phase.name)
    # While the ranking is frozen nothing is told of what was scored since.
    among = None if row is None else standstill.scored_then(session, row)
    runs = runs_of(session, spec, wanted, teams, among)
    if len(runs.studied) > MOST_RUNS:
        raise NotStudiable(
            say(
                "These are {count} runs; a page compares {most} at most. `study {task} --output DIR` has no "
                "such limit.",
                count=len(runs.studied),
                most=MOST_RUNS,
                task=spec.name,
            )
        )
    shown = {} if row is None else queries.gold_shown(session, row)
    gold_shown = tuple(gold.version_of(version) for version in shown.values())
    with ExitStack() as held:
        stored = [stored_column(session, spec, runs, column, held, gold_shown) for column in wanted.columns]
        samples = [
            # Samples of exact values would say more than is told of these.
            None
            if each is None or each.column.track.name in task.public_values
            else _sample(session, runs, each)
            for each in stored
        ]
        # The values tell whether anything has changed: numbers of runs stay when these are scored anew.
        values = tuple(None if each is None else (each.version.id, _key(each.values)) for each in stored)
        drawn = tuple(None if sample is None else type(sample).__name__ for sample in samples)
        columns = tuple((column.name, column.track.digits) for column in wanted.columns)
        key = (spec.name, columns, wanted.seed, runs.studied, values, drawn)
        return _made.get_beside(
            key, lambda: _told(assess(spec, wanted.columns, runs.studied, samples, wanted.seed))
        )


def choices(session: Session, spec: TaskSpec, phase: PhaseView, now: datetime) -> tuple[Studied, ...]:
    """The runs that a study may be made of; none where the phase does not show its scores."""
    if not phase.shows_board:
        return ()
    task = known(session, spec.name)
    row = queries.phase_named(session, task.id, phase.name)
    among = None if row is None else standstill.scored_then(session, row)
    every = Wanted(phase.name, (), all_runs=True, seed=SEED)
    return runs_of(session, spec, every, public_names(session, task, now), among).studied


def _key(values: Sequence[float]) -> tuple[float | None, ...]:
    """One nan is not equal to another."""
    return tuple(None if math.isnan(value) else value for value in values)


def _sample(session: Session, runs: Runs, stored: Stored) -> Sample | None:
    return stored.sample(seed_of(stored.version.file_hash)) or _kept(session, runs, stored)


def _told(study: Study) -> Study:
    """The study with the ends of intervals as far as they are told."""
    return replace(
        study,
        assessed=tuple(
            _rounded(found, column.track.digits)
            for column, found in zip(study.columns, study.assessed, strict=True)
        ),
    )


def _rounded(found: Assessed, digits: int) -> Assessed:
    ends = [Interval(round(each.low, digits), round(each.high, digits)) for each in found.intervals]
    return replace(found, intervals=tuple(ends))


def _kept(session: Session, runs: Runs, stored: Stored) -> Sample | None:
    """What was drawn for the boards; None where some run that has a value has none of it."""
    version, measure = stored.version, stored.column.measure
    statement = select(Resampling).where(
        Resampling.gold_version_id == version.id,
        Resampling.measure == measure,
        Resampling.seed == seed_of(version.file_hash),
        Resampling.run_id.in_(runs.ids),
    )
    rows: Mapping[int, Resampling] = {row.run_id: row for row in session.scalars(statement)}
    valued = [run_id for run_id, value in zip(runs.ids, stored.values, strict=True) if not math.isnan(value)]
    if not rows or any(run_id not in rows for run_id in valued):
        return None
    if len({row.scorer_version for row in rows.values()}) > 1:
        return None
    one = next(iter(rows.values()))
    nothing = np.full(len(one.values) // DRAWN.itemsize, np.nan)
    drawn = [
        np.frombuffer(rows[run_id].values, DRAWN) if not math.isnan(value) else nothing
        for run_id, value in zip(runs.ids, stored.values, strict=True)
    ]
    return Drawn(np.array(stored.values), np.array(drawn, dtype=np.float64), one.units)
