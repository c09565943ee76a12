"""The queue of several hosts: which run a job scores, who works, and what is to be done once a while.

Revision: 0019
Before: 0016
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0016"
branch_labels = None
depends_on = None

JOB = sa.table(
    "job",
    sa.column("id", sa.Integer),
    sa.column("kind", sa.String),
    sa.column("arguments", sa.JSON),
    sa.column("run_id", sa.Integer),
)
RUN = sa.table("run", sa.column("id", sa.Integer))


def upgrade() -> None:
    op.create_table(
        "consumer",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("threads", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "duty",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
    )
    with op.batch_alter_table("job") as batch:
        batch.add_column(sa.Column("run_id", sa.Integer(), nullable=True))
        batch.create_foreign_key("fk_job_run_id", "run", ["run_id"], ["id"])
    op.create_index("ix_job_run", "job", ["run_id", "state"])
    op.create_index("ix_job_started", "job", ["task_id", "started_at"])
    _say_which_runs()


def _say_which_runs() -> None:
    connection = op.get_bind()
    runs = set(connection.scalars(sa.select(RUN.c.id)))
    found = connection.execute(sa.select(JOB.c.id, JOB.c.arguments).where(JOB.c.kind == "score")).all()
    for job_id, arguments in found:
        asked = json.loads(arguments) if isinstance(arguments, str) else arguments
        if asked.get("run") in runs:
            connection.execute(sa.update(JOB).where(JOB.c.id == job_id).values(run_id=asked["run"]))


def downgrade() -> None:
    op.drop_index("ix_job_started", "job")
    op.drop_index("ix_job_run", "job")
    with op.batch_alter_table("job") as batch:
        batch.drop_constraint("fk_job_run_id", type_="foreignkey")
        batch.drop_column("run_id")
    op.drop_table("duty")
    op.drop_table("consumer")
