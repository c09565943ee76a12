"""A word that becomes another with every change that a ranking's page could show.

Revision: 0021
Before: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stamp",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("word", sa.String(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("stamp")
