"""The standings of a phase, worked out from the stored scores: tables that are not stored yet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, TrackSpec, say
from leaderboard.rules import Entry, Kind, Placed, mean_rank, place
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.columns import message_as_json
from leaderboard.store.models import IN_TIME, POST_EVALUATION, GoldVersion

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

    `stage` says whether late runs take places. `versions` names, by track, the number of the gold version
    that the values were made with; `settled`: every run of the phase has been scored on those.
    """

    phase_id: int
    stage: str
    track: str | None
    gold_version_id: int | None
    scorer_version: str
    versions: Mapping[str, int]
    lines: tuple[Line, ...]
    settled: bool

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


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the runs of a phase scored on one gold version; `complete`: all have been scored on it."""

    gold: GoldVersion
    values: Mapping[int, tuple[float | None, Message | None]]
    complete: bool


@dataclass(frozen=True, slots=True)
class AsIf:
    """That a draft of gold had been applied: its number in the database, and what gold would be active."""

    draft_id: int
    gold: Mapping[str, GoldVersion]


def compute(
    session: Session, spec: TaskSpec, scorer_version: str, phase_id: int, as_if: AsIf | None = None
) -> tuple[Table, ...]:
    """The standings of a phase on each track that has gold, then overall where the task wants that.

    Where late runs came in, the same once more for the stage after the evaluation, which ranks them too.
    """
    if as_if is None:
        gold = queries.active_gold(session, known(session, spec.name).id)
        candidates = queries.candidates(session, phase_id)
    else:
        gold, candidates = as_if.gold, queries.candidates(session, phase_id, as_if.draft_id)
    scored = {
        track.name: _scored(session, phase_id, gold[track.name], track, candidates)
        for track in spec.tracks
        if track.name in gold
    }
    tables = _tables(session, spec, scorer_version, (phase_id, IN_TIME), scored, candidates)
    if any(candidate.late for candidate in candidates):
        in_time = [replace(candidate, late=False) for candidate in candidates]
        tables += _tables(session, spec, scorer_version, (phase_id, POST_EVALUATION), scored, in_time)
    return tables


def _scored(
    session: Session,
    phase_id: int,
    gold: GoldVersion,
    track: TrackSpec,
    candidates: Sequence[queries.Candidate],
) -> _Scored:
    values = queries.values_of_measure(session, phase_id, gold.id, track.primary)
    return _Scored(gold, values, all(candidate.run_id in values for candidate in candidates))


def _tables(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    place_of: tuple[int, str],
    scored: Mapping[str, _Scored],
    candidates: Sequence[queries.Candidate],
) -> tuple[Table, ...]:
    """The tables of one phase and stage."""
    phase_id, stage = place_of
    rankings = {name: _rank(spec, spec.track(name), found, candidates) for name, found in scored.items()}
    listed = {line.entry.run for lines in rankings.values() for line in lines}
    versions = {name: found.gold.number for name, found in scored.items()}
    values = queries.values_of_runs(session, listed, [found.gold.id for found in scored.values()])
    places = _places(rankings)
    teams = {candidate.run_id: candidate.team_id for candidate in candidates}
    tables = [
        Table(
            phase_id,
            stage,
            name,
            found.gold.id,
            scorer_version,
            versions,
            tuple(_line(line, teams, values, places) for line in rankings[name]),
            found.complete,
        )
        for name, found in scored.items()
    ]
    if spec.overall is not None and scored:
        complete = all(found.complete for found in scored.values())
        lines = _overall(rankings, teams, values)
        tables.append(Table(phase_id, stage, None, None, scorer_version, versions, lines, complete))
    return tuple(tables)


def _rank(
    spec: TaskSpec, track: TrackSpec, scored: _Scored, candidates: Sequence[queries.Candidate]
) -> tuple[Placed, ...]:
    unscored = (
        None,
        say(
            "This run has not been scored on version {number} of the benchmark yet.",
            number=scored.gold.number,
        ),
    )
    entries = [_entry(candidate, *scored.values.get(candidate.run_id, unscored)) for candidate in candidates]
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
