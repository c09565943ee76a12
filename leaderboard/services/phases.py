"""The phases of a task as pages want them: what is open, and what it lets the public see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, SplitSpec, TaskSpec, Text
from leaderboard.rules import phases_of, window
from leaderboard.services.splits import split_of
from leaderboard.services.tasks import known
from leaderboard.store import models, queries

State = Literal["upcoming", "open", "closed"]


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A phase as it stands at one moment. Times are UTC, None where open-ended; None for a quota: no limit.

    `current` marks the one meant where none is named. `declared` is False for a phase that the task's folder
    no longer has, which is listed for the runs that belong to it. `frozen_at`: everybody but the organisers
    reads its ranking as it was then. With a `split` its values are on the public part of the gold.
    """

    name: str
    title: Text
    opens_at: datetime | None
    closes_at: datetime | None
    runs_per_day: int | None
    runs_in_all: int | None
    reveals: tuple[str, ...]
    state: State
    current: bool
    declared: bool
    frozen_at: datetime | None = None
    split: SplitSpec | None = None

    @property
    def shows_board(self) -> bool:
        """Whether everybody may see the ranking and the scores of the runs on it: where the phase reveals
        it, and in any case once the phase has closed."""
        return "board" in self.reveals or self.state == "closed"

    @property
    def shows_topics(self) -> bool:
        """Whether everybody may see values topic by topic. That tells which topics are judged, which a later
        phase may still hide, so that closing alone reveals nothing."""
        return self.shows_board and "per-topic" in self.reveals


def listing(session: Session, spec: TaskSpec, now: datetime) -> tuple[PhaseView, ...]:
    """The phases of a task in their order, those no longer declared last. Raises UnknownTask."""
    rows = queries.phases_of(session, known(session, spec.name).id)
    return seen(spec, rows, now)


def by_id(session: Session, spec: TaskSpec, now: datetime) -> Mapping[int, PhaseView]:
    """The phases of a task by the number of their row. Raises UnknownTask."""
    rows = queries.phases_of(session, known(session, spec.name).id)
    return dict(zip((row.id for row in rows), seen(spec, rows, now), strict=True))


def seen(spec: TaskSpec, rows: Iterable[models.Phase], now: datetime) -> tuple[PhaseView, ...]:
    """The given phases of a task as they stand at `now`."""
    current = window(phases_of(spec), now).phase.name
    return tuple(
        PhaseView(
            name=row.name,
            title=Text(row.title),
            opens_at=row.opens_at,
            closes_at=row.closes_at,
            runs_per_day=row.runs_per_day,
            runs_in_all=row.runs_in_all,
            reveals=tuple(row.reveals),
            state=_state(row, now),
            current=row.name == current,
            declared=row.declared,
            frozen_at=row.frozen_at,
            split=split_of(row),
        )
        for row in rows
    )


def of_team(view: PhaseView, phase: PhaseSpec, now: datetime) -> PhaseView:
    """The phase as it is for a team whose own times and quotas are those of `phase`."""
    return replace(
        view,
        closes_at=phase.closes_at,
        runs_per_day=phase.runs_per_day,
        runs_in_all=phase.runs_in_all,
        state=_state(phase, now),
    )


def _state(row: models.Phase | PhaseSpec, now: datetime) -> State:
    if row.closes_at is not None and row.closes_at <= now:
        return "closed"
    if row.opens_at is not None and row.opens_at > now:
        return "upcoming"
    return "open"
