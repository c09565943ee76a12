"""News of boards, notices, and boards that rank late runs.

Revision: 0005
Before: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

INDEXES = {
    "uq_board_track": (("phase_id", "track", "split", "gold_version_id"), "track IS NOT NULL"),
    "uq_board_overall": (("phase_id", "split"), "track IS NULL"),
}


def upgrade() -> None:
    op.create_table(
        "news",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.CheckConstraint("kind IN ('places', 'gold', 'resource')", name=op.f("ck_news_kind")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_news_task_id")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_news_phase_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_news")),
    )
    op.create_index("ix_news_task", "news", ["task_id", "id"])
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_notice_user_id")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_notice_task_id")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_notice_phase_id")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_notice_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index("ix_notice_user", "notice", ["user_id"])
    with op.batch_alter_table("membership") as batch:
        batch.add_column(
            sa.Column("told_when_overtaken", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
    _drop_indexes()
    with op.batch_alter_table("board") as batch:
        batch.add_column(sa.Column("stage", sa.String(), server_default="in time", nullable=False))
        batch.add_column(sa.Column("settled", sa.JSON(), nullable=True))
        batch.create_check_constraint(op.f("ck_board_stage"), "stage IN ('in time', 'post-evaluation')")
    _create_indexes("stage")


def downgrade() -> None:
    op.execute("DELETE FROM standing WHERE board_id IN (SELECT id FROM board WHERE stage != 'in time')")
    op.execute("DELETE FROM board WHERE stage != 'in time'")
    _drop_indexes()
    with op.batch_alter_table("board") as batch:
        batch.drop_constraint(op.f("ck_board_stage"), type_="check")
        batch.drop_column("settled")
        batch.drop_column("stage")
    _create_indexes()
    with op.batch_alter_table("membership") as batch:
        batch.drop_column("told_when_overtaken")
    op.drop_index("ix_notice_user", "notice")
    op.drop_table("notice")
    op.drop_index("ix_news_task", "news")
    op.drop_table("news")


def _drop_indexes() -> None:
    for name in INDEXES:
        op.drop_index(name, "board")


def _create_indexes(*more: str) -> None:
    for name, ((phase, *columns), condition) in INDEXES.items():
        op.create_index(
            name,
            "board",
            [phase, *more, *columns],
            unique=True,
            sqlite_where=sa.text(condition),
            postgresql_where=sa.text(condition),
        )
