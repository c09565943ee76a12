"""A team's history: its runs as asked for, as CSV, and how its best value rose."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.services import fields, phases, run_pages, standstill
from leaderboard.services.export_cells import guarded
from leaderboard.services.fields import Field
from leaderboard.services.methods import Method
from leaderboard.services.phases import PhaseView
from leaderboard.services.run_pages import Summary
from leaderboard.services.standings import Values
from leaderboard.services.tasks import known
from leaderboard.services.team_runs import shows_own
from leaderboard.store import queries
from leaderboard.store.models import Run, Team

StateFilter = Literal["", "scored", "received", "rejected", "failed", "withdrawn"]
STATES: tuple[StateFilter, ...] = get_args(StateFilter)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs of a history, in which order. An empty word means any; `sort` is "submitted", "name",
    "state" or the name of a track, whose primary measure then sorts."""

    state: StateFilter = ""
    phase: str = ""
    sort: str = "submitted"
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A run in a history. `places` are those it has; `values` and `places` are empty while hidden."""

    summary: Summary
    method: Method
    values: Values
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class History:
    """The runs that were asked for, of `total` in all; `phases` are those that hold any."""

    wanted: Wanted
    rows: tuple[Row, ...]
    total: int
    phases: tuple[PhaseView, ...]


def show(session: Session, spec: TaskSpec, team_id: int, wanted: Wanted, now: datetime) -> History:
    """The team's runs as asked for. Raises UnknownTask."""
    views = phases.listing(session, spec, now)
    everything = _rows(session, spec, team_id, views)
    held = {row.summary.phase for row in everything}
    rows = [row for row in everything if _is_wanted(row, wanted)]
    return History(
        wanted=wanted,
        rows=_sorted(spec, rows, wanted),
        total=len(everything),
        phases=tuple(view for view in views if view.name in held),
    )


def as_csv(spec: TaskSpec, rows: Sequence[Row]) -> str:
    """The runs of a history with every value at full precision; cells are safe for spreadsheets."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    measures = [(track.name, measure) for track in spec.tracks for measure in track.measures]
    writer.writerow(
        [
            *("run", "name", "phase", "submitted_at", "state", "kind", "late", "withdrawn", "selected"),
            *("system", "resources", "manner", "link", "file_sha256"),
            *(f"{track} {measure}" for track, measure in measures),
            *(f"{track.name} place" for track in spec.tracks),
        ]
    )
    for row in rows:
        writer.writerow([guarded(cell) for cell in _cells(spec, row, measures)])
    return out.getvalue()


def best_over_time(track: TrackSpec, rows: Sequence[Row]) -> tuple[tuple[datetime, float, Row], ...]:
    """When the team's best value of a track's primary measure rose, with the run that did it; runs that count
    for the ranking alone, the earliest first."""
    sign = 1.0 if track.higher_is_better else -1.0
    steps: list[tuple[datetime, float, Row]] = []
    for row in sorted(rows, key=lambda row: (row.summary.submitted_at, row.summary.run_id)):
        value = row.values.get(track.name, {}).get(track.primary)
        if value is None or not counts(row.summary):
            continue
        if not steps or sign * (value - steps[-1][1]) > 0:
            steps.append((row.summary.submitted_at, value, row))
    return tuple(steps)


def counts(summary: Summary) -> bool:
    """Whether a run may count for the ranking."""
    barred = summary.withdrawn or summary.late or summary.disqualified or summary.hidden
    return summary.state == "scored" and summary.kind == "ordinary" and not barred


def _rows(session: Session, spec: TaskSpec, team_id: int, views: Sequence[PhaseView]) -> list[Row]:
    task = known(session, spec.name)
    team = session.get_one(Team, team_id)
    summaries = run_pages.listing(session, spec, team.name)
    visible = {view.name: view for view in views}
    shown = [run for run in summaries if shows_own(visible[run.phase]) and not run.hidden]
    values: dict[int, Values] = {}
    for phase in queries.phases_of(session, task.id):
        of_phase = [run.run_id for run in shown if run.phase == phase.name]
        if of_phase:
            values |= standstill.values_of_team(session, phase, of_phase)
    ranked = {view.name: fields.field(session, spec, view.name) for view in views if view.shows_board}
    runs = select(Run).where(Run.task_id == task.id, Run.team_id == team_id)
    methods = {run.id: run_pages.method_of(run) for run in session.scalars(runs)}
    return [
        Row(
            run,
            methods[run.run_id],
            values.get(run.run_id, {}),
            _places(ranked.get(run.phase, {}), run.run_id),
        )
        for run in summaries
    ]


def _places(field: Field, run_id: int) -> dict[str, int]:
    return {track: line.place for track, lines in field.items() for line in lines if line.run_id == run_id}


def _is_wanted(row: Row, wanted: Wanted) -> bool:
    summary = row.summary
    if wanted.phase and summary.phase != wanted.phase:
        return False
    if wanted.state == "withdrawn":
        return summary.withdrawn
    return not wanted.state or (summary.state == wanted.state and not summary.withdrawn)


def _sorted(spec: TaskSpec, rows: list[Row], wanted: Wanted) -> tuple[Row, ...]:
    """Equal ones in the order of submission; those without a value stay last."""
    keys: dict[str, Callable[[Row], object]] = {
        "submitted": lambda row: (row.summary.submitted_at, row.summary.run_id),
        "name": lambda row: row.summary.name.casefold(),
        "state": lambda row: row.summary.state,
    }
    if wanted.sort in keys:
        return tuple(sorted(rows, key=keys[wanted.sort], reverse=wanted.descending))  # type: ignore[arg-type]
    track = spec.track(wanted.sort)
    rows = sorted(rows, key=lambda row: (row.summary.submitted_at, row.summary.run_id))
    having = [
        (value, row)
        for row in rows
        if (value := row.values.get(track.name, {}).get(track.primary)) is not None
    ]
    having.sort(key=lambda pair: pair[0], reverse=wanted.descending)
    kept = {row.summary.run_id for _, row in having}
    return (*(row for _, row in having), *(row for row in rows if row.summary.run_id not in kept))


def _cells(spec: TaskSpec, row: Row, measures: Sequence[tuple[str, str]]) -> Iterator[str]:
    summary, method = row.summary, row.method
    yield from (str(summary.run_id), summary.name, summary.phase, summary.submitted_at.isoformat())
    yield from (summary.state, summary.kind)
    yield from ("yes" if flag else "" for flag in (summary.late, summary.withdrawn, summary.selected))
    yield from (method.system, method.resources, method.manner, method.link, summary.file_hash)
    yield from (_exact(row.values.get(track, {}).get(measure)) for track, measure in measures)
    yield from (_exact(row.places.get(track.name)) for track in spec.tracks)


def _exact(value: float | int | None) -> str:
    return "" if value is None else repr(value)
