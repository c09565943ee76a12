"""The links by which people become judges, as organisers see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import audit
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging import found, held
from leaderboard.store.models import JudgingLink, User


class UnknownLink(ServiceError):
    """The campaign has no such link."""


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link: `works` unless it was withdrawn, has expired, or as many people as it is for have used it.
    Its secret part is kept nowhere. `made_by` is None for the command line."""

    link_id: int
    made_at: datetime
    made_by: str | None
    expires_at: datetime
    uses: int
    most_uses: int
    withdrawn: bool
    works: bool


def listing(session: Session, spec: TaskSpec, number: int, now: datetime) -> tuple[LinkView, ...]:
    """The links to a campaign, the newest first. Raises UnknownCampaign."""
    row = found(session, spec, number)
    rows = session.execute(
        select(JudgingLink, User.name)
        .outerjoin(User, User.id == JudgingLink.made_by)
        .where(JudgingLink.campaign_id == row.id)
        .order_by(JudgingLink.id.desc())
    )
    return tuple(
        LinkView(
            link_id=link.id,
            made_at=link.made_at,
            made_by=name,
            expires_at=link.expires_at,
            uses=link.uses,
            most_uses=link.most_uses,
            withdrawn=link.withdrawn_at is not None,
            works=link.withdrawn_at is None and link.uses < link.most_uses and link.expires_at > now,
        )
        for link, name in rows
    )


def withdraw(
    session: Session, spec: TaskSpec, number: int, link_id: int, actor: Actor, now: datetime
) -> None:
    """Makes a link useless; who came by it stays. Twice is once. Raises UnknownLink, UnknownCampaign."""
    row = held(session, spec, number)
    link = session.get(JudgingLink, link_id)
    if link is None or link.campaign_id != row.id:
        raise UnknownLink(say("The campaign has no such link."))
    if link.withdrawn_at is not None:
        return
    link.withdrawn_at = now
    change = Change(
        "campaign.links_withdrawn", "campaign", row.id, row.title, {"made": link.made_at}, {"links": 1}
    )
    audit.record(session, actor, row.task_id, change, now)
