"""What the public calls teams: by their alias, where they gave one, until the organisers reveal the names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.services.teams import shown_name
from leaderboard.store import queries
from leaderboard.store.models import Task, Team


def public_names(session: Session, task: Task, now: datetime | None) -> Mapping[int, str]:
    """What the public calls every team of a task at `now` (None: before any name is revealed)."""
    rows = session.execute(select(Team.id, Team.name, Team.alias).where(Team.task_id == task.id))
    return {team_id: public_name(task, name, alias, now) for team_id, name, alias in rows}


def public_name_of(session: Session, task: Task, name: str, now: datetime | None) -> str:
    """The name of the team that calls itself so, as the public reads it."""
    team = queries.team_named(session, task.id, name)
    return name if team is None else public_name(task, team.name, team.alias, now)


def public_name(task: Task, name: str, alias: str | None, now: datetime | None) -> str:
    """One team's name as the public reads it."""
    if now is None:
        return alias or name
    return shown_name(name, alias, task.names_revealed_at, now)
