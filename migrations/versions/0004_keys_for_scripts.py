"""keys for scripts.

Revision: 0004
Before: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('api_token',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('scope', sa.String(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('ends_with', sa.String(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('last_used_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("scope IN ('read', 'submit')", name=op.f('ck_api_token_scope')),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_api_token_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_token')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_api_token_token_hash'))
    )
    with op.batch_alter_table('api_token', schema=None) as batch_op:
        batch_op.create_index('ix_api_token_user', ['user_id', 'revoked_at'], unique=False)

    op.create_table('request_key',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('fingerprint', sa.String(), nullable=False),
    sa.Column('begun_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('status', sa.Integer(), nullable=True),
    sa.Column('body', sa.Text(), nullable=True),
    sa.ForeignKeyConstraint(['user_id'], ['account.id'], name=op.f('fk_request_key_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_request_key')),
    sa.UniqueConstraint('user_id', 'key', name=op.f('uq_request_key_user_id_key'))
    )
    with op.batch_alter_table('request_key', schema=None) as batch_op:
        batch_op.create_index('ix_request_key_begun_at', ['begun_at'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('request_key', schema=None) as batch_op:
        batch_op.drop_index('ix_request_key_begun_at')

    op.drop_table('request_key')
    with op.batch_alter_table('api_token', schema=None) as batch_op:
        batch_op.drop_index('ix_api_token_user')

    op.drop_table('api_token')
