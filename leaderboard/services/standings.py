"""The standings of a task: computed from the stored scores when something changes, and stored.

What is computed depends on the stored runs and scores alone, not on the order in which they came; storing
the same standings again changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, TrackSpec, say
from leaderboard.rules import Entry, Kind, Placed, mean_rank, place
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.columns import message_as_json
from leaderboard.store.models import WHOLE, Board, GoldVersion, Standing, Task

Values = Mapping[str, Mapping[str, float | None]]
"""Track to measure to value, None where undefined."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: a run, or in an overall table a team (`run_id` None; `runs` by track)."""

    place: int | None
    team_id: int
    run_id: int | None
    value: float | None
    values: Values
    places: Mapping[str, int]
    reason: Message | None = None
    kind: Kind = "ordinary"
    runs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The standings of one phase on one track (None: overall), best first.

    `versions` names, by track, the number of the gold version that the values were made with.
    """

    phase_id: int
    track: str | None
    gold_version_id: int | None
    scorer_version: str
    versions: Mapping[str, int]
    lines: tuple[Line, ...]

    @property
    def fingerprint(self) -> str:
        """Changes whenever anything in the table does."""
        lines = [
            (
                line.place,
                line.team_id,
                line.run_id,
                line.value,
                line.values,
                line.places,
                line.reason and message_as_json(line.reason),
                line.kind,
                line.runs,
            )
            for line in self.lines
        ]
        text = json.dumps([self.scorer_version, self.versions, lines], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def refresh(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    now: datetime,
    phase_ids: Collection[int] | None = None,
) -> int:
    """Computes and stores the boards of the given phases (None: all); returns how many have changed."""
    task = locked(session, spec.name)
    session.flush()
    if phase_ids is None:
        phase_ids = [phase.id for phase in queries.phases_of(session, task.id)]
        task.standings_due = False
    changed = 0
    for phase_id in phase_ids:
        for table in compute(session, spec, scorer_version, phase_id):
            changed += _store(session, task, table, now)
    return changed


def mark_due(task: Task) -> None:
    """Remembers that scores were written which the boards do not show yet."""
    task.standings_due = True


def due(session: Session, spec: TaskSpec) -> bool:
    """Whether scores were written which the boards do not show yet."""
    return known(session, spec.name).standings_due


def compute(session: Session, spec: TaskSpec, scorer_version: str, phase_id: int) -> tuple[Table, ...]:
    """The standings of a phase on each track that has gold, then overall where the task wants that."""
    task = known(session, spec.name)
    gold = queries.active_gold(session, task.id)
    tracks = [track for track in spec.tracks if track.name in gold]
    candidates = {candidate.run_id: candidate for candidate in queries.candidates(session, phase_id)}
    rankings = {
        track.name: _rank(session, spec, track, gold[track.name], phase_id, candidates.values())
        for track in tracks
    }
    listed = {line.entry.run for lines in rankings.values() for line in lines}
    versions = {track.name: gold[track.name].number for track in tracks}
    values = queries.values_of_runs(session, listed, [gold[track.name].id for track in tracks])
    places = _places(rankings)
    teams = {run_id: candidate.team_id for run_id, candidate in candidates.items()}
    tables = [
        Table(
            phase_id,
            track.name,
            gold[track.name].id,
            scorer_version,
            versions,
            tuple(_line(line, teams, values, places) for line in rankings[track.name]),
        )
        for track in tracks
    ]
    if spec.overall is not None and tracks:
        overall = _overall(rankings, teams, values)
        tables.append(Table(phase_id, None, None, scorer_version, versions, overall))
    return tuple(tables)


def _rank(
    session: Session,
    spec: TaskSpec,
    track: TrackSpec,
    gold: GoldVersion,
    phase_id: int,
    candidates: Collection[queries.Candidate],
) -> tuple[Placed, ...]:
    values = queries.values_of_measure(session, phase_id, gold.id, track.primary)
    unscored = (
        None,
        say("This run has not been scored on version {number} of the benchmark yet.", number=gold.number),
    )
    entries = [_entry(candidate, *values.get(candidate.run_id, unscored)) for candidate in candidates]
    return place(entries, spec.counting, higher_is_better=track.higher_is_better)


def _entry(candidate: queries.Candidate, value: float | None, reason: Message | None) -> Entry:
    return Entry(
        run=candidate.run_id,
        team=candidate.team,
        submitted_at=candidate.submitted_at,
        value=value,
        reason=reason,
        kind=cast(Kind, candidate.kind),
        late=candidate.late,
        disqualified=_disqualification(candidate),
        selected=candidate.selected,
        file_hash=candidate.file_hash,
    )


def _disqualification(candidate: queries.Candidate) -> Message | None:
    if not candidate.disqualified:
        return None
    if not candidate.disqualified_for:
        return say("The organisers disqualified this run.")
    return say("The organisers disqualified this run: {reason}", reason=candidate.disqualified_for)


def _places(rankings: Mapping[str, Sequence[Placed]]) -> dict[int, dict[str, int]]:
    places: dict[int, dict[str, int]] = {}
    for track, lines in rankings.items():
        for line in lines:
            if line.place is not None:
                places.setdefault(line.entry.run, {})[track] = line.place
    return places


def _line(
    line: Placed,
    teams: Mapping[int, int],
    values: Mapping[int, Values],
    places: Mapping[int, Mapping[str, int]],
) -> Line:
    run = line.entry.run
    return Line(
        place=line.place,
        team_id=teams[run],
        run_id=run,
        value=line.entry.value,
        values=values.get(run, {}),
        places=places.get(run, {}),
        reason=line.reason,
        kind=line.entry.kind,
    )


def _overall(
    rankings: Mapping[str, Sequence[Placed]], teams: Mapping[int, int], values: Mapping[int, Values]
) -> tuple[Line, ...]:
    runs: dict[str, dict[str, int]] = {}
    for track, ranking in rankings.items():
        for placed in ranking:
            if placed.place is not None:
                runs.setdefault(placed.entry.team, {})[track] = placed.entry.run
    return tuple(
        Line(
            place=line.place,
            team_id=teams[next(iter(runs[line.team].values()))],
            run_id=None,
            value=line.value,
            values={track: values[run].get(track, {}) for track, run in runs[line.team].items()},
            places=line.places,
            runs=runs[line.team],
        )
        for line in mean_rank(rankings)
    )


def _store(session: Session, task: Task, table: Table, now: datetime) -> bool:
    statement = select(Board).where(
        Board.phase_id == table.phase_id,
        Board.track.is_(None) if table.track is None else Board.track == table.track,
        Board.split == WHOLE,
        Board.gold_version_id.is_(None)
        if table.gold_version_id is None
        else Board.gold_version_id == table.gold_version_id,
    )
    board = session.scalars(statement).one_or_none()
    fingerprint = table.fingerprint
    if board is not None and board.fingerprint == fingerprint:
        return False
    if board is None:
        board = Board(task_id=task.id, phase_id=table.phase_id, track=table.track, split=WHOLE, revision=0)
        board.gold_version_id = table.gold_version_id
        session.add(board)
    board.scorer_version = table.scorer_version
    board.versions = dict(table.versions)
    board.computed_at = now
    board.revision += 1
    board.fingerprint = fingerprint
    session.flush()
    session.execute(delete(Standing).where(Standing.board_id == board.id))
    if table.lines:
        rows = [_row(board.id, *numbered) for numbered in enumerate(table.lines, 1)]
        # Without the option, lines with and without a place would go in statements of their own.
        session.execute(insert(Standing).execution_options(render_nulls=True), rows)
    return True


def _row(board_id: int, position: int, line: Line) -> dict[str, object]:
    return {
        "board_id": board_id,
        "position": position,
        "place": line.place,
        "team_id": line.team_id,
        "run_id": line.run_id,
        "value": line.value,
        "values": line.values,
        "places": line.places,
        "runs": line.runs,
        "reason": line.reason,
        "kind": line.kind,
    }
