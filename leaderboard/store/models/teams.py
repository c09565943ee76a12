"""Teams, who is in them, and the links by which one joins."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class Team(Base):
    """Those who submit to one task under one name.

    `alias` is what the public sees in place of the name until the organisers reveal the names; None where
    the team does not hide. A team that organisers removed (`deleted_at`), or joined to another
    (`merged_into`), keeps its row: what it did stays on record, and removing is undone within 30 days.
    """

    __tablename__ = "team"
    __table_args__ = (
        UniqueConstraint("task_id", "name"),
        UniqueConstraint("task_id", "alias"),
        UniqueConstraint("id", "task_id"),
        Index(
            "ix_team_gone",
            "task_id",
            sqlite_where=text("deleted_at IS NOT NULL"),
            postgresql_where=text("deleted_at IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    name: Mapped[str]
    alias: Mapped[str | None]
    affiliation: Mapped[str] = mapped_column(default="", server_default="")
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("team.id"))


class Membership(Base):
    """A person's time in a team. It lasts while `left_at` is empty; a person has one such at most in each
    task, and a team one captain. `told_when_overtaken`: the person wants a letter then."""

    __tablename__ = "membership"
    __table_args__ = (
        one_of("role", ("captain", "member")),
        # Both keys together, so that the task named here is the team's own.
        ForeignKeyConstraint(["team_id", "task_id"], ["team.id", "team.task_id"]),
        Index(
            "uq_membership_active",
            "user_id",
            "task_id",
            unique=True,
            sqlite_where=text("left_at IS NULL"),
            postgresql_where=text("left_at IS NULL"),
        ),
        Index(
            "uq_membership_captain",
            "team_id",
            unique=True,
            sqlite_where=text("left_at IS NULL AND role = 'captain'"),
            postgresql_where=text("left_at IS NULL AND role = 'captain'"),
        ),
        Index("ix_membership_team", "team_id", "left_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    team_id: Mapped[int]
    task_id: Mapped[int]
    role: Mapped[str]
    joined_at: Mapped[datetime]
    left_at: Mapped[datetime | None]
    told_when_overtaken: Mapped[bool] = mapped_column(default=False, server_default=false())


class Invitation(Base):
    """A link by which people join a team; only the SHA-256 of its secret part is kept. It works until
    `expires_at`, for `most_uses` people, unless it was withdrawn."""

    __tablename__ = "invitation"
    __table_args__ = (Index("ix_invitation_team", "team_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    token_hash: Mapped[str] = mapped_column(unique=True)
    made_by: Mapped[int] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    most_uses: Mapped[int]
    uses: Mapped[int] = mapped_column(default=0, server_default="0")
    withdrawn_at: Mapped[datetime | None]
