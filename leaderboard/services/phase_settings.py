"""The phases of a task as organisers set them: made, changed, closed, put in order, taken away.

What a phase is declared as stays beside what it is, so that a changed value can be set back. Every change is
logged; one that participants live by (times, quotas, what is shown) becomes news, and another deadline tells
late runs from others anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_args

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, PhaseSpec, SplitSpec, TaskSpec, Text, say, say_count
from leaderboard.services import audit, deadlines, news, phase_rows, splits, standings, task_specs
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.news import SettingChange
from leaderboard.services.phase_rows import COLUMNS, Column, values_of
from leaderboard.services.settings import LONGEST_LINE
from leaderboard.services.tasks import known, locked
from leaderboard.store import queries
from leaderboard.store.models import Phase, Run, Task

REVEALS = ("own", "board", "per-topic")
"""What a phase may show while it is open: to a team its own scores, to everybody the ranking, and values by
topic. None of them: nothing."""

_TOLD: frozenset[str] = frozenset(get_args(Column)) - {"title"}
"""The columns whose change participants are told of."""


class BadPhase(ServiceError):
    """A phase that cannot be like that; `field` names the value, None where it is no single one."""

    def __init__(self, field: str | None, message: Message) -> None:
        self.field = field
        super().__init__(message)


class UnknownPhase(ServiceError):
    """The task has no such phase."""


@dataclass(frozen=True, slots=True)
class PhaseSetting:
    """A phase as it is set: `declared` is what the task's folder says, None for one that organisers made;
    `changed` are the columns that differ. `taken_away`: it is no longer one of the task's phases."""

    phase: PhaseSpec
    declared: PhaseSpec | None
    changed: frozenset[str]
    taken_away: bool
    frozen_at: datetime | None
    runs: int
    revealed_at: datetime | None = None


def listing(session: Session, spec: TaskSpec) -> tuple[PhaseSetting, ...]:
    """The phases of a task in their order, those taken away last. Raises UnknownTask."""
    task = known(session, spec.name)
    counted = (
        select(Run.phase_id, func.count().label("runs")).where(Run.task_id == task.id).group_by(Run.phase_id)
    )
    runs = {row.phase_id: row.runs for row in session.execute(counted)}
    return tuple(_setting(row, runs.get(row.id, 0)) for row in queries.phases_of(session, task.id))


def named(session: Session, spec: TaskSpec, name: str) -> PhaseSetting:
    """One phase. Raises UnknownPhase, UnknownTask."""
    for setting in listing(session, spec):
        if setting.phase.name == name:
            return setting
    raise _unknown(spec, name)


def overlaps(phases: Sequence[PhaseSpec]) -> tuple[Message, ...]:
    """A warning for each two phases that are open at once: a run then goes to the one that opened last."""
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    found = []
    for number, one in enumerate(phases):
        for other in phases[number + 1 :]:
            opens = max(one.opens_at or first, other.opens_at or first)
            if opens < min(one.closes_at or last, other.closes_at or last):
                found.append(
                    say(
                        "{one} and {other} are open at the same time; a run then belongs to the one that "
                        "opened last.",
                        one=one.name,
                        other=other.name,
                    )
                )
    return tuple(found)


def make(
    session: Session, spec: TaskSpec, scorer_version: str, wanted: PhaseSpec, actor: Actor, now: datetime
) -> None:
    """Adds a phase after the others. Raises BadPhase, UnknownTask."""
    task = locked(session, spec.name)
    _require_possible(wanted)
    if queries.phase_named(session, task.id, wanted.name) is not None:
        raise BadPhase("name", say("There is a phase {phase} already.", phase=wanted.name))
    rows = queries.phases_of(session, task.id)
    row = Phase(
        task_id=task.id,
        name=wanted.name,
        position=1 + max((each.position for each in rows), default=-1),
        declared=True,
        declared_as=None,
        # All of it is the organisers': no folder declares it.
        changed=[*COLUMNS, "position"],
        **values_of(wanted),
    )
    session.add(row)
    session.flush()
    told = [SettingChange("made", Text(row.title), None, wanted.name)]
    told += [
        SettingChange(name, Text(row.title), None, getattr(row, name))
        for name in ("opens_at", "closes_at")
        if getattr(row, name) is not None
    ]
    news.settings_changed(session, task, told, now)
    _log(session, actor, task, row, "phase.made", {}, values_of(wanted), now)
    _refresh(session, spec, scorer_version, [row.id], now)


