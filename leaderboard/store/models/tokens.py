"""What scripts show in place of a password, and what they were answered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class ApiToken(Base):
    """A person's key for scripts, of which only the SHA-256 is kept; `ends_with` are its last characters, by
    which its owner knows it. *submit* includes *read*. It works until `expires_at`, unless it was revoked."""

    __tablename__ = "api_token"
    __table_args__ = (
        one_of("scope", ("read", "submit")),
        Index("ix_api_token_user", "user_id", "revoked_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str]
    scope: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    ends_with: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class RequestKey(Base):
    """A request that may be sent again, under the key that its sender chose (RFC draft *Idempotency-Key*).

    `fingerprint` tells it from another request with the same key. `status` and `body` are the first answer,
    None while it is being made; `begun_at` tells a request that is being answered from one that broke off.
    """

    __tablename__ = "request_key"
    __table_args__ = (
        UniqueConstraint("user_id", "key"),
        Index("ix_request_key_begun_at", "begun_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    key: Mapped[str]
    fingerprint: Mapped[str]
    begun_at: Mapped[datetime]
    status: Mapped[int | None]
    body: Mapped[str | None] = mapped_column(Text)
