"""The standings of a phase, worked out from the stored scores: tables that are not stored yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from sqlalchemy.orm import Session

from leaderboard.contract import CountingRule, Message, TaskSpec, TrackSpec, say
from leaderboard.rules import Entry, Kind, Placed, mean_rank, place
from leaderboard.services.table_lines import Line, Table, Values
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.models import (
    FINAL,
    IN_TIME,
    POST_EVALUATION,
    PRIVATE,
    PUBLIC,
    SHOWN_SPLITS,
    WHOLE,
    GoldVersion,
    Phase,
)

__all__ = ["AsIf", "Line", "Table", "Values", "compute"]


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

    Where late runs came in, the same once more for the stage after the evaluation, which ranks them too;
    where the phase parts its gold, the same on the private part, which decides.
    """
    if as_if is None:
        gold = queries.active_gold(session, known(session, spec.name).id)
        candidates = queries.candidates(session, phase_id)
    else:
        gold, candidates = as_if.gold, queries.candidates(session, phase_id, as_if.draft_id)
    scored = _scored_by_track(session, spec, phase_id, gold, candidates, SHOWN_SPLITS)
    rankings = _rankings(spec, scored, candidates)
    parted = session.get_one(Phase, phase_id).split is not None
    shown = _Where(phase_id, IN_TIME, PUBLIC if parted else WHOLE)
    tables = _tables(session, spec, scorer_version, shown, scored, rankings, candidates)
    if any(candidate.late for candidate in candidates):
        in_time = [replace(candidate, late=False) for candidate in candidates]
        after = replace(shown, stage=POST_EVALUATION)
        again = _rankings(spec, scored, in_time)
        tables += _tables(session, spec, scorer_version, after, scored, again, in_time)
    if parted and as_if is None:
        tables += _final(session, spec, scorer_version, (phase_id, gold), rankings, candidates)
    return tables


@dataclass(frozen=True, slots=True)
class _Where:
    """Of which phase a table is, at which stage, and on which part of the gold."""

    phase_id: int
    stage: str
    split: str


def _final(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    where: tuple[int, Mapping[str, GoldVersion]],
    shown: Mapping[str, Sequence[Placed]],
    candidates: Sequence[queries.Candidate],
) -> tuple[Table, ...]:
    """The final standing: values on the private part, of the runs that teams chose; of a team that chose
    none, of the run that counts for it on the public part, track by track."""
    phase_id, gold = where
    in_time = [candidate for candidate in candidates if not candidate.late]
    scored = _scored_by_track(session, spec, phase_id, gold, in_time, (PRIVATE,))
    chose = {candidate.team_id for candidate in in_time if candidate.final}
    rankings = {}
    for name, found in scored.items():
        listed = {line.entry.run for line in shown[name]}
        finalists = [
            candidate
            for candidate in in_time
            if (candidate.final if candidate.team_id in chose else candidate.run_id in listed)
            or candidate.kind != "ordinary"
        ]
        rankings[name] = _rank(spec.track(name), found, finalists, "best")
    final = _Where(phase_id, FINAL, PRIVATE)
    return _tables(session, spec, scorer_version, final, scored, rankings, in_time)


def _scored_by_track(
    session: Session,
    spec: TaskSpec,
    phase_id: int,
    gold: Mapping[str, GoldVersion],
    candidates: Sequence[queries.Candidate],
    splits: tuple[str, ...],
) -> dict[str, _Scored]:
    return {
        track.name: _scored(session, phase_id, gold[track.name], track, candidates, splits)
        for track in spec.tracks
        if track.name in gold
    }


def _scored(
    session: Session,
    phase_id: int,
    gold: GoldVersion,
    track: TrackSpec,
    candidates: Sequence[queries.Candidate],
    splits: tuple[str, ...],
) -> _Scored:
    values = queries.values_of_measure(session, phase_id, gold.id, track.primary, splits)
    return _Scored(gold, values, all(candidate.run_id in values for candidate in candidates))


def _rankings(
    spec: TaskSpec, scored: Mapping[str, _Scored], candidates: Sequence[queries.Candidate]
) -> dict[str, tuple[Placed, ...]]:
    return {name: _rank(spec.track(name), found, candidates, spec.counting) for name, found in scored.items()}


def _tables(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    where: _Where,
    scored: Mapping[str, _Scored],
    rankings: Mapping[str, tuple[Placed, ...]],
    candidates: Sequence[queries.Candidate],
) -> tuple[Table, ...]:
    """The tables of one phase and stage."""
    listed = {line.entry.run for lines in rankings.values() for line in lines}
    versions = {name: found.gold.number for name, found in scored.items()}
    splits = (PRIVATE,) if where.split == PRIVATE else SHOWN_SPLITS
    values = queries.values_of_runs(session, listed, [found.gold.id for found in scored.values()], splits)
    places = _places(rankings)
    teams = {candidate.run_id: candidate.team_id for candidate in candidates}

    def table(track: str | None, gold_id: int | None, lines: tuple[Line, ...], settled: bool) -> Table:
        return Table(
            where.phase_id,
            where.stage,
            track,
            gold_id,
            scorer_version,
            versions,
            lines,
            settled,
            where.split,
        )

    tables = [
        table(
            name,
            found.gold.id,
            tuple(_line(line, teams, values, places) for line in rankings[name]),
            found.complete,
        )
        for name, found in scored.items()
    ]
    if spec.overall is not None and scored:
        complete = all(found.complete for found in scored.values())
        tables.append(table(None, None, _overall(rankings, teams, values), complete))
    return tuple(tables)


def _rank(
    track: TrackSpec,
    scored: _Scored,
    candidates: Sequence[queries.Candidate],
    counting: CountingRule,
) -> tuple[Placed, ...]:
    unscored = (
        None,
        say(
            "This run has not been scored on version {number} of the benchmark yet.",
            number=scored.gold.number,
        ),
    )
    entries = [_entry(candidate, *scored.values.get(candidate.run_id, unscored)) for candidate in candidates]
    return place(entries, counting, higher_is_better=track.higher_is_better)


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