def change(
    session: Session, spec: TaskSpec, scorer_version: str, wanted: PhaseSpec, actor: Actor, now: datetime
) -> tuple[str, ...]:
    """Sets the phase of that name so, and returns the columns that became others.

    A column set to what the folder declares is no longer changed. Raises BadPhase, UnknownPhase, UnknownTask.
    """
    task = locked(session, spec.name)
    _require_possible(wanted)
    row = _row(session, spec, task, wanted.name)
    before, after = values_of(task_specs.phase_of(row)), values_of(wanted)
    changed = tuple(name for name in COLUMNS if before[name] != after[name])
    if not changed:
        return ()
    _require_no_runs(session, row, wanted.split)
    for name in changed:
        setattr(row, name, after[name])
    row.changed = phase_rows.changed_now(row)
    session.flush()
    _tell(session, task, row, changed, before, now)
    old, new = ({name: values[name] for name in changed} for values in (before, after))
    _log(session, actor, task, row, "phase.changed", old, new, now)
    late_anew = "closes_at" in changed and deadlines.settle(session, row)
    if late_anew or "split" in changed:
        _refresh(session, spec, scorer_version, [row.id], now)
    return changed


def close(
    session: Session, spec: TaskSpec, scorer_version: str, name: str, actor: Actor, now: datetime
) -> None:
    """Closes a phase now. Raises BadPhase, UnknownPhase, UnknownTask."""
    phase = named(session, spec, name).phase
    if phase.opens_at is not None and phase.opens_at >= now:
        raise BadPhase(None, say("This phase has not opened yet."))
    if phase.closes_at is not None and phase.closes_at <= now:
        raise BadPhase(None, say("This phase is closed already."))
    change(session, spec, scorer_version, replace(phase, closes_at=now), actor, now)


def set_back(
    session: Session, spec: TaskSpec, scorer_version: str, name: str, column: str, actor: Actor, now: datetime
) -> None:
    """Gives a column the value that the folder declares. Raises BadPhase, UnknownPhase, UnknownTask."""
    setting = named(session, spec, name)
    if setting.declared is None or column not in COLUMNS:
        raise BadPhase(None, say("Nothing is declared for this; there is nothing to go back to."))
    value = getattr(setting.declared, column)
    change(session, spec, scorer_version, replace(setting.phase, **{column: value}), actor, now)


def reorder(session: Session, spec: TaskSpec, names: Sequence[str], actor: Actor, now: datetime) -> None:
    """Puts the phases in that order. Raises BadPhase, UnknownTask."""
    task = locked(session, spec.name)
    rows = {row.name: row for row in queries.phases_of(session, task.id) if row.declared}
    if sorted(names) != sorted(rows):
        raise BadPhase(None, say("Name every phase of the task once."))
    if list(rows) == list(names):
        return
    for position, name in enumerate(names):
        row = rows[name]
        row.position = position
        row.changed = sorted({*row.changed, "position"})
    session.flush()
    logged = Change(
        "phases.reordered", "task", task.id, task.name, {"order": list(rows)}, {"order": list(names)}
    )
    audit.record(session, actor, task.id, logged, now)


def take_away(session: Session, spec: TaskSpec, name: str, actor: Actor, now: datetime) -> None:
    """Takes a phase away that no run belongs to. One that the folder declares can be brought back.

    Raises BadPhase, UnknownPhase, UnknownTask.
    """
    task = locked(session, spec.name)
    row = _row(session, spec, task, name)
    runs = session.scalar(select(func.count()).select_from(Run).where(Run.phase_id == row.id)) or 0
    if runs:
        stays = say_count(
            "{count} run belongs to this phase; it stays. You can close it.",
            "{count} runs belong to this phase; it stays. You can close it.",
            runs,
        )
        raise BadPhase(None, stays)
    if row.declared and sum(each.declared for each in queries.phases_of(session, task.id)) == 1:
        raise BadPhase(None, say("This is the only phase; a task has at least one."))
    title = Text(row.title)
    _log(session, actor, task, row, "phase.taken_away", values_of(task_specs.phase_of(row)), {}, now)
    if row.declared_as is None:
        phase_rows.remove(session, row)
    else:
        row.declared, row.changed = False, sorted({*row.changed, "declared"})
    session.flush()
    news.settings_changed(session, task, [SettingChange("taken away", title, name, None)], now)


