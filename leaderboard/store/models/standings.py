"""Boards, computed when something changes and read as they are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.contract import Message
from leaderboard.store.models.base import WHOLE, Base


class Board(Base):
    """A ranking of one phase: of a track under one gold version, or overall (`track` and gold None).

    A board of an earlier gold version stays as it was. `revision` counts the changes of its lines;
    `versions` maps every track whose values stand on it to the number of the gold version.
    """

    __tablename__ = "board"
    __table_args__ = (
        Index(
            "uq_board_track",
            "phase_id",
            "track",
            "split",
            "gold_version_id",
            unique=True,
            sqlite_where=text("track IS NOT NULL"),
            postgresql_where=text("track IS NOT NULL"),
        ),
        Index(
            "uq_board_overall",
            "phase_id",
            "split",
            unique=True,
            sqlite_where=text("track IS NULL"),
            postgresql_where=text("track IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    track: Mapped[str | None]
    split: Mapped[str] = mapped_column(default=WHOLE, server_default=WHOLE)
    gold_version_id: Mapped[int | None] = mapped_column(ForeignKey("gold_version.id"))
    scorer_version: Mapped[str]
    versions: Mapped[dict[str, Any]]
    computed_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(default=1, server_default="1")
    fingerprint: Mapped[str]


class Standing(Base):
    """A line of a board. `position` counts lines from 1, `place` is what the rules gave, or None with the
    `reason`. `values` has, for every track, the run's values by measure, `places` its place on every track
    where it has one. A line of an overall ranking is about a team: `run_id` is None, and values and places
    are those of its counted run of each track, which `runs` names."""

    __tablename__ = "standing"
    __table_args__ = (UniqueConstraint("board_id", "position"), Index("ix_standing_run", "run_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[int] = mapped_column(ForeignKey("board.id", ondelete="CASCADE"))
    position: Mapped[int]
    place: Mapped[int | None]
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    value: Mapped[float | None]
    values: Mapped[dict[str, Any]]
    places: Mapped[dict[str, Any]]
    runs: Mapped[dict[str, Any]]
    reason: Mapped[Message | None]
    kind: Mapped[str]
