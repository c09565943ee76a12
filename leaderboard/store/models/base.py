"""What all tables share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, MetaData
from sqlalchemy.orm import DeclarativeBase

from leaderboard.contract import Message
from leaderboard.store.columns import OneMessage, UtcTime

WHOLE = "all"
"""The split of a board or score that uses the whole gold."""

PUBLIC = "public"
"""That of one that uses the part of the gold whose values are shown while the phase is open."""

PRIVATE = "private"
"""That of one that uses the other part, which nobody but the final standing reads."""

EXACT = "exact"
"""That of a score on what is shown, where everybody is told less than its value: then the split of those that
are shown has what is told, and this one is for the organisers and the rule that says what is told."""

SHOWN_SPLITS = (WHOLE, PUBLIC)
"""The splits whose scores and boards are read everywhere; a run has scores of one of them."""


class Base(DeclarativeBase):
    """Every constraint has a name that both databases use, so that migrations can refer to it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - read once by SQLAlchemy
        datetime: UtcTime(),
        Message: OneMessage(),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[dict[str, Any]]: JSON(none_as_null=True),
    }


def one_of(column: str, words: Sequence[str]) -> CheckConstraint:
    """A column that holds one of these words."""
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)
