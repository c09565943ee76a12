"""What applying a draft of gold would change: places, values, and runs that get or lose a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.services.tables import AsIf, Line, Table, compute
from leaderboard.store import queries
from leaderboard.store.columns import message_as_json
from leaderboard.store.models import Draft, DraftFailure, GoldVersion, Phase

LISTED = 200
"""So many runs that get or lose a value are named for a board; all are counted."""

_Values = Mapping[int, tuple[float | None, Message | None]]


def as_if(session: Session, draft: Draft) -> AsIf:
    """That the draft had been applied."""
    drafted = queries.gold_versions(session, list(draft.versions.values()))
    active = queries.active_gold(session, draft.task_id)
    return AsIf(draft.id, {**active, **{version.track: version for version in drafted}})


def between(session: Session, spec: TaskSpec, draft: Draft) -> dict[str, Any]:
    """The difference as `Draft.difference` keeps it: ``boards``, a list of what changes on each.

    A board has the name of its ``phase``, its ``stage`` and ``track`` (None: overall), the ``teams`` that
    have a place now or then, the ``moves`` of those whose place changes (``team``, ``run`` and place and
    value ``before`` and ``after``, None where there is none), and for a track what becomes of the values of
    all runs: ``runs`` compared, ``changed``, the ``largest`` change, ``lost`` and ``gained``.
    """
    boards = []
    future = as_if(session, draft)
    for phase in queries.phases_of(session, draft.task_id):
        before = compute(session, spec, draft.scorer_version, phase.id)
        after = compute(session, spec, draft.scorer_version, phase.id, future)
        old = {(table.stage, table.track): table for table in before}
        for table in after:
            board = _board(phase, old.get((table.stage, table.track)), table)
            if table.track in draft.versions:
                board |= _of_values(session, spec, draft, phase, table.track)
            boards.append(board)
    return {"boards": boards}


def _board(phase: Phase, before: Table | None, after: Table) -> dict[str, Any]:
    old, new = _placed(before), _placed(after)
    moves = [
        {
            "team": team,
            "run": _run(new.get(team)) or _run(old.get(team)),
            "before": _stood(old.get(team)),
            "after": _stood(new.get(team)),
        }
        for team in [*new, *(team for team in old if team not in new)]
        if _place(old.get(team)) != _place(new.get(team))
    ]
    return {
        "phase": phase.name,
        "stage": after.stage,
        "track": after.track,
        "teams": len(old.keys() | new.keys()),
        "moves": moves,
    }


def _placed(table: Table | None) -> dict[int, Line]:
    """By team, the line that has a place: there is one at most."""
    return {line.team_id: line for line in table.lines if line.place is not None} if table else {}


def _place(line: Line | None) -> int | None:
    return line.place if line else None


def _run(line: Line | None) -> int | None:
    return line.run_id if line else None


def _stood(line: Line | None) -> list[Any] | None:
    return [line.place, line.value] if line else None


def _of_values(session: Session, spec: TaskSpec, draft: Draft, phase: Phase, track: str) -> dict[str, Any]:
    """What becomes of the values that rank on a track, over all runs that its board may list."""
    active = queries.active_gold(session, draft.task_id).get(track)
    old = _values(session, spec, phase, active)
    new = _values(session, spec, phase, session.get_one(GoldVersion, draft.versions[track]))
    listed = {candidate.run_id for candidate in queries.candidates(session, phase.id)}
    future = {candidate.run_id for candidate in queries.candidates(session, phase.id, draft.id)}
    before = {run: old[run][0] for run in listed if run in old}
    after = {run: new[run][0] for run in future if run in new}
    both = [
        (run, value, after[run])
        for run, value in sorted(before.items())
        if value is not None and after.get(run) is not None
    ]
    changed = [(run, value, now) for run, value, now in both if now is not None and now != value]
    largest = max(changed, key=lambda each: abs(each[2] - each[1]), default=None)
    lost = [run for run, value in sorted(before.items()) if value is not None and after.get(run) is None]
    gained = [run for run, value in sorted(after.items()) if value is not None and before.get(run) is None]
    return {
        "runs": len(before.keys() | after.keys()),
        "changed": len(changed),
        "largest": None if largest is None else dict(zip(("run", "before", "after"), largest, strict=True)),
        "lost": list(_lost(session, draft, lost[:LISTED], before, new)),
        "lost_in_all": len(lost),
        "gained": [{"run": run, "after": after[run]} for run in gained[:LISTED]],
        "gained_in_all": len(gained),
    }


def _values(session: Session, spec: TaskSpec, phase: Phase, version: GoldVersion | None) -> _Values:
    if version is None:
        return {}
    measure = spec.track(version.track).primary
    return queries.values_of_measure(session, phase.id, version.id, measure)


def _lost(
    session: Session, draft: Draft, runs: list[int], before: Mapping[int, float | None], new: _Values
) -> Iterator[dict[str, Any]]:
    failures = {
        failure.run_id: failure.message
        for failure in session.scalars(
            select(DraftFailure).where(DraftFailure.draft_id == draft.id, DraftFailure.run_id.in_(runs))
        )
    }
    for run in runs:
        why = failures.get(run) or new.get(run, (None, None))[1]
        yield {"run": run, "before": before[run], "why": message_as_json(why) if why else None}
