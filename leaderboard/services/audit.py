"""The log of who changed what: written in the transaction that makes the change, and only ever added to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy.orm import Session

from leaderboard.store.models import AuditEntry

Way = Literal["web", "api", "command line", "job"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something: an account (None: whoever has a shell here, or the site itself), by which way, and
    from which network address."""

    user_id: int | None
    via: Way
    address: str = ""


SHELL = Actor(None, "command line")
"""Whoever types commands on the machine of the installation."""

SITE = Actor(None, "job")
"""The site itself, in its background work."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done (`action`, a short stable word such as "run.disqualified") to what, and why.

    `kind` ("run", "team", "phase", …), `id` and `name` say what it was done to. `before` and `after` hold
    only what differs, plain enough for JSON; times are written as ISO 8601. Gold never belongs in here.
    """

    action: str
    kind: str
    id: int | str
    name: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


def record(session: Session, actor: Actor, task_id: int | None, change: Change, now: datetime) -> None:
    """Adds a line to the log of a task (None: of the site)."""
    session.add(
        AuditEntry(
            happened_at=now,
            actor_id=actor.user_id,
            via=actor.via,
            address=actor.address,
            task_id=task_id,
            action=change.action,
            subject_kind=change.kind,
            subject_id=str(change.id),
            subject_name=change.name,
            before=_plain(change.before),
            after=_plain(change.after),
            reason=change.reason,
        )
    )
    session.flush()


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }
