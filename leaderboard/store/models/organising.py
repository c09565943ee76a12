"""What organisers do: settings, allowances, drafts of new gold, archives, and the log of it all."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.contract import Message
from leaderboard.store.models.base import Base, one_of


class AuditEntry(Base):
    """Something that a person changed. Rows are only added: the database refuses to change or remove one.

    `actor_id` is who did it, None for the command line and for what the site does by itself; `via` by which
    way. `action` is a short stable word ("phase.changed"); `subject_kind` and `subject_id` say what it was
    done to, `subject_name` how that was called then. `before` and `after` hold only what changed.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (
        one_of("via", ("web", "api", "command line", "job")),
        Index("ix_audit_entry_task", "task_id", "id"),
        Index("ix_audit_entry_action", "action", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    happened_at: Mapped[datetime]
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    via: Mapped[str]
    address: Mapped[str] = mapped_column(default="", server_default="")
    task_id: Mapped[int | None] = mapped_column(ForeignKey("task.id"))
    action: Mapped[str]
    subject_kind: Mapped[str]
    subject_id: Mapped[str]
    subject_name: Mapped[str]
    before: Mapped[dict[str, Any]]
    after: Mapped[dict[str, Any]]
    reason: Mapped[str] = mapped_column(Text, default="", server_default="")


class TaskSetting(Base):
    """A value that organisers set in place of what task.toml declares: a text by language, or a word."""

    __tablename__ = "task_setting"
    __table_args__ = (UniqueConstraint("task_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str]
    value: Mapped[Any] = mapped_column(JSON)
    changed_at: Mapped[datetime]
    changed_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))


class Allowance(Base):
    """What one team may do in a phase beyond what the phase allows; None where the phase's value holds."""

    __tablename__ = "allowance"
    __table_args__ = (UniqueConstraint("team_id", "phase_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    closes_at: Mapped[datetime | None]
    runs_per_day: Mapped[int | None]
    runs_in_all: Mapped[int | None]
    rejected_per_day: Mapped[int | None]
    reason: Mapped[str] = mapped_column(Text, default="", server_default="")
    given_at: Mapped[datetime]
    given_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))


class Draft(Base):
    """New gold, or gold of now under a new scorer, that all runs are scored on before it counts.

    `versions` maps each track that would change to the id of its gold version in the state *draft*,
    `replaces` to the id of the active one that it was made to replace (None where there was none).
    `difference` is what applying it would change for readers and teams, None while runs are being scored;
    `compared_at` says when that was worked out.
    """

    __tablename__ = "draft"
    __table_args__ = (
        UniqueConstraint("task_id", "number"),
        one_of("state", ("scoring", "ready", "applying", "applied", "discarded", "failed")),
        one_of("source", ("gold", "scorer", "judging")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    number: Mapped[int]
    source: Mapped[str]
    state: Mapped[str]
    scorer_version: Mapped[str]
    versions: Mapped[dict[str, Any]]
    replaces: Mapped[dict[str, Any]]
    note: Mapped[str] = mapped_column(Text, default="", server_default="")
    made_at: Mapped[datetime]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    difference: Mapped[dict[str, Any] | None]
    compared_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))


class DraftFailure(Base):
    """A run that could not be scored for a draft. `message` is for everybody once the draft is applied,
    `detail` for organisers."""

    __tablename__ = "draft_failure"
    __table_args__ = (UniqueConstraint("draft_id", "run_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    draft_id: Mapped[int] = mapped_column(ForeignKey("draft.id"))
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    message: Mapped[Message]
    detail: Mapped[str | None] = mapped_column(Text)


class Archive(Base):
    """A ZIP of everything a task has, as it was at `made_at`. `file_hash` is None while it is written; one
    with gold lies where the gold does. `own_names`: teams are called in it as they call themselves, not as
    the public read it then."""

    __tablename__ = "archive"
    __table_args__ = (UniqueConstraint("task_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    number: Mapped[int]
    with_gold: Mapped[bool] = mapped_column(default=False, server_default=false())
    own_names: Mapped[bool] = mapped_column(default=False, server_default=false())
    made_at: Mapped[datetime]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    file_hash: Mapped[str | None]
    size: Mapped[int | None]
