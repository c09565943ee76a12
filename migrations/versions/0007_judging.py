"""Judging campaigns: what is judged, by whom, and every answer.

Revision: 0007
Before: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TABLES = (
    "judgment",
    "judging_unit",
    "judging_item",
    "judging_topic",
    "judging_link",
    "judge",
    "campaign",
)


def upgrade() -> None:
    _make_campaigns()
    _make_judges()
    _make_what_is_judged()
    _make_judgments()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)


def _make_campaigns() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("track", sa.String(), nullable=True),
        sa.Column("gold_version_id", sa.Integer(), nullable=True),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("consent", sa.JSON(), nullable=False),
        sa.Column("instructions", sa.JSON(), nullable=False),
        sa.Column("open_to", sa.String(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("budget", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind IN ('preference', 'grade', 'relatedness', 'negative')", name=op.f("ck_campaign_kind")
        ),
        sa.CheckConstraint("open_to IN ('invited', 'accounts', 'anyone')", name=op.f("ck_campaign_open_to")),
        sa.CheckConstraint(
            "state IN ('preparing', 'open', 'paused', 'finished')", name=op.f("ck_campaign_state")
        ),
        sa.ForeignKeyConstraint(
            ["gold_version_id"], ["gold_version.id"], name=op.f("fk_campaign_gold_version_id")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_campaign_made_by")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_campaign_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_campaign_task_id_number")),
    )


def _make_judges() -> None:
    op.create_table(
        "judge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("token_hash", sa.String(), nullable=True),
        sa.Column("device", sa.String(), server_default="", nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consented_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("set_aside_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("set_aside_for", sa.String(), server_default="", nullable=False),
        sa.CheckConstraint("user_id IS NOT NULL OR token_hash IS NOT NULL", name=op.f("ck_judge_known")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judge_campaign_id")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_judge_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge")),
        sa.UniqueConstraint("campaign_id", "user_id", name=op.f("uq_judge_campaign_id_user_id")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_judge_token_hash")),
    )
    op.create_table(
        "judging_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("most_uses", sa.Integer(), nullable=False),
        sa.Column("uses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judging_link_campaign_id")),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_judging_link_made_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judging_link")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_judging_link_token_hash")),
    )


def _make_what_is_judged() -> None:
    op.create_table(
        "judging_topic",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), server_default="", nullable=False),
        sa.Column("conversation", sa.JSON(), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judging_topic_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judging_topic")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_judging_topic_campaign_id_name")),
    )
    op.create_table(
        "judging_item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("docno", sa.String(), nullable=False),
        sa.Column("grade", sa.Double(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["topic_id"], ["judging_topic.id"], name=op.f("fk_judging_item_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judging_item")),
        sa.UniqueConstraint("topic_id", "docno", name=op.f("uq_judging_item_topic_id_docno")),
    )
    op.create_table(
        "judging_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("second", sa.String(), server_default="", nullable=False),
        sa.Column("is_test", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("label", sa.Integer(), nullable=True),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), server_default="0", nullable=False),
        sa.Column("given", sa.Integer(), server_default="0", nullable=False),
        sa.Column("needed", sa.Boolean(), nullable=False),
        sa.CheckConstraint("given <= taken AND given >= 0", name=op.f("ck_judging_unit_given")),
        sa.CheckConstraint("is_test = (answer IS NOT NULL)", name=op.f("ck_judging_unit_test")),
        sa.CheckConstraint("taken <= wanted", name=op.f("ck_judging_unit_taken")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judging_unit_campaign_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["judging_topic.id"], name=op.f("fk_judging_unit_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judging_unit")),
        sa.UniqueConstraint(
            "topic_id",
            "first",
            "second",
            "is_test",
            name=op.f("uq_judging_unit_topic_id_first_second_is_test"),
        ),
    )
    op.create_index("ix_judging_unit_campaign", "judging_unit", ["campaign_id", "needed"])


def _make_judgments() -> None:
    op.create_table(
        "judgment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("shown_left", sa.String(), server_default="", nullable=False),
        sa.Column("choice", sa.String(), nullable=True),
        sa.Column("handed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "state IN ('out', 'given', 'skipped', 'undone', 'lapsed', 'set aside')",
            name=op.f("ck_judgment_state"),
        ),
        sa.CheckConstraint(
            "state NOT IN ('given', 'undone', 'set aside') OR choice IS NOT NULL",
            name=op.f("ck_judgment_choice"),
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judgment_campaign_id")),
        sa.ForeignKeyConstraint(["judge_id"], ["judge.id"], name=op.f("fk_judgment_judge_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["judging_unit.id"], name=op.f("fk_judgment_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment")),
    )
    op.create_index("ix_judgment_campaign", "judgment", ["campaign_id", "state"])
    op.create_index("ix_judgment_judge", "judgment", ["judge_id", "state"])
    op.create_index(
        "uq_judgment_unit_judge",
        "judgment",
        ["unit_id", "judge_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('out', 'given')"),
        postgresql_where=sa.text("state IN ('out', 'given')"),
    )
