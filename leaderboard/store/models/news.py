"""What has changed on boards: for everybody to read, and for the teams that want to be told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class News(Base):
    """A change of a task that the public may read of, written in the transaction that made it.

    `kind` *places*: counted runs and places of one phase changed (`phase_id`); *gold*: tracks got a new
    version of the benchmark; *resource*: one was published; *settings*: organisers changed a deadline, a
    quota or what is shown; *announcement*: they told something; *answer*: they answered a question for all.
    `details` has numbers of teams and runs, never names: what they are called is looked up when it is read.
    """

    __tablename__ = "news"
    __table_args__ = (
        one_of("kind", ("places", "gold", "resource", "settings", "announcement", "answer")),
        Index("ix_news_task", "task_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    phase_id: Mapped[int | None] = mapped_column(ForeignKey("phase.id"))
    kind: Mapped[str]
    happened_at: Mapped[datetime]
    details: Mapped[dict[str, Any]]


class Notice(Base):
    """That a person's team was overtaken, waiting to be put into a letter in that person's language.

    `changes` has the track (None: overall), the place before and now, and the teams that are ahead now.
    """

    __tablename__ = "notice"
    __table_args__ = (Index("ix_notice_user", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phase.id"))
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    changes: Mapped[list[dict[str, Any]]]
    happened_at: Mapped[datetime]
