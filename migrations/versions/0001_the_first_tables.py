"""the first tables.

Revision: 0001
Before: 
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('task',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('title', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('installed_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('visibility', sa.String(), server_default='public', nullable=False),
    sa.Column('standings_due', sa.Boolean(), server_default=sa.false(), nullable=False),
    sa.CheckConstraint("visibility IN ('public', 'organisers')", name=op.f('ck_task_visibility')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_task')),
    sa.UniqueConstraint('name', name=op.f('uq_task_name'))
    )
    op.create_table('gold_version',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('track', sa.String(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('file_name', sa.String(), nullable=False),
    sa.Column('file_hash', sa.String(), nullable=False),
    sa.Column('note', sa.Text(), nullable=False),
    sa.Column('installed_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('topics', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.CheckConstraint("state IN ('draft', 'active', 'retired')", name=op.f('ck_gold_version_state')),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_gold_version_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_gold_version')),
    sa.UniqueConstraint('task_id', 'track', 'number', name=op.f('uq_gold_version_task_id_track_number'))
    )
    with op.batch_alter_table('gold_version', schema=None) as batch_op:
        batch_op.create_index('uq_gold_version_active', ['task_id', 'track'], unique=True, sqlite_where=sa.text("state = 'active'"), postgresql_where=sa.text("state = 'active'"))

    op.create_table('input_file',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('file_name', sa.String(), nullable=False),
    sa.Column('file_hash', sa.String(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('installed_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('active', sa.Boolean(), nullable=False),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_input_file_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_input_file'))
    )
    with op.batch_alter_table('input_file', schema=None) as batch_op:
        batch_op.create_index('uq_input_file_active', ['task_id', 'name'], unique=True, sqlite_where=sa.text('active'), postgresql_where=sa.text('active'))

    op.create_table('job',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=True),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('arguments', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('done', sa.Integer(), nullable=False),
    sa.Column('total', sa.Integer(), nullable=True),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('delivered_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('not_before', sa.DateTime(timezone=True), nullable=True),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('heartbeat_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('finished_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('result', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('error', sa.JSON(none_as_null=True), nullable=True),
    sa.CheckConstraint("state IN ('waiting', 'running', 'done', 'failed')", name=op.f('ck_job_state')),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_job_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_job'))
    )
    with op.batch_alter_table('job', schema=None) as batch_op:
        batch_op.create_index('ix_job_state', ['state', 'lease_until'], unique=False)
        batch_op.create_index('ix_job_task', ['task_id', 'kind'], unique=False)

    op.create_table('phase',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('title', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('opens_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('closes_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('runs_per_day', sa.Integer(), nullable=True),
    sa.Column('runs_in_all', sa.Integer(), nullable=True),
    sa.Column('rejected_per_day', sa.Integer(), nullable=True),
    sa.Column('reveals', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('declared', sa.Boolean(), nullable=False),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_phase_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_phase')),
    sa.UniqueConstraint('task_id', 'name', name=op.f('uq_phase_task_id_name'))
    )
    op.create_table('reference_row',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('track', sa.String(), nullable=True),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('run_name', sa.String(), nullable=False),
    sa.Column('participant', sa.String(), nullable=False),
    sa.Column('values', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('description', sa.Text(), nullable=False),
    sa.Column('source', sa.String(), nullable=False),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_reference_row_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_reference_row')),
    sa.UniqueConstraint('task_id', 'source', 'position', name=op.f('uq_reference_row_task_id_source_position'))
    )
    op.create_table('resource',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('weights', sa.String(), nullable=False),
    sa.Column('inputs', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('file_name', sa.String(), nullable=False),
    sa.Column('file_hash', sa.String(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('files', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('measures', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('published_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_resource_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_resource')),
    sa.UniqueConstraint('task_id', 'kind', 'number', name=op.f('uq_resource_task_id_kind_number'))
    )
    op.create_table('team',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('affiliation', sa.String(), server_default='', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_team_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_team')),
    sa.UniqueConstraint('task_id', 'name', name=op.f('uq_team_task_id_name'))
    )
    op.create_table('board',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('phase_id', sa.Integer(), nullable=False),
    sa.Column('track', sa.String(), nullable=True),
    sa.Column('split', sa.String(), server_default='all', nullable=False),
    sa.Column('gold_version_id', sa.Integer(), nullable=True),
    sa.Column('scorer_version', sa.String(), nullable=False),
    sa.Column('versions', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('computed_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('revision', sa.Integer(), server_default='1', nullable=False),
    sa.Column('fingerprint', sa.String(), nullable=False),
    sa.ForeignKeyConstraint(['gold_version_id'], ['gold_version.id'], name=op.f('fk_board_gold_version_id')),
    sa.ForeignKeyConstraint(['phase_id'], ['phase.id'], name=op.f('fk_board_phase_id')),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_board_task_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_board'))
    )
    with op.batch_alter_table('board', schema=None) as batch_op:
        batch_op.create_index('uq_board_overall', ['phase_id', 'split'], unique=True, sqlite_where=sa.text('track IS NULL'), postgresql_where=sa.text('track IS NULL'))
        batch_op.create_index('uq_board_track', ['phase_id', 'track', 'split', 'gold_version_id'], unique=True, sqlite_where=sa.text('track IS NOT NULL'), postgresql_where=sa.text('track IS NOT NULL'))

    op.create_table('run',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('phase_id', sa.Integer(), nullable=False),
    sa.Column('team_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('description', sa.Text(), nullable=False),
    sa.Column('file_hash', sa.String(), nullable=False),
    sa.Column('file_name', sa.String(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('submitted_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('late', sa.Boolean(), nullable=False),
    sa.Column('selected', sa.Boolean(), server_default=sa.false(), nullable=False),
    sa.Column('visibility', sa.String(), server_default='board', nullable=False),
    sa.Column('disqualified_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('disqualified_for', sa.Text(), nullable=True),
    sa.Column('hidden_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('withdrawn_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('warnings', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('notes', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('left_out', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('faults', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('fault_count', sa.Integer(), nullable=False),
    sa.Column('failure', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('failure_detail', sa.Text(), nullable=True),
    sa.Column('attempts', sa.Integer(), server_default='0', nullable=False),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('scored_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("kind IN ('ordinary', 'contrastive', 'baseline')", name=op.f('ck_run_kind')),
    sa.CheckConstraint("state IN ('received', 'scored', 'rejected', 'failed')", name=op.f('ck_run_state')),
    sa.ForeignKeyConstraint(['phase_id'], ['phase.id'], name=op.f('fk_run_phase_id')),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_run_task_id')),
    sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_run_team_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_run'))
    )
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.create_index('ix_run_state', ['task_id', 'phase_id', 'state'], unique=False)
        batch_op.create_index('ix_run_team', ['team_id', 'submitted_at'], unique=False)
        batch_op.create_index('uq_run_file', ['task_id', 'phase_id', 'team_id', 'file_hash'], unique=True, sqlite_where=sa.text("state != 'rejected'"), postgresql_where=sa.text("state != 'rejected'"))

    op.create_table('score',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('gold_version_id', sa.Integer(), nullable=False),
    sa.Column('track', sa.String(), nullable=False),
    sa.Column('measure', sa.String(), nullable=False),
    sa.Column('split', sa.String(), server_default='all', nullable=False),
    sa.Column('value', sa.Double(), nullable=True),
    sa.Column('undefined', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('per_topic', sa.LargeBinary(), nullable=True),
    sa.Column('answered', sa.Integer(), nullable=False),
    sa.Column('total', sa.Integer(), nullable=False),
    sa.Column('scorer_version', sa.String(), nullable=False),
    sa.Column('file_hash', sa.String(), nullable=False),
    sa.Column('scored_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['gold_version_id'], ['gold_version.id'], name=op.f('fk_score_gold_version_id')),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_score_run_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_score')),
    sa.UniqueConstraint('run_id', 'gold_version_id', 'measure', 'split', name=op.f('uq_score_run_id_gold_version_id_measure_split'))
    )
    with op.batch_alter_table('score', schema=None) as batch_op:
        batch_op.create_index('ix_score_gold', ['gold_version_id', 'measure'], unique=False)

    op.create_table('standing',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('board_id', sa.Integer(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('place', sa.Integer(), nullable=True),
    sa.Column('team_id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=True),
    sa.Column('value', sa.Double(), nullable=True),
    sa.Column('values', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('places', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('runs', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('reason', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('kind', sa.String(), nullable=False),
    sa.ForeignKeyConstraint(['board_id'], ['board.id'], name=op.f('fk_standing_board_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_standing_run_id')),
    sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_standing_team_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_standing')),
    sa.UniqueConstraint('board_id', 'position', name=op.f('uq_standing_board_id_position'))
    )
    with op.batch_alter_table('standing', schema=None) as batch_op:
        batch_op.create_index('ix_standing_run', ['run_id'], unique=False)



def downgrade() -> None:
    with op.batch_alter_table('standing', schema=None) as batch_op:
        batch_op.drop_index('ix_standing_run')

    op.drop_table('standing')
    with op.batch_alter_table('score', schema=None) as batch_op:
        batch_op.drop_index('ix_score_gold')

    op.drop_table('score')
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.drop_index('uq_run_file', sqlite_where=sa.text("state != 'rejected'"), postgresql_where=sa.text("state != 'rejected'"))
        batch_op.drop_index('ix_run_team')
        batch_op.drop_index('ix_run_state')

    op.drop_table('run')
    with op.batch_alter_table('board', schema=None) as batch_op:
        batch_op.drop_index('uq_board_track', sqlite_where=sa.text('track IS NOT NULL'), postgresql_where=sa.text('track IS NOT NULL'))
        batch_op.drop_index('uq_board_overall', sqlite_where=sa.text('track IS NULL'), postgresql_where=sa.text('track IS NULL'))

    op.drop_table('board')
    op.drop_table('team')
    op.drop_table('resource')
    op.drop_table('reference_row')
    op.drop_table('phase')
    with op.batch_alter_table('job', schema=None) as batch_op:
        batch_op.drop_index('ix_job_task')
        batch_op.drop_index('ix_job_state')

    op.drop_table('job')
    with op.batch_alter_table('input_file', schema=None) as batch_op:
        batch_op.drop_index('uq_input_file_active', sqlite_where=sa.text('active'), postgresql_where=sa.text('active'))

    op.drop_table('input_file')
    with op.batch_alter_table('gold_version', schema=None) as batch_op:
        batch_op.drop_index('uq_gold_version_active', sqlite_where=sa.text("state = 'active'"), postgresql_where=sa.text("state = 'active'"))

    op.drop_table('gold_version')
    op.drop_table('task')
