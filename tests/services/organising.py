"""What tests of organisers' work read again and again."""

from __future__ import annotations

from sqlalchemy import select

from leaderboard.services import news
from leaderboard.services.news import SettingChange
from leaderboard.store.models import AuditEntry
from tests.services.toy import Toy


def log(toy: Toy) -> list[tuple[str, dict[str, object], dict[str, object]]]:
    """Action, before and after of the lines of the log but those of gold, the oldest first."""
    with toy.database.reading() as session:
        wanted = select(AuditEntry).where(AuditEntry.subject_kind != "gold")
        rows = session.scalars(wanted.order_by(AuditEntry.id))
        return [(row.action, row.before, row.after) for row in rows]


def told(toy: Toy) -> list[SettingChange]:
    """What was told of settings, the newest first."""
    with toy.database.reading() as session:
        return [change for item in news.of_settings(session, toy.spec, 100) for change in item.settings]
