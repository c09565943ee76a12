"""What looks as if somebody read the benchmark off the board.

Revision: 0022
Before: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_sketch",
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id", name=op.f("fk_run_sketch_run_id")), primary_key=True),
        sa.Column("file_hash", sa.String(), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=True),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("run.id", name=op.f("fk_run_sketch_parent_id"))),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("touched", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_run_sketch_parent", "run_sketch", ["parent_id"])
    op.create_table(
        "probing_report",
        sa.Column(
            "task_id", sa.Integer(), sa.ForeignKey("task.id", name=op.f("fk_probing_report_task_id")), primary_key=True
        ),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("teams", sa.Integer(), nullable=False),
        sa.Column("unreadable", sa.Integer(), nullable=False),
        sa.Column("reads_runs", sa.Boolean(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
    )
    _findings()


def _findings() -> None:
    op.create_table(
        "probing_finding",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "task_id", sa.Integer(), sa.ForeignKey("task.id", name=op.f("fk_probing_finding_task_id")), nullable=False
        ),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("strength", sa.String(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("numbers", sa.JSON(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True)),
        sa.Column("looked_at", sa.DateTime(timezone=True)),
        sa.Column("looked_by", sa.Integer(), sa.ForeignKey("account.id", name=op.f("fk_probing_finding_looked_by"))),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.UniqueConstraint("task_id", "key", name=op.f("uq_probing_finding_task_id_key")),
        sa.CheckConstraint("strength IN ('weak', 'moderate', 'strong')", name=op.f("ck_probing_finding_strength")),
    )


def downgrade() -> None:
    op.drop_table("probing_finding")
    op.drop_table("probing_report")
    op.drop_index("ix_run_sketch_parent", "run_sketch")
    op.drop_table("run_sketch")
