"""Judges of a campaign: how they come in, what they agree to, how well they work, whose work counts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
from leaderboard.judging.preferences import Pair, Preference
from leaderboard.judging.quality import JudgeRecord, judge_records
from leaderboard.services import audit, judging_procedures
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging import found, held
from leaderboard.services.judging_plans import read_settings
from leaderboard.services.sign_ins import hashed
from leaderboard.store.models import (
    Campaign,
    Judge,
    JudgingLink,
    JudgingTopic,
    JudgingUnit,
    Judgment,
    Task,
    User,
)

LIFETIME = timedelta(days=14)
LONGEST_LIFETIME = timedelta(days=180)
MOST_USES = 1000

BELOW_THRESHOLD = "tests"
"""Why the campaign itself set a judge aside, as the row keeps it; what organisers say stands as it is."""


class NotAdmitted(ServiceError):
    """This person cannot judge here."""


class UnknownJudge(ServiceError):
    """The campaign has no such judge."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody who may judge now. `token` is the secret word by which one without an account is known again,
    kept nowhere; None for one with an account."""

    judge_id: int
    token: str | None


@dataclass(frozen=True, slots=True)
class JudgeView:
    """A judge as organisers see them. `same_device` lists the numbers of judges who used the same browser."""

    judge_id: int
    number: int
    name: str
    joined_at: datetime
    consented_at: datetime | None
    set_aside_at: datetime | None
    set_aside_for: str
    same_device: tuple[int, ...]
    record: JudgeRecord


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
        session, actor, row.task_id, Change("campaign.link", "campaign", row.id, row.title, {}, after), now
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
    change = Change("campaign.links withdrawn", "campaign", row.id, row.title, {"links": working}, {})
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


def join(
    session: Session,
    spec: TaskSpec,
    number: int,
    user_id: int | None,
    now: datetime,
    *,
    link: str | None = None,
    device: str = "",
) -> Joined:
    """Makes somebody a judge: by a link, or without one where the campaign is open to accounts or to anyone.
    With an account, joining again is the same as once. Raises NotAdmitted and UnknownCampaign."""
    row = held(session, spec, number)
    before = _of_account(session, row, user_id)
    if before is not None:
        return Joined(before.id, None)
    if row.state == "finished":
        raise NotAdmitted(say("This campaign is finished. Thank you for your interest."))
    if link is not None:
        _use(session, row, link, now)
    elif row.open_to == "invited" or (row.open_to == "accounts" and user_id is None):
        raise NotAdmitted(_closed(row))
    token = None if user_id is not None else secrets.token_urlsafe(24)
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


def _closed(row: Campaign) -> Message:
    if row.open_to == "accounts":
        return say("Please sign in to judge here, or use the link that you were sent.")
    return say("This campaign is open to invited judges. Please use the link that you were sent.")


def _use(session: Session, row: Campaign, token: str, now: datetime) -> None:
    link = session.scalars(
        select(JudgingLink).where(JudgingLink.campaign_id == row.id, JudgingLink.token_hash == hashed(token))
    ).one_or_none()
    if link is None or link.withdrawn_at is not None:
        raise NotAdmitted(
            say("This link does not work. Check that you copied all of it, or ask for a new one.")
        )
    if link.expires_at <= now or link.uses >= link.most_uses:
        raise NotAdmitted(say("This link has expired or been used. Please ask for a new one."))
    link.uses += 1


def judge_of(
    session: Session, spec: TaskSpec, number: int, user_id: int | None, token: str | None
) -> int | None:
    """The number of the judge's row who has this account, or this secret word; None for a stranger."""
    row = found(session, spec, number)
    judge = _of_account(session, row, user_id)
    if judge is None and token:
        judge = session.scalars(
            select(Judge).where(Judge.campaign_id == row.id, Judge.token_hash == hashed(token))
        ).one_or_none()
    return None if judge is None else judge.id


def _of_account(session: Session, row: Campaign, user_id: int | None) -> Judge | None:
    if user_id is None:
        return None
    return session.scalars(
        select(Judge).where(Judge.campaign_id == row.id, Judge.user_id == user_id)
    ).one_or_none()


def consent(session: Session, spec: TaskSpec, number: int, judge_id: int, now: datetime) -> None:
    """The judge agrees to the campaign's text; safe to repeat. Raises UnknownJudge."""
    judge = member(session, found(session, spec, number), judge_id)
    judge.consented_at = judge.consented_at or now


