"""Tasks, their phases, public files and hidden benchmarks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint, false, text, true
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class Task(Base):
    """A shared task that was installed from its folder; what the folder declares stays there.

    The row is what changes to a task's runs and standings lock. `standings_due` is set where scores were
    written that no standing shows yet. From `names_revealed_at` on, the public sees the names of teams that
    gave an alias; until then, and while it is empty, the alias. `public_values` maps tracks to the rule by
    which those stored scores were made that everybody reads (`leaderboard.formats.public_values`); on a
    track that is not there they are the exact ones.

    `based_on` names the task whose folder declares this one, where organisers made it as a new edition
    (`edition_of`) or an archive brought it; None where it has a folder of its own name.
    """

    __tablename__ = "task"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    title: Mapped[dict[str, Any]]
    installed_at: Mapped[datetime]
    visibility: Mapped[str] = mapped_column(default="public", server_default="public")
    standings_due: Mapped[bool] = mapped_column(default=False, server_default=false())
    names_revealed_at: Mapped[datetime | None]
    based_on: Mapped[str | None]
    edition_of: Mapped[int | None] = mapped_column(ForeignKey("task.id"))
    public_values: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")

    __table_args__ = (one_of("visibility", ("public", "organisers")),)


class Phase(Base):
    """A window of a task. `declared_as` is what task.toml declared last, None for one that organisers made;
    `changed` names the columns in which organisers set another value. One that disappeared from task.toml, or
    that organisers took away, is kept, no longer `declared`, for the runs that belong to it.

    From `frozen_at` on, everybody but the organisers reads the boards as they were then. `split` is how the
    gold is parted, as `leaderboard.contract.SplitSpec` says it; from `revealed_at` on the final standing is
    shown, where that is for the organisers to say.
    """

    __tablename__ = "phase"
    __table_args__ = (UniqueConstraint("task_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str]
    title: Mapped[dict[str, Any]]
    position: Mapped[int]
    opens_at: Mapped[datetime | None]
    closes_at: Mapped[datetime | None]
    runs_per_day: Mapped[int | None]
    runs_in_all: Mapped[int | None]
    rejected_per_day: Mapped[int | None]
    reveals: Mapped[list[str]]
    declared: Mapped[bool]
    declared_as: Mapped[dict[str, Any] | None]
    changed: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    frozen_at: Mapped[datetime | None]
    split: Mapped[dict[str, Any] | None]
    revealed_at: Mapped[datetime | None]


class PhaseParts(Base):
    """The part, public or private, of every unit of the gold that a phase has ever scored by; a unit keeps
    its part whatever becomes of the gold. As secret as the gold itself."""

    __tablename__ = "phase_parts"

    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"), primary_key=True)
    units: Mapped[dict[str, Any]]


class InputFile(Base):
    """A version of a public file that participants may download; one of each name is active."""

    __tablename__ = "input_file"
    __table_args__ = (
        Index(
            "uq_input_file_active",
            "task_id",
            "name",
            unique=True,
            sqlite_where=text("active"),
            postgresql_where=text("active"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str]
    file_name: Mapped[str]
    file_hash: Mapped[str]
    size: Mapped[int]
    installed_at: Mapped[datetime]
    active: Mapped[bool]


class GoldVersion(Base):
    """A version of a track's hidden benchmark. `number` counts from 1 within the track; `topics` is the
    order of every per-topic array made with it, empty where the track has none. One version is active.

    A *draft* has scores that no board shows yet; *discarded* is a draft that was never applied. Without
    `has_file` the benchmark itself is not here, since an archive without gold brought what was scored by it:
    its scores and boards stand, and nothing can be scored by it."""

    __tablename__ = "gold_version"
    __table_args__ = (
        UniqueConstraint("task_id", "track", "number"),
        one_of("state", ("draft", "active", "retired", "discarded")),
        Index(
            "uq_gold_version_active",
            "task_id",
            "track",
            unique=True,
            sqlite_where=text("state = 'active'"),
            postgresql_where=text("state = 'active'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    track: Mapped[str]
    number: Mapped[int]
    file_name: Mapped[str]
    file_hash: Mapped[str]
    note: Mapped[str] = mapped_column(Text, default="")
    installed_at: Mapped[datetime]
    topics: Mapped[list[str]]
    state: Mapped[str]
    installed_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    has_file: Mapped[bool] = mapped_column(default=True, server_default=true())


class Reference(Base):
    """A result that others published, shown beside the ranking and never ranked. `track` is None where it
    belongs to the whole task. `values` maps measures, as the task names them, to numbers."""

    __tablename__ = "reference_row"
    __table_args__ = (UniqueConstraint("task_id", "source", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    track: Mapped[str | None]
    position: Mapped[int]
    run_name: Mapped[str]
    participant: Mapped[str]
    values: Mapped[dict[str, Any]]
    description: Mapped[str] = mapped_column(Text, default="")
    source: Mapped[str]
