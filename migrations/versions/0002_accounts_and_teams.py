"""accounts and teams.

Revision: 0002
Before: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('account',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('email', sa.String(), nullable=True),
    sa.Column('name', sa.String(), server_default='', nullable=False),
    sa.Column('password', sa.String(), nullable=True),
    sa.Column('active', sa.Boolean(), server_default=sa.true(), nullable=False),
    sa.Column('fs_uniquifier', sa.String(), nullable=False),
    sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('tf_primary_method', sa.String(), nullable=True),
    sa.Column('tf_totp_secret', sa.String(), nullable=True),
    sa.Column('tf_last_counter', sa.Integer(), nullable=True),
    sa.Column('mf_recovery_codes', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('locale', sa.String(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('consent_version', sa.String(), nullable=True),
    sa.Column('consented_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint('deleted_at IS NOT NULL OR email IS NOT NULL', name=op.f('ck_account_email')),
    sa.CheckConstraint('deleted_at IS NULL OR (email IS NULL AND NOT active)', name=op.f('ck_account_deleted')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_account')),
    sa.UniqueConstraint('email', name=op.f('uq_account_email')),
    sa.UniqueConstraint('fs_uniquifier', name=op.f('uq_account_fs_uniquifier'))
    )
    op.create_table('letter',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=True),
    sa.Column('recipient', sa.String(), nullable=False),
    sa.Column('subject', sa.String(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('not_before', sa.DateTime(timezone=True), nullable=True),
    sa.Column('attempts', sa.Integer(), server_default='0', nullable=False),
    sa.Column('sent_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('error', sa.Text(), nullable=True),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_letter_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_letter'))
    )
    with op.batch_alter_table('letter', schema=None) as batch_op:
        batch_op.create_index('ix_letter_user', ['user_id'], unique=False)
        batch_op.create_index('ix_letter_waiting', ['sent_at', 'not_before'], unique=False)

    op.create_table('role',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=True),
    sa.Column('given_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("name IN ('administrator', 'organiser', 'judge')", name=op.f('ck_role_name')),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], name=op.f('fk_role_task_id')),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_role_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_role'))
    )
    with op.batch_alter_table('role', schema=None) as batch_op:
        batch_op.create_index('uq_role_site', ['user_id', 'name'], unique=True, sqlite_where=sa.text('task_id IS NULL'), postgresql_where=sa.text('task_id IS NULL'))
        batch_op.create_index('uq_role_task', ['user_id', 'name', 'task_id'], unique=True, sqlite_where=sa.text('task_id IS NOT NULL'), postgresql_where=sa.text('task_id IS NOT NULL'))

    op.create_table('user_session',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('last_seen_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('user_agent', sa.String(), server_default='', nullable=False),
    sa.Column('address', sa.String(), server_default='', nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_user_session_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_user_session')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_user_session_token_hash'))
    )
    with op.batch_alter_table('user_session', schema=None) as batch_op:
        batch_op.create_index('ix_user_session_user', ['user_id', 'ended_at'], unique=False)

    op.create_table('invitation',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('team_id', sa.Integer(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('made_by', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('most_uses', sa.Integer(), nullable=False),
    sa.Column('uses', sa.Integer(), server_default='0', nullable=False),
    sa.Column('withdrawn_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['made_by'], ['account.id'], name=op.f('fk_invitation_made_by')),
    sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_invitation_team_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_invitation')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_invitation_token_hash'))
    )
    with op.batch_alter_table('invitation', schema=None) as batch_op:
        batch_op.create_index('ix_invitation_team', ['team_id'], unique=False)

    with op.batch_alter_table('task', schema=None) as batch_op:
        batch_op.add_column(sa.Column('names_revealed_at', sa.DateTime(timezone=True), nullable=True))

    with op.batch_alter_table('team', schema=None) as batch_op:
        batch_op.add_column(sa.Column('alias', sa.String(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f('uq_team_id_task_id'), ['id', 'task_id'])
        batch_op.create_unique_constraint(batch_op.f('uq_team_task_id_alias'), ['task_id', 'alias'])

    op.create_table('membership',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('team_id', sa.Integer(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('role', sa.String(), nullable=False),
    sa.Column('joined_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('left_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("role IN ('captain', 'member')", name=op.f('ck_membership_role')),
    sa.ForeignKeyConstraint(['team_id', 'task_id'], ['team.id', 'team.task_id'], name=op.f('fk_membership_team_id')),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_membership_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_membership'))
    )
    with op.batch_alter_table('membership', schema=None) as batch_op:
        batch_op.create_index('ix_membership_team', ['team_id', 'left_at'], unique=False)
        batch_op.create_index('uq_membership_active', ['user_id', 'task_id'], unique=True, sqlite_where=sa.text('left_at IS NULL'), postgresql_where=sa.text('left_at IS NULL'))
        batch_op.create_index('uq_membership_captain', ['team_id'], unique=True, sqlite_where=sa.text("left_at IS NULL AND role = 'captain'"), postgresql_where=sa.text("left_at IS NULL AND role = 'captain'"))


def downgrade() -> None:
    with op.batch_alter_table('membership', schema=None) as batch_op:
        batch_op.drop_index('uq_membership_captain', sqlite_where=sa.text("left_at IS NULL AND role = 'captain'"), postgresql_where=sa.text("left_at IS NULL AND role = 'captain'"))
        batch_op.drop_index('uq_membership_active', sqlite_where=sa.text('left_at IS NULL'), postgresql_where=sa.text('left_at IS NULL'))
        batch_op.drop_index('ix_membership_team')

    op.drop_table('membership')
    with op.batch_alter_table('team', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_team_task_id_alias'), type_='unique')
        batch_op.drop_constraint(batch_op.f('uq_team_id_task_id'), type_='unique')
        batch_op.drop_column('alias')

    with op.batch_alter_table('task', schema=None) as batch_op:
        batch_op.drop_column('names_revealed_at')

    with op.batch_alter_table('invitation', schema=None) as batch_op:
        batch_op.drop_index('ix_invitation_team')

    op.drop_table('invitation')
    with op.batch_alter_table('user_session', schema=None) as batch_op:
        batch_op.drop_index('ix_user_session_user')

    op.drop_table('user_session')
    with op.batch_alter_table('role', schema=None) as batch_op:
        batch_op.drop_index('uq_role_task', sqlite_where=sa.text('task_id IS NOT NULL'), postgresql_where=sa.text('task_id IS NOT NULL'))
        batch_op.drop_index('uq_role_site', sqlite_where=sa.text('task_id IS NULL'), postgresql_where=sa.text('task_id IS NULL'))

    op.drop_table('role')
    with op.batch_alter_table('letter', schema=None) as batch_op:
        batch_op.drop_index('ix_letter_waiting')
        batch_op.drop_index('ix_letter_user')

    op.drop_table('letter')
    op.drop_table('account')
