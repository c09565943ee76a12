"""Boards, computed when something changes and read as they are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.contract import Message
from leaderboard.store.models.base import WHOLE, Base, one_of

IN_TIME = "in time"
"""The stage of a board where late runs take no place."""

POST_EVALUATION = "post-evaluation"
"""The stage of a board where late runs are ranked among the others."""

FINAL = "final"
"""The stage of the boards on the private part of a phase's gold, which are read once they are revealed."""

FROZEN = {IN_TIME: "in time, frozen", POST_EVALUATION: "post-evaluation, frozen"}
"""By stage, that of the copy which all but the organisers read while the boards of a phase are frozen."""


class Board(Base):
    """A ranking of one phase: of a track under one gold version, or overall (`track` and gold None).

    A board of an earlier gold version stays as it was. `stage` tells the ranking of the phase from the one
    that ranks late runs too and from the final one, which alone has the split *private*. `revision` counts
    the changes of its lines; `versions` maps every track whose values stand on it to the number of the gold
    version. `settled` maps teams to place and run as they were when all runs had last been scored on one
    version of the gold: what news are told against.
    """

    __tablename__ = "board"
    __table_args__ = (
        one_of("stage", (IN_TIME, POST_EVALUATION, FINAL, *FROZEN.values())),
        Index(
            "uq_board_track",
            "phase_id",
            "stage",
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
            "stage",
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
    stage: Mapped[str] = mapped_column(default=IN_TIME, server_default=IN_TIME)
    split: Mapped[str] = mapped_column(default=WHOLE, server_default=WHOLE)
    gold_version_id: Mapped[int | None] = mapped_column(ForeignKey("gold_version.id"))
    scorer_version: Mapped[str]
    versions: Mapped[dict[str, Any]]
    computed_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(default=1, server_default="1")
    fingerprint: Mapped[str]
    settled: Mapped[dict[str, Any] | None]


class Standing(Base):
    """A line of a board. `position` counts lines from 1, `place` is what the rules gave, or None with the
    `reason`. `values` has, for every track, the run's values by measure, `places` its place on every track
    where it has one. A line of an overall ranking is about a team: `run_id` is None, and values and places
    are those of its counted run of each track, which `runs` names."""

    __tablename__ = "standing"
    __table_args__ = (
        UniqueConstraint("board_id", "position"),
        Index(
            "ix_standing_apart",
            "board_id",
            sqlite_where=text("kind != 'ordinary'"),
            postgresql_where=text("kind != 'ordinary'"),
        ),
        Index("ix_standing_run", "run_id"),
        Index("ix_standing_team", "team_id"),
    )

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


class Stamp(Base):
    """One row, whose `word` is another after every change of what the page of a ranking could show
    (`leaderboard.store.stamps`)."""

    __tablename__ = "stamp"

    id: Mapped[int] = mapped_column(primary_key=True)
    word: Mapped[str]
