"""Judgments that were made elsewhere: the files they came in, and what their judges are called.

Revision: 0016
Before: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("judge") as batch:
        batch.add_column(sa.Column("name", sa.String(), server_default="", nullable=False))
    op.create_table(
        "judging_import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("file_hash", sa.String(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("left_out", sa.Integer(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("imported_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_judging_import_campaign_id")
        ),
        sa.ForeignKeyConstraint(
            ["imported_by"], ["account.id"], name=op.f("fk_judging_import_imported_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judging_import")),
        sa.UniqueConstraint(
            "campaign_id", "file_hash", name=op.f("uq_judging_import_campaign_id_file_hash")
        ),
    )


def downgrade() -> None:
    op.drop_table("judging_import")
    with op.batch_alter_table("judge") as batch:
        batch.drop_column("name")
