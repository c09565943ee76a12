"""Tasks as they are run here: what their folder declares, with what organisers set in place of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, TaskSpec, Text
from leaderboard.services import splits
from leaderboard.services.tasks import known
from leaderboard.store import models, queries

Find = Callable[[str], TaskSpec]
"""Finds what a folder declares, by the task's name; raises CatalogError."""

TEXTS = ("title", "summary")
"""The fields of a task that organisers may set as texts by language."""

WORDS = ("counting", "citation", "bibtex")
"""Those that they may set as they are."""


def spec_of(session: Session, find: Find, name: str) -> TaskSpec:
    """The task of that name as it is run here; one without a row here is as its folder declares it.

    An edition that organisers made has no folder of its own: it is scored as the task that it is based on.
    Raises CatalogError.
    """
    row = queries.task_named(session, name)
    declared = _declared(find, name, row)
    return declared if row is None else _under_settings(session, row.id, declared)


def declared_of(session: Session, find: Find, name: str) -> TaskSpec:
    """The task of that name as its folder declares it, without what organisers set. Raises CatalogError."""
    return _declared(find, name, queries.task_named(session, name))


def _declared(find: Find, name: str, row: models.Task | None) -> TaskSpec:
    return find(name) if row is None else replace(find(row.based_on or name), name=name)


def as_set(session: Session, spec: TaskSpec) -> TaskSpec:
    """The task with what organisers set in place of what its folder declares. Raises UnknownTask."""
    return _under_settings(session, known(session, spec.name).id, spec)


def _under_settings(session: Session, task_id: int, spec: TaskSpec) -> TaskSpec:
    values = settings_of(session, task_id)
    texts = {name: Text(values[name]) for name in TEXTS if name in values}
    words = {name: values[name] for name in WORDS if name in values}
    changes: dict[str, Any] = {**texts, **words}
    phases = tuple(phase_of(row) for row in queries.phases_of(session, task_id) if row.declared)
    rules = values.get("public_values", {})
    tracks = tuple(
        replace(track, public_values=rules.get(track.name, track.public_values)) for track in spec.tracks
    )
    return replace(spec, phases=phases or spec.phases, tracks=tracks, **changes)


def settings_of(session: Session, task_id: int) -> Mapping[str, Any]:
    """What organisers set for a task, by the name of the setting."""
    rows = session.scalars(select(models.TaskSetting).where(models.TaskSetting.task_id == task_id))
    return {row.name: row.value for row in rows}


def phase_of(row: models.Phase) -> PhaseSpec:
    """A stored phase as the rules know phases."""
    return PhaseSpec(
        row.name,
        Text(row.title),
        row.opens_at,
        row.closes_at,
        row.runs_per_day,
        row.runs_in_all,
        row.rejected_per_day,
        tuple(row.reveals),
        splits.split_of(row),
    )
