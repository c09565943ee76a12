"""What organisers tell, and what participants ask them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, false, true
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base


class Announcement(Base):
    """A message of a task's organisers: on the task's page where it is `public`, and by mail to the teams
    that `mailed_to` names (their ids). `title` and `text` (Markdown) are by language code."""

    __tablename__ = "announcement"
    __table_args__ = (Index("ix_announcement_task", "task_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    title: Mapped[dict[str, Any]]
    text: Mapped[dict[str, Any]]
    public: Mapped[bool] = mapped_column(default=True, server_default=true())
    mailed_to: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    withdrawn_at: Mapped[datetime | None]


class Question(Base):
    """What a participant asks the organisers. The answer is for the team alone, or `public`: then question
    and answer stand on the task's page, without a name. `user_id` is None where an archive brought it."""

    __tablename__ = "question"
    __table_args__ = (Index("ix_question_task", "task_id", "answered_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))
    asked_at: Mapped[datetime]
    text: Mapped[str] = mapped_column(Text)
    answer: Mapped[str | None] = mapped_column(Text)
    answered_at: Mapped[datetime | None]
    answered_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    public: Mapped[bool] = mapped_column(default=False, server_default=false())
