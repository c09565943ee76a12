"""What is known of how sure the values on boards are, computed when a board changes and read as it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base


class BoardAnalysis(Base):
    """Intervals and groups of the lines of a board, as it was when it had this `fingerprint`.

    `lines` maps the number of a run to ``{"value", "low", "high", "group"}``: the ends of its interval,
    rounded to the digits of the track or None, and what stands for its groups, of which there are `groups`
    different ones: letters where `lettered`. `seed` and `draws` make the same again.
    """

    __tablename__ = "board_analysis"

    board_id: Mapped[int] = mapped_column(ForeignKey("board.id", ondelete="CASCADE"), primary_key=True)
    fingerprint: Mapped[str]
    seed: Mapped[int] = mapped_column(BigInteger)
    draws: Mapped[int]
    groups: Mapped[int]
    lettered: Mapped[bool]
    lines: Mapped[dict[str, Any]]
    computed_at: Mapped[datetime]


class Resampling(Base):
    """One measure of a run in each draw of the gold's units, where the scorer has to compute that.

    `values` holds float32, little-endian, one a draw of so many `units`. Made from the file and the scorer
    version named; kept as long as the run stands on a board.
    """

    __tablename__ = "resampling"
    __table_args__ = (
        UniqueConstraint("run_id", "gold_version_id", "measure"),
        Index("ix_resampling_gold", "gold_version_id", "measure"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    gold_version_id: Mapped[int] = mapped_column(ForeignKey("gold_version.id"))
    measure: Mapped[str]
    scorer_version: Mapped[str]
    file_hash: Mapped[str]
    seed: Mapped[int] = mapped_column(BigInteger)
    units: Mapped[int]
    values: Mapped[bytes] = mapped_column(LargeBinary)
