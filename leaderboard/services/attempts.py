"""What a team, and a person who sends for it, have used of a phase's quota.

A quota is a team's. So that nobody gets another one by leaving a team and making the next, runs that other
teams sent while a person was in them count for that person too: not for the others in the new team.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.rules import Attempts
from leaderboard.store.models import Membership, Run, Team

_COUNTED = (Run.kind != "baseline", Run.deleted_at.is_(None))


def of_team(session: Session, phase_id: int, team_id: int) -> Attempts:
    """When a team sent what costs a slot, and what was faulty."""
    return _attempts(_sent(session, phase_id, {team_id}, ()))


def by_team(session: Session, task_id: int) -> Mapping[tuple[int, int], Attempts]:
    """`of_team` for all teams of a task and all of its phases, by the numbers of team and phase."""
    statement = select(Run.team_id, Run.phase_id, Run.state, Run.submitted_at).where(
        Run.task_id == task_id, *_COUNTED
    )
    found: dict[tuple[int, int], list[tuple[str, datetime]]] = {}
    for team_id, phase_id, state, moment in session.execute(statement):
        found.setdefault((team_id, phase_id), []).append((state, moment))
    return {both: _attempts(sent) for both, sent in found.items()}


def elsewhere(session: Session, phase_id: int, team_id: int, user_id: int) -> Attempts:
    """The same of other teams of the task, while a person was in them. What a team that was joined to another
    had sent counts as the other's."""
    task_id = session.scalar(select(Team.task_id).where(Team.id == team_id))
    mine = select(Membership).where(Membership.user_id == user_id, Membership.task_id == task_id)
    times = [
        (_now(session, row.team_id), row.joined_at, row.left_at)
        for row in session.scalars(mine.execution_options(populate_existing=True))
    ]
    there = [each for each in times if each[0] != team_id]
    found = _sent(session, phase_id, {team for team, _, _ in there}, tuple(there))
    return _attempts(found)


def together(one: Attempts, other: Attempts) -> Attempts:
    """What both have used."""
    return Attempts(one.sent + other.sent, one.rejected + other.rejected)


def _now(session: Session, team_id: int) -> int:
    """The team that a team has become, by being joined to others."""
    merged_into = session.scalar(select(Team.merged_into).where(Team.id == team_id))
    return team_id if merged_into is None else _now(session, merged_into)


_Time = tuple[int, datetime, datetime | None]


def _sent(
    session: Session, phase_id: int, teams: set[int], within: tuple[_Time, ...]
) -> list[tuple[str, datetime]]:
    if not teams:
        return []
    statement = select(Run.team_id, Run.state, Run.submitted_at, Run.received_at).where(
        Run.phase_id == phase_id,
        Run.team_id.in_(teams),
        *_COUNTED,
    )
    return [
        (state, moment)
        for team_id, state, moment, received_at in session.execute(statement)
        if not within or any(_covers(time, team_id, moment, received_at) for time in within)
    ]


def _covers(time: _Time, team_id: int, moment: datetime, received_at: datetime) -> bool:
    """By when the whole file was there: one that is on its way while its sender changes teams counts too."""
    team, joined_at, left_at = time
    return team == team_id and joined_at <= received_at and (left_at is None or moment < left_at)


def _attempts(found: list[tuple[str, datetime]]) -> Attempts:
    return Attempts(
        sent=tuple(moment for state, moment in found if state in ("received", "scored")),
        rejected=tuple(moment for state, moment in found if state == "rejected"),
    )
