"""A public and a private part of a phase's gold, and the runs that teams choose for the final standing.

Revision: 0018
Before: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0019"
branch_labels = None
depends_on = None

_BEFORE = ("in time", "post-evaluation", "in time, frozen", "post-evaluation, frozen")
_NOW = ("in time", "post-evaluation", "final", "in time, frozen", "post-evaluation, frozen")


def upgrade() -> None:
    with op.batch_alter_table("phase") as batch:
        batch.add_column(sa.Column("split", sa.JSON(), nullable=True))
        batch.add_column(sa.Column("revealed_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("run") as batch:
        batch.add_column(sa.Column("final", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "phase_parts",
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("units", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_phase_parts_phase_id")),
        sa.PrimaryKeyConstraint("phase_id", name=op.f("pk_phase_parts")),
    )
    _stages(_NOW)


def downgrade() -> None:
    op.execute(
        "DELETE FROM standing WHERE board_id IN (SELECT id FROM board WHERE split = 'private')"
    )
    op.execute("DELETE FROM board WHERE split = 'private'")
    op.execute("DELETE FROM score WHERE split = 'private'")
    _stages(_BEFORE)
    op.drop_table("phase_parts")
    with op.batch_alter_table("run") as batch:
        batch.drop_column("final")
    with op.batch_alter_table("phase") as batch:
        batch.drop_column("revealed_at")
        batch.drop_column("split")


def _stages(words: tuple[str, ...]) -> None:
    """A board is at one of these stages."""
    listed = ", ".join(f"'{word}'" for word in words)
    with op.batch_alter_table("board") as batch:
        batch.drop_constraint(op.f("ck_board_stage"), type_="check")
        batch.create_check_constraint(op.f("ck_board_stage"), f"stage IN ({listed})")
