"""What an archive brings from elsewhere: gold whose file stayed behind, questions without who asked.

Revision: 0013
Before: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("gold_version") as batch:
        batch.add_column(sa.Column("has_file", sa.Boolean(), server_default=sa.true(), nullable=False))
    with op.batch_alter_table("archive") as batch:
        batch.add_column(sa.Column("own_names", sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table("question") as batch:
        batch.alter_column("user_id", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM question WHERE user_id IS NULL")
    with op.batch_alter_table("question") as batch:
        batch.alter_column("user_id", existing_type=sa.Integer(), nullable=False)
    with op.batch_alter_table("archive") as batch:
        batch.drop_column("own_names")
    with op.batch_alter_table("gold_version") as batch:
        batch.drop_column("has_file")