def bring_back(
    session: Session, spec: TaskSpec, scorer_version: str, name: str, actor: Actor, now: datetime
) -> None:
    """Brings a phase back that was taken away. Raises UnknownPhase, UnknownTask."""
    task = locked(session, spec.name)
    row = _row(session, spec, task, name)
    if row.declared or "declared" not in row.changed:
        raise _unknown(spec, name)
    row.declared, row.changed = True, [each for each in row.changed if each != "declared"]
    session.flush()
    _log(session, actor, task, row, "phase.brought_back", {}, {"name": name}, now)
    news.settings_changed(session, task, [SettingChange("made", Text(row.title), None, name)], now)
    _refresh(session, spec, scorer_version, [row.id], now)


def _setting(row: Phase, runs: int) -> PhaseSetting:
    declared = phase_rows.declared_of(row)
    changed = frozenset(row.changed) & frozenset(COLUMNS) if declared is not None else frozenset()
    taken_away = not row.declared
    return PhaseSetting(
        task_specs.phase_of(row), declared, changed, taken_away, row.frozen_at, runs, row.revealed_at
    )


def _require_possible(phase: PhaseSpec) -> None:
    for name, words, most in (
        ("name", (phase.name,), phase_rows.LONGEST_NAME),
        ("title", phase.title.by_language.values(), LONGEST_LINE),
    ):
        if any(len(each) > most for each in words):
            raise BadPhase(name, say("This is longer than {most} characters; shorten it.", most=most))
    if not phase_rows.NAME.fullmatch(phase.name):
        raise BadPhase("name", say("It becomes part of addresses: use a-z, 0-9, - and _, a letter first."))
    if not phase.title.by_language.get("en", "").strip():
        raise BadPhase("title", say("Write it in English at least; other languages fall back to that."))
    if phase.opens_at is not None and phase.closes_at is not None and phase.closes_at <= phase.opens_at:
        raise BadPhase("closes_at", say("A phase closes after it opens."))
    for name in ("runs_per_day", "runs_in_all", "rejected_per_day"):
        limit = getattr(phase, name)
        if limit is not None and not 0 <= limit <= phase_rows.MOST:
            raise BadPhase(name, say("A quota is a number from 0 to {most}.", most=phase_rows.MOST))
    if not set(phase.reveals) <= set(REVEALS):
        raise BadPhase("reveals", say("Choose from what is listed."))
    if (fault := splits.fault(phase.split)) is not None:
        raise BadPhase(*fault)


def _require_no_runs(session: Session, row: Phase, wanted: SplitSpec | None) -> None:
    """What was shown of a part cannot be taken back: which units are public stands once there are runs."""
    if splits.same_parts(splits.split_of(row), wanted):
        return
    if session.scalar(select(func.count()).select_from(Run).where(Run.phase_id == row.id)):
        raise BadPhase("public", say("Runs belong to this phase; which units are public stays as it is."))


def _row(session: Session, spec: TaskSpec, task: Task, name: str) -> Phase:
    row = queries.phase_named(session, task.id, name)
    if row is None:
        raise _unknown(spec, name)
    return row


def _unknown(spec: TaskSpec, name: str) -> UnknownPhase:
    return UnknownPhase(say("The task {task} has no phase {phase}.", task=spec.name, phase=name))


def _tell(
    session: Session,
    task: Task,
    row: Phase,
    changed: Sequence[str],
    before: Mapping[str, Any],
    now: datetime,
) -> None:
    changes = [
        SettingChange(
            name, Text(row.title), *(splits.told(name, value) for value in (before[name], getattr(row, name)))
        )
        for name in changed
        if name in _TOLD
    ]
    news.settings_changed(session, task, changes, now)


def _log(
    session: Session,
    actor: Actor,
    task: Task,
    row: Phase,
    action: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    now: datetime,
) -> None:
    audit.record(session, actor, task.id, Change(action, "phase", row.id, row.name, before, after), now)


def _refresh(
    session: Session, spec: TaskSpec, scorer_version: str, phase_ids: Sequence[int], now: datetime
) -> None:
    standings.refresh(session, task_specs.as_set(session, spec), scorer_version, now, phase_ids)
