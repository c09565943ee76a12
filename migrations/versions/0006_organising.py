"""What organisers do: settings, drafts of gold, moderation, announcements, archives, and the log of it all.

Revision: 0006
Before: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

STAGES = ("in time", "post-evaluation")
FROZEN = ("in time, frozen", "post-evaluation, frozen")
GOLD = ("draft", "active", "retired")
NEWS = ("places", "gold", "resource")
MORE_NEWS = ("settings", "announcement", "answer")


def upgrade() -> None:
    _add_columns()
    _set_words("board", "stage", (*STAGES, *FROZEN))
    _set_words("gold_version", "state", (*GOLD, "discarded"))
    _set_words("news", "kind", (*NEWS, *MORE_NEWS))
    _make_log()
    _make_settings()
    _make_drafts()
    _make_talk()


def downgrade() -> None:
    for table in ("question", "announcement", "archive", "draft", "allowance", "task_setting", "audit_entry"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_entry_stays()")
    op.execute(f"DELETE FROM news WHERE kind IN {MORE_NEWS}")
    _set_words("news", "kind", NEWS)
    op.execute("UPDATE gold_version SET state = 'retired' WHERE state = 'discarded'")
    _set_words("gold_version", "state", GOLD)
    op.execute(f"DELETE FROM standing WHERE board_id IN (SELECT id FROM board WHERE stage IN {FROZEN})")
    op.execute(f"DELETE FROM board WHERE stage IN {FROZEN}")
    _set_words("board", "stage", STAGES)
    _take_columns()


def _add_columns() -> None:
    with op.batch_alter_table("task") as batch:
        batch.add_column(sa.Column("based_on", sa.String(), nullable=True))
        batch.add_column(sa.Column("edition_of", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_task_edition_of"), "task", ["edition_of"], ["id"])
    with op.batch_alter_table("phase") as batch:
        batch.add_column(sa.Column("declared_as", sa.JSON(), nullable=True))
        batch.add_column(sa.Column("changed", sa.JSON(), server_default="[]", nullable=False))
        batch.add_column(sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("gold_version") as batch:
        batch.add_column(sa.Column("installed_by", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_gold_version_installed_by"), "account", ["installed_by"], ["id"])
    with op.batch_alter_table("team") as batch:
        batch.add_column(sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("merged_into", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_team_merged_into"), "team", ["merged_into"], ["id"])
    with op.batch_alter_table("run") as batch:
        batch.add_column(sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("account") as batch:
        batch.add_column(sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("frozen_for", sa.Text(), nullable=True))
    with op.batch_alter_table("job") as batch:
        batch.add_column(sa.Column("made_by", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_job_made_by"), "account", ["made_by"], ["id"])
    with op.batch_alter_table("resource") as batch:
        batch.add_column(sa.Column("created_by", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_resource_created_by"), "account", ["created_by"], ["id"])


def _take_columns() -> None:
    keys = {
        "resource": ("created_by",),
        "job": ("made_by",),
        "team": ("merged_into",),
        "gold_version": ("installed_by",),
        "task": ("edition_of",),
    }
    columns = {
        "resource": ("created_by",),
        "job": ("made_by",),
        "account": ("frozen_for", "frozen_at"),
        "run": ("deleted_at",),
        "team": ("merged_into", "deleted_at"),
        "gold_version": ("installed_by",),
        "phase": ("frozen_at", "changed", "declared_as"),
        "task": ("edition_of", "based_on"),
    }
    for table, names in columns.items():
        with op.batch_alter_table(table) as batch:
            for name in keys.get(table, ()):
                batch.drop_constraint(op.f(f"fk_{table}_{name}"), type_="foreignkey")
            for name in names:
                batch.drop_column(name)


def _set_words(table: str, column: str, words: tuple[str, ...]) -> None:
    name = f"ck_{table}_{column}"
    allowed = ", ".join(repr(word) for word in words)
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(op.f(name), type_="check")
        batch.create_check_constraint(op.f(name), f"{column} IN ({allowed})")


def _make_log() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("via", sa.String(), nullable=False),
        sa.Column("address", sa.String(), server_default="", nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("subject_name", sa.String(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint("via IN ('web', 'api', 'command line', 'job')", name=op.f("ck_audit_entry_via")),
        sa.ForeignKeyConstraint(["actor_id"], ["account.id"], name=op.f("fk_audit_entry_actor_id")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_audit_entry_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    op.create_index("ix_audit_entry_task", "audit_entry", ["task_id", "id"])
    op.create_index("ix_audit_entry_action", "audit_entry", ["action", "id"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is only added to'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE ON audit_entry "
            "FOR EACH ROW EXECUTE FUNCTION audit_entry_stays()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_entry_no_{change.lower()} BEFORE {change} ON audit_entry "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
        )


def _make_settings() -> None:
    op.create_table(
        "task_setting",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_task_setting_task_id")),
        sa.ForeignKeyConstraint(["changed_by"], ["account.id"], name=op.f("fk_task_setting_changed_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_setting")),
        sa.UniqueConstraint("task_id", "name", name=op.f("uq_task_setting_task_id_name")),
    )
    op.create_table(
        "allowance",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("runs_per_day", sa.Integer(), nullable=True),
        sa.Column("runs_in_all", sa.Integer(), nullable=True),
        sa.Column("rejected_per_day", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("given_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_allowance_team_id")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_allowance_phase_id")),
        sa.ForeignKeyConstraint(["given_by"], ["account.id"], name=op.f("fk_allowance_given_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_allowance")),
        sa.UniqueConstraint("team_id", "phase_id", name=op.f("uq_allowance_team_id_phase_id")),
    )


def _make_drafts() -> None:
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("scorer_version", sa.String(), nullable=False),
        sa.Column("versions", sa.JSON(), nullable=False),
        sa.Column("replaces", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("difference", sa.JSON(), nullable=True),
        sa.Column("compared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_by", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "state IN ('scoring', 'ready', 'applying', 'applied', 'discarded', 'failed')",
            name=op.f("ck_draft_state"),
        ),
        sa.CheckConstraint("source IN ('gold', 'scorer', 'judging')", name=op.f("ck_draft_source")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_draft_task_id")),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_draft_made_by")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_draft_job_id")),
        sa.ForeignKeyConstraint(["ended_by"], ["account.id"], name=op.f("fk_draft_ended_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_draft_task_id_number")),
    )
    op.create_table(
        "archive",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("with_gold", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("file_hash", sa.String(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_archive_task_id")),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_archive_made_by")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_archive_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_archive")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_archive_task_id_number")),
    )


def _make_talk() -> None:
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.JSON(), nullable=False),
        sa.Column("text", sa.JSON(), nullable=False),
        sa.Column("public", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mailed_to", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_announcement_task_id")),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_announcement_made_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
    )
    op.create_index("ix_announcement_task", "announcement", ["task_id", "id"])
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_by", sa.Integer(), nullable=True),
        sa.Column("public", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_question_task_id")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_question_user_id")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_question_team_id")),
        sa.ForeignKeyConstraint(["answered_by"], ["account.id"], name=op.f("fk_question_answered_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
    )
    op.create_index("ix_question_task", "question", ["task_id", "answered_at"])
