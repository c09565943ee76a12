"""Organisers set how much of the values of runs everybody is told, track by track."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import news, public_values, settings, standings, task_specs
from leaderboard.services.audit import Actor
from leaderboard.services.news import SettingChange
from leaderboard.services.queue import Deliver
from leaderboard.services.settings import BadSetting, Setting
from leaderboard.services.tasks import known, locked

NAME = "public_values"


def setting(session: Session, declared: TaskSpec) -> Setting:
    """The rule of every track, as it is and as the task's folder declares it. Raises UnknownTask."""
    by_folder = public_values.declared(declared)
    now = public_values.declared(task_specs.as_set(session, declared))
    is_set = NAME in task_specs.settings_of(session, known(session, declared.name).id)
    return Setting(NAME, now, by_folder, is_set)


def change(
    session: Session,
    declared: TaskSpec,
    scorer: Scorer,
    wanted: Mapping[str, str],
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> bool:
    """Sets the rule of every track; whether that changed anything.

    What everybody is told of the runs there are is made anew at once, and so are the standings. Where runs
    have to be scored again for it, a job does that. Raises BadSetting, UnknownTask.
    """
    task = locked(session, declared.name)
    before = setting(session, declared)
    try:
        clean = public_values.clean(declared, wanted)
    except ValueError as error:
        raise BadSetting(NAME, say("Choose what everybody is told, and enter its number.")) from error
    if clean == before.value:
        # A folder may have come to declare it while a ranking was frozen.
        return _adopt(session, declared, scorer, now, deliver)
    if (why := public_values.cannot(session, declared, scorer, clean)) is not None:
        raise BadSetting(NAME, why)
    settings.store(session, task, NAME, clean, before.declared, actor, now)
    session.flush()
    settings.record(session, task, {NAME: before}, {NAME: clean}, actor, now)
    news.settings_changed(session, task, [SettingChange(NAME, None, before.value, clean)], now)
    _adopt(session, declared, scorer, now, deliver)
    return True


def _adopt(
    session: Session, declared: TaskSpec, scorer: Scorer, now: datetime, deliver: Deliver | None
) -> bool:
    if not public_values.adopt(session, declared):
        return False
    as_set = task_specs.as_set(session, declared)
    standings.refresh(session, as_set, scorer.VERSION, now)
    public_values.ask_for_units(session, declared, now, deliver)
    return True


def set_back(
    session: Session,
    declared: TaskSpec,
    scorer: Scorer,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> None:
    """Goes back to what the task's folder declares. Raises BadSetting, UnknownTask."""
    change(session, declared, scorer, public_values.declared(declared), actor, now, deliver)