def member(session: Session, row: Campaign, judge_id: int) -> Judge:
    """A judge of a campaign. Raises UnknownJudge."""
    judge = session.get(Judge, judge_id)
    if judge is None or judge.campaign_id != row.id:
        raise UnknownJudge(say("The campaign has no such judge."))
    return judge


def set_aside(
    session: Session, spec: TaskSpec, number: int, judge_id: int, reason: str, actor: Actor, now: datetime
) -> None:
    """An organiser decides that a judge's work does not count; its units go to others. Cannot be undone.

    Raises UnknownJudge and UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    if judge.set_aside_at is None:
        take_out(session, row, judge, reason, now)
        change = Change("judge.set aside", "judge", judge.id, str(judge.number), {}, {}, reason)
        audit.record(session, actor, row.task_id, change, now)


def take_out(session: Session, row: Campaign, judge: Judge, reason: str, now: datetime) -> None:
    """Sets a judge's work aside and brings every topic it was in to where it is without; the caller holds the
    campaign."""
    judge.set_aside_at, judge.set_aside_for = now, reason
    work = session.execute(
        select(Judgment, JudgingUnit)
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .where(Judgment.judge_id == judge.id, Judgment.state.in_(("out", "given")))
    ).all()
    topics = {}
    for judgment, unit in work:
        if judgment.state == "given":
            unit.given -= 1
            judgment.state = "set aside"
        else:
            judgment.state = "lapsed"
        unit.taken -= 1
        topics[unit.topic_id] = unit.topic_id
    session.flush()
    for topic_id in sorted(topics):
        judging_procedures.refresh(session, row, session.get_one(JudgingTopic, topic_id), now)


def is_below_threshold(session: Session, row: Campaign, judge: Judge) -> bool:
    """Whether enough of a judge's answers to tests are wrong."""
    settings = read_settings(row.settings)
    answers = session.execute(
        select(JudgingUnit.answer, Judgment.choice)
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .where(Judgment.judge_id == judge.id, Judgment.state == "given", JudgingUnit.is_test)
    ).all()
    right = sum(answer == choice for answer, choice in answers)
    return len(answers) >= settings.tests_needed and right < settings.threshold * len(answers)


def listing(session: Session, spec: TaskSpec, number: int) -> tuple[JudgeView, ...]:
    """The judges of a campaign in the order in which they came, with their records; work that was set aside
    is in these too, so that organisers see why."""
    row = found(session, spec, number)
    rows = session.execute(
        select(Judge, User.name)
        .outerjoin(User, User.id == Judge.user_id)
        .where(Judge.campaign_id == row.id)
        .order_by(Judge.number)
    ).all()
    records = _records(session, row)
    devices: dict[str, list[int]] = {}
    for judge, _ in rows:
        if judge.device:
            devices.setdefault(judge.device, []).append(judge.number)
    return tuple(
        JudgeView(
            judge_id=judge.id,
            number=judge.number,
            name=name or "",
            joined_at=judge.joined_at,
            consented_at=judge.consented_at,
            set_aside_at=judge.set_aside_at,
            set_aside_for=judge.set_aside_for,
            same_device=tuple(n for n in devices.get(judge.device, ()) if n != judge.number),
            record=records.get(str(judge.id), JudgeRecord(str(judge.id), 0, None, 0, 0, 0, 0)),
        )
        for judge, name in rows
    )


def _records(session: Session, row: Campaign) -> Mapping[str, JudgeRecord]:
    rows = session.execute(
        select(Judgment.judge_id, Judgment.unit_id, JudgingUnit.answer, Judgment.choice, Judgment.seconds)
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .where(Judgment.campaign_id == row.id, Judgment.state.in_(("given", "set aside")))
        .order_by(Judgment.id)
    ).all()
    known: dict[tuple[str, Pair], str] = {}
    work: list[Preference] = []
    for judge, unit, answer, choice, seconds in rows:
        # What a unit holds makes no difference here: it has a name of its own.
        given = Preference(str(unit), "first", "second", choice or "", str(judge), seconds)
        work.append(given)
        if answer is not None:
            known[given.topic, given.pair] = answer
    return {record.judge: record for record in judge_records(work, known)}
