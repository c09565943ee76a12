"""How judges come into a campaign: by a link, with an account, or freely; and how they are known again."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import audit
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging import found, held
from leaderboard.services.sign_ins import hashed
from leaderboard.store.models import Campaign, Judge, JudgingLink, Role, Task

LIFETIME = timedelta(days=14)
LONGEST_LIFETIME = timedelta(days=180)
MOST_USES = 1000

WRONG_LINK = say("This link does not work. Check that you copied all of it, or ask for a new one.")

_FINISHED = say("This campaign is finished. Thank you for your interest.")


class NotAdmitted(ServiceError):
    """This person cannot judge here."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody who may judge now. `token` is the secret word by which one without an account is known again,
    kept nowhere; None for one with an account."""

    judge_id: int
    token: str | None


def invite(
    session: Session,
    spec: TaskSpec,
    number: int,
    actor: Actor,
    now: datetime,
    *,
    most_uses: int = 1,
    lifetime: timedelta = LIFETIME,
) -> str:
    """A new link for judges; returns its secret part, which is kept nowhere. Raises NotAdmitted for numbers
    out of bounds, and UnknownCampaign."""
    if not 1 <= most_uses <= MOST_USES or not timedelta(0) < lifetime <= LONGEST_LIFETIME:
        raise NotAdmitted(
            say(
                "A link is for 1 to {most} people and works for {days} days at most.",
                most=MOST_USES,
                days=LONGEST_LIFETIME.days,
            )
        )
    row = held(session, spec, number)
    token = secrets.token_urlsafe(24)
    session.add(
        JudgingLink(
            campaign_id=row.id,
            token_hash=hashed(token),
            made_by=actor.user_id,
            made_at=now,
            expires_at=now + lifetime,
            most_uses=most_uses,
        )
    )
    after = {"for": most_uses, "until": now + lifetime}
    audit.record(
        session,
        actor,
        row.task_id,
        Change("campaign.link_made", "campaign", row.id, row.title, {}, after),
        now,
    )
    return token


def withdraw_links(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> int:
    """Makes all links to a campaign useless; who came by them stays. Returns how many worked until now."""
    row = held(session, spec, number)
    links = session.scalars(
        select(JudgingLink).where(JudgingLink.campaign_id == row.id, JudgingLink.withdrawn_at.is_(None))
    ).all()
    working = sum(link.uses < link.most_uses and link.expires_at > now for link in links)
    for link in links:
        link.withdrawn_at = now
    change = Change("campaign.links_withdrawn", "campaign", row.id, row.title, {"links": working}, {})
    audit.record(session, actor, row.task_id, change, now)
    return working


def campaign_of_link(session: Session, token: str) -> tuple[str, int] | None:
    """The task and the number of the campaign that a link leads to, whether it works or not; None where there
    is no such link."""
    statement = (
        select(Task.name, Campaign.number)
        .join(Campaign, Campaign.task_id == Task.id)
        .join(JudgingLink, JudgingLink.campaign_id == Campaign.id)
        .where(JudgingLink.token_hash == hashed(token))
    )
    there = session.execute(statement).one_or_none()
    return None if there is None else (there[0], there[1])


def require_working(session: Session, spec: TaskSpec, number: int, token: str, now: datetime) -> None:
    """Raises NotAdmitted where a link would not make anybody a judge of the campaign, and UnknownCampaign."""
    _working(session, found(session, spec, number), token, now)


def join(
    session: Session,
    spec: TaskSpec,
    number: int,
    user_id: int | None,
    now: datetime,
    *,
    link: str | None = None,
    device: str = "",
    known_by: str = "",
) -> Joined:
    """Makes somebody a judge: by a link, or without one by a right on the task, or where the campaign is open
    to accounts or to anyone. `known_by` is the secret word of a browser, made up where it is empty. Joining
    again with an account, or with the same word, is the same as once. Raises NotAdmitted, UnknownCampaign.
    """
    row = held(session, spec, number)
    before = _known(session, row, user_id, known_by)
    if before is not None:
        return Joined(before.id, known_by or None if before.user_id is None else None)
    if link is not None:
        if row.state == "finished":
            raise NotAdmitted(_FINISHED)
        _working(session, row, link, now).uses += 1
    else:
        _require_open(session, row, user_id)
    token = None if user_id is not None else known_by or secrets.token_urlsafe(24)
    highest = session.scalar(select(func.max(Judge.number)).where(Judge.campaign_id == row.id))
    judge = Judge(
        campaign_id=row.id,
        number=(highest or 0) + 1,
        user_id=user_id,
        token_hash=None if token is None else hashed(token),
        device=hashed(device) if device else "",
        joined_at=now,
        consented_at=None if row.consent else now,
    )
    session.add(judge)
    session.flush()
    return Joined(judge.id, token)


def require_open(session: Session, spec: TaskSpec, number: int, user_id: int | None) -> None:
    """Raises NotAdmitted where somebody with this account, or without one, needs a link to join; and
    UnknownCampaign."""
    _require_open(session, found(session, spec, number), user_id)


def _require_open(session: Session, row: Campaign, user_id: int | None) -> None:
    if row.state == "finished":
        raise NotAdmitted(_FINISHED)
    if row.open_to == "anyone" or (user_id is not None and row.open_to == "accounts"):
        return
    if user_id is not None and _has_right(session, row, user_id):
        return
    if row.open_to == "accounts":
        raise NotAdmitted(say("Please sign in to judge here, or use the link that you were sent."))
    raise NotAdmitted(say("This campaign is open to invited judges. Please use the link that you were sent."))


def _has_right(session: Session, row: Campaign, user_id: int) -> bool:
    """Whether somebody judges or organises the task of a campaign, or administers the site."""
    on = or_(Role.task_id.is_(None), Role.task_id == row.task_id)
    return session.scalars(select(Role.id).where(Role.user_id == user_id, on).limit(1)).first() is not None


def _working(session: Session, row: Campaign, token: str, now: datetime) -> JudgingLink:
    link = session.scalars(
        select(JudgingLink).where(JudgingLink.campaign_id == row.id, JudgingLink.token_hash == hashed(token))
    ).one_or_none()
    if link is None or link.withdrawn_at is not None:
        raise NotAdmitted(WRONG_LINK)
    if link.expires_at <= now or link.uses >= link.most_uses:
        raise NotAdmitted(say("This link has expired or been used. Please ask for a new one."))
    return link


def judge_of(
    session: Session, spec: TaskSpec, number: int, user_id: int | None, token: str | None
) -> int | None:
    """The number of the judge's row who has this account, or this secret word; None for a stranger."""
    return known_judge(session, found(session, spec, number), user_id, token)


def known_judge(session: Session, row: Campaign, user_id: int | None, token: str | None) -> int | None:
    """The same, of a campaign's row."""
    judge = _known(session, row, user_id, token)
    return None if judge is None else judge.id


def _known(session: Session, row: Campaign, user_id: int | None, token: str | None) -> Judge | None:
    judges = select(Judge).where(Judge.campaign_id == row.id)
    judge = None
    if user_id is not None:
        judge = session.scalars(judges.where(Judge.user_id == user_id)).one_or_none()
    if judge is None and token:
        judge = session.scalars(judges.where(Judge.token_hash == hashed(token))).one_or_none()
    return judge
