"""Runs, and what they scored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.contract import Message
from leaderboard.store.columns import Messages
from leaderboard.store.models.base import WHOLE, Base, one_of


class Run(Base):
    """A file that a team submitted, and its record.

    States: *received* (kept, waits for its scores), *scored*, *rejected* (its form is not right; `faults`
    has the first fifty of `fault_count`), *failed* (the fault is ours; `failure` says so, `failure_detail`
    tells organisers more). `submitted_at` is the moment that decides, `received_at` when the file was here.
    `late`: the phase had closed by then. `selected`: the team wants this one to count, `final`: in the final
    standing where its phase parts the gold. `lease_until`: somebody is scoring it. `hidden_at`: organisers
    took it from every page but their own and the team's; `deleted_at`: from the team's too, which they can
    undo within 30 days. The ``method_`` columns are what the team says of how the run was made, empty where
    it says nothing; `method_link` is shown, never fetched.
    """

    __tablename__ = "run"
    __table_args__ = (
        one_of("state", ("received", "scored", "rejected", "failed")),
        one_of("kind", ("ordinary", "contrastive", "baseline")),
        one_of("method_manner", ("", "automatic", "manual")),
        Index(
            "uq_run_file",
            "task_id",
            "phase_id",
            "team_id",
            "file_hash",
            unique=True,
            sqlite_where=text("state != 'rejected'"),
            postgresql_where=text("state != 'rejected'"),
        ),
        Index("ix_run_state", "task_id", "phase_id", "state"),
        Index("ix_run_team", "team_id", "submitted_at"),
        # Few runs are either; every page of a ranking asks for them.
        Index(
            "ix_run_gone",
            "task_id",
            sqlite_where=text("hidden_at IS NOT NULL OR deleted_at IS NOT NULL"),
            postgresql_where=text("hidden_at IS NOT NULL OR deleted_at IS NOT NULL"),
        ),
        Index("ix_run_late", "phase_id", sqlite_where=text("late"), postgresql_where=text("late")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    name: Mapped[str]
    description: Mapped[str] = mapped_column(Text, default="")
    method_system: Mapped[str] = mapped_column(default="", server_default="")
    method_resources: Mapped[str] = mapped_column(Text, default="", server_default="")
    method_manner: Mapped[str] = mapped_column(default="", server_default="")
    method_link: Mapped[str] = mapped_column(default="", server_default="")
    file_hash: Mapped[str]
    file_name: Mapped[str]
    size: Mapped[int]
    submitted_at: Mapped[datetime]
    received_at: Mapped[datetime]
    state: Mapped[str]
    kind: Mapped[str]
    late: Mapped[bool]
    selected: Mapped[bool] = mapped_column(default=False, server_default=false())
    final: Mapped[bool] = mapped_column(default=False, server_default=false())
    visibility: Mapped[str] = mapped_column(default="board", server_default="board")
    disqualified_at: Mapped[datetime | None]
    disqualified_for: Mapped[str | None] = mapped_column(Text)
    hidden_at: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    warnings: Mapped[tuple[Message, ...]] = mapped_column(Messages)
    notes: Mapped[tuple[Message, ...]] = mapped_column(Messages)
    left_out: Mapped[tuple[Message, ...]] = mapped_column(Messages)
    faults: Mapped[list[dict[str, Any]]]
    fault_count: Mapped[int] = mapped_column(default=0)
    failure: Mapped[Message | None]
    failure_detail: Mapped[str | None] = mapped_column(Text)
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    lease_until: Mapped[datetime | None]
    scored_at: Mapped[datetime | None]


class Score(Base):
    """The value of one measure for one run, stamped with what it was made from.

    `split` says which part of the gold it is on: all, or public, and then there is a private one beside it.
    Where everybody is told less than the value of a run, the score of that split is what they are told,
    without values by topic, and one of the split *exact* beside it is the true one; on a track without topics
    its `per_topic` are what the parameter-free Ladder compares runs by.
    `value` is None where the measure is undefined; `undefined` then has the reason. `per_topic` holds
    float64, little-endian, in the order of the gold version's topics, nan for those of another part; None
    where the track has no topics.
    """

    __tablename__ = "score"
    __table_args__ = (
        UniqueConstraint("run_id", "gold_version_id", "measure", "split"),
        Index("ix_score_gold", "gold_version_id", "measure"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    gold_version_id: Mapped[int] = mapped_column(ForeignKey("gold_version.id"))
    track: Mapped[str]
    measure: Mapped[str]
    split: Mapped[str] = mapped_column(default=WHOLE, server_default=WHOLE)
    value: Mapped[float | None]
    undefined: Mapped[Message | None]
    per_topic: Mapped[bytes | None] = mapped_column(LargeBinary)
    answered: Mapped[int]
    total: Mapped[int]
    scorer_version: Mapped[str]
    file_hash: Mapped[str]
    scored_at: Mapped[datetime]
