"""What organisers are told of runs and teams that look as if somebody read the benchmark off the board."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class RunSketch(Base):
    """A small picture of a run's answers (see `leaderboard.analysis.probing_sketch`), made by `reader` from
    the file named; `sketch` is None where it could not be read.

    `parent_id` is the earlier run of the same team and phase that it differs least from: in `changed` of
    `units` units, of which `touched` has some by hash (uint64, little-endian).
    """

    __tablename__ = "run_sketch"
    __table_args__ = (Index("ix_run_sketch_parent", "parent_id"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    file_hash: Mapped[str]
    reader: Mapped[str]
    sketch: Mapped[bytes | None] = mapped_column(LargeBinary)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    changed: Mapped[int]
    units: Mapped[int]
    touched: Mapped[bytes] = mapped_column(LargeBinary)


class ProbingReport(Base):
    """When the findings of a task were computed last, from how many runs and teams. `fingerprint` changes
    with the runs and members that they were made from; `reads_runs`: the task's scorer says what runs
    answer."""

    __tablename__ = "probing_report"

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), primary_key=True)
    fingerprint: Mapped[str]
    runs: Mapped[int]
    teams: Mapped[int]
    unreadable: Mapped[int]
    reads_runs: Mapped[bool]
    computed_at: Mapped[datetime]


class ProbingFinding(Base):
    """Something that was seen, no judgment on anybody. `key` is the same for the same kind of thing about the
    same teams, so that what an organiser noted (`looked_at`, `note`) stays with it.

    `about` has the numbers of the teams and runs, and `numbers` what the sentence says. `changed_at` is when
    the runs or the strength were others last; `gone_at`: it is not found any more.
    """

    __tablename__ = "probing_finding"
    __table_args__ = (
        UniqueConstraint("task_id", "key"),
        one_of("strength", ("weak", "moderate", "strong")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    key: Mapped[str]
    kind: Mapped[str]
    strength: Mapped[str]
    about: Mapped[dict[str, Any]]
    numbers: Mapped[dict[str, Any]]
    found_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    gone_at: Mapped[datetime | None]
    looked_at: Mapped[datetime | None]
    looked_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    note: Mapped[str] = mapped_column(Text, default="", server_default="")
