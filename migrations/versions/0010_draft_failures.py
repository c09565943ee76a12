"""Runs that could not be scored for a draft of new gold.

Revision: 0010
Before: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draft_failure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("draft_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("message", sa.JSON(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], name=op.f("fk_draft_failure_draft_id")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_draft_failure_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft_failure")),
        sa.UniqueConstraint("draft_id", "run_id", name=op.f("uq_draft_failure_draft_id_run_id")),
    )


def downgrade() -> None:
    op.drop_table("draft_failure")
