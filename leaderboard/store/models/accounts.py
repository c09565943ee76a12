"""People: their accounts, sign-ins, rights, and the letters that wait for them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, text, true
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class User(Base):
    """A person's account.

    `email` is kept in one form, all in small letters. `fs_uniquifier` stands in a signed-in browser's cookie;
    a new one ends every sign-in. The ``tf_`` and ``mf_`` columns hold the second factor: an encrypted secret
    and the recovery codes that are left. `consent_version` names the terms agreed to.

    A frozen one (`frozen_at`) cannot sign in until an administrator lets it; `frozen_for` says why.
    A deleted account keeps its number, for the teams it was in, and nothing that tells who it was.
    """

    __tablename__ = "account"
    __table_args__ = (
        CheckConstraint("deleted_at IS NOT NULL OR email IS NOT NULL", name="email"),
        CheckConstraint("deleted_at IS NULL OR (email IS NULL AND NOT active)", name="deleted"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str | None] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(default="", server_default="")
    password: Mapped[str | None]
    active: Mapped[bool] = mapped_column(default=True, server_default=true())
    fs_uniquifier: Mapped[str] = mapped_column(unique=True)
    confirmed_at: Mapped[datetime | None]
    tf_primary_method: Mapped[str | None]
    tf_totp_secret: Mapped[str | None]
    tf_last_counter: Mapped[int | None]
    mf_recovery_codes: Mapped[list[str] | None]
    locale: Mapped[str | None]
    created_at: Mapped[datetime]
    consent_version: Mapped[str | None]
    consented_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    frozen_at: Mapped[datetime | None]
    frozen_for: Mapped[str | None] = mapped_column(Text)


class Role(Base):
    """A right that a person was given: *administrator* of the site, *organiser* or *judge* of a task
    (`task_id` None: of all tasks)."""

    __tablename__ = "role"
    __table_args__ = (
        one_of("name", ("administrator", "organiser", "judge")),
        Index(
            "uq_role_task",
            "user_id",
            "name",
            "task_id",
            unique=True,
            sqlite_where=text("task_id IS NOT NULL"),
            postgresql_where=text("task_id IS NOT NULL"),
        ),
        Index(
            "uq_role_site",
            "user_id",
            "name",
            unique=True,
            sqlite_where=text("task_id IS NULL"),
            postgresql_where=text("task_id IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str]
    task_id: Mapped[int | None] = mapped_column(ForeignKey("task.id"))
    given_at: Mapped[datetime]


class UserSession(Base):
    """A browser that signed in. Its cookie holds a random word, of which only the SHA-256 is kept here."""

    __tablename__ = "user_session"
    __table_args__ = (Index("ix_user_session_user", "user_id", "ended_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    user_agent: Mapped[str] = mapped_column(default="", server_default="")
    address: Mapped[str] = mapped_column(default="", server_default="")
    ended_at: Mapped[datetime | None]


class Letter(Base):
    """A mail. It is written in the transaction that is its reason and sent once that is committed, so that
    nobody is told of what did not happen.

    `body` is emptied when the letter is sent, for it may hold a link that signs in. `not_before` holds back
    the next attempt after one that failed; `error` is for organisers.
    """

    __tablename__ = "letter"
    __table_args__ = (
        Index("ix_letter_waiting", "sent_at", "not_before"),
        Index("ix_letter_user", "user_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    recipient: Mapped[str]
    subject: Mapped[str]
    body: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
    not_before: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    sent_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)
