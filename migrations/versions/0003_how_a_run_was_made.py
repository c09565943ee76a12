"""how a run was made.

Revision: 0003
Before: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.add_column(sa.Column('method_system', sa.String(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('method_resources', sa.Text(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('method_manner', sa.String(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('method_link', sa.String(), server_default='', nullable=False))
        batch_op.create_check_constraint(batch_op.f('ck_run_method_manner'), "method_manner IN ('', 'automatic', 'manual')")


def downgrade() -> None:
    with op.batch_alter_table('run', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_run_method_manner'), type_='check')
        batch_op.drop_column('method_link')
        batch_op.drop_column('method_manner')
        batch_op.drop_column('method_resources')
        batch_op.drop_column('method_system')
