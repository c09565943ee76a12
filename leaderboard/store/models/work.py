"""Background and offline work, and the resources it builds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.contract import Message
from leaderboard.store.models.base import Base, one_of


class Job(Base):
    """A piece of work. This row is the truth about it; a queue only says that it may be looked at.

    `attempts` counts how often it was taken and tells a consumer whose lease was lost from its successor.
    `not_before` holds back a retry, `delivered_at` is when the queue was told last. `run_id` is the one run
    that it scores, None for a job about anything else.
    """

    __tablename__ = "job"
    __table_args__ = (
        one_of("state", ("waiting", "running", "done", "failed")),
        Index("ix_job_state", "state", "lease_until"),
        Index("ix_job_task", "task_id", "kind"),
        Index("ix_job_run", "run_id", "state"),
        Index("ix_job_started", "task_id", "started_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int | None] = mapped_column(ForeignKey("task.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    kind: Mapped[str]
    arguments: Mapped[dict[str, Any]]
    state: Mapped[str]
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]
    not_before: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    result: Mapped[dict[str, Any] | None]
    error: Mapped[Message | None]


class Consumer(Base):
    """A process that does jobs, so many `threads` at once. It says from time to time that it lives
    (`seen_at`); one that ends in order takes its row away."""

    __tablename__ = "consumer"

    id: Mapped[int] = mapped_column(primary_key=True)
    host: Mapped[str]
    process: Mapped[int]
    threads: Mapped[int]
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class Duty(Base):
    """Something to be done once a while, by one consumer of all: whoever moves `next_at` on does it."""

    __tablename__ = "duty"

    name: Mapped[str] = mapped_column(primary_key=True)
    next_at: Mapped[datetime]


class Resource(Base):
    """A language resource built from the counted runs of a task (`kind` "mj").

    `inputs` names, for each track, the gold version and the runs that went in, with hash, place and weight,
    so that the same build can be made again; `measures` is its line of the paper's Table 3.
    """

    __tablename__ = "resource"
    __table_args__ = (UniqueConstraint("task_id", "kind", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    kind: Mapped[str]
    number: Mapped[int]
    weights: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    file_name: Mapped[str]
    file_hash: Mapped[str]
    size: Mapped[int]
    files: Mapped[dict[str, Any]]
    measures: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    published_at: Mapped[datetime | None]
