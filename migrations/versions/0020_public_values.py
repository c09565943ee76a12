"""What everybody is told of values, by track.

Revision: 0020
Before: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("task") as batch:
        batch.add_column(sa.Column("public_values", sa.JSON(), server_default="{}", nullable=False))


def downgrade() -> None:
    # What was told gives way to the exact values, on the part of the gold that the phase shows.
    op.execute(
        "DELETE FROM score WHERE split IN ('all', 'public') AND EXISTS (SELECT 1 FROM score exact WHERE"
        " exact.run_id = score.run_id AND exact.gold_version_id = score.gold_version_id"
        " AND exact.measure = score.measure AND exact.split = 'exact')"
    )
    for split, parted in (("public", "IS NOT NULL"), ("all", "IS NULL")):
        op.execute(
            f"UPDATE score SET split = '{split}' WHERE split = 'exact' AND run_id IN (SELECT run.id FROM run"  # noqa: S608 - words from here
            f" JOIN phase ON phase.id = run.phase_id WHERE phase.split {parted})"
        )
    op.execute("UPDATE task SET standings_due = true")
    with op.batch_alter_table("task") as batch:
        batch.drop_column("public_values")
