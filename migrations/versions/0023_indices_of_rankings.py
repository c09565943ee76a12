"""Indices that pages of large rankings are found by.

Revision: 0023
Before: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

PARTIAL = (
    ("ix_standing_apart", "standing", "board_id", "kind != 'ordinary'"),
    ("ix_run_gone", "run", "task_id", "hidden_at IS NOT NULL OR deleted_at IS NOT NULL"),
    ("ix_run_late", "run", "phase_id", "late"),
    ("ix_team_gone", "team", "task_id", "deleted_at IS NOT NULL"),
)


def upgrade() -> None:
    op.create_index("ix_standing_team", "standing", ["team_id"])
    for name, table, column, where in PARTIAL:
        op.create_index(name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    for name, table, _, _ in reversed(PARTIAL):
        op.drop_index(name, table)
    op.drop_index("ix_standing_team", "standing")
