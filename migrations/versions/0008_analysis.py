"""Intervals and groups of the lines of boards.

Revision: 0008
Before: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "board_analysis",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("groups", sa.Integer(), nullable=False),
        sa.Column("lettered", sa.Boolean(), nullable=False),
        sa.Column("lines", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["board.id"], name=op.f("fk_board_analysis_board_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("board_id", name=op.f("pk_board_analysis")),
    )
    op.create_table(
        "resampling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("gold_version_id", sa.Integer(), nullable=False),
        sa.Column("measure", sa.String(), nullable=False),
        sa.Column("scorer_version", sa.String(), nullable=False),
        sa.Column("file_hash", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("values", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_resampling_run_id")),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_resampling_gold_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resampling")),
        sa.UniqueConstraint(
            "run_id", "gold_version_id", "measure", name=op.f("uq_resampling_run_id_gold_version_id_measure")
        ),
    )
    op.create_index("ix_resampling_gold", "resampling", ["gold_version_id", "measure"])


def downgrade() -> None:
    op.drop_table("resampling")
    op.drop_table("board_analysis")
