"""Showing the final standing of a phase whose organisers say when."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text, say
from leaderboard.services import audit, news, standings, task_specs
from leaderboard.services.audit import Actor, Change
from leaderboard.services.news import SettingChange
from leaderboard.services.phase_settings import BadPhase, UnknownPhase
from leaderboard.services.splits import split_of
from leaderboard.services.tasks import locked
from leaderboard.store import queries


def reveal(
    session: Session, spec: TaskSpec, scorer_version: str, name: str, actor: Actor, now: datetime
) -> None:
    """Shows the final standing of a phase that has closed, for good. Raises BadPhase, UnknownPhase."""
    task = locked(session, spec.name)
    row = queries.phase_named(session, task.id, name)
    if row is None:
        raise UnknownPhase(say("The task {task} has no phase {phase}.", task=spec.name, phase=name))
    split = split_of(row)
    if split is None or split.reveal != "organisers":
        raise BadPhase(None, say("There is nothing for organisers to reveal in this phase."))
    if row.closes_at is None or row.closes_at > now:
        raise BadPhase(None, say("The phase is open; close it first, or teams would learn what decides."))
    if row.revealed_at is not None:
        raise BadPhase(None, say("The final standing is shown already."))
    row.revealed_at = now
    session.flush()
    values = ({"revealed_at": None}, {"revealed_at": now})
    audit.record(session, actor, task.id, Change("phase.revealed", "phase", row.id, row.name, *values), now)
    news.settings_changed(session, task, [SettingChange("revealed", Text(row.title), None, now)], now)
    standings.refresh(session, task_specs.as_set(session, spec), scorer_version, now, [row.id])
