"""Judging campaigns: made, opened, paused and finished by organisers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say, say_count
from leaderboard.services import audit, judging_procedures
from leaderboard.services.audit import Actor, Change
from leaderboard.services.judging_plans import (
    Kind,
    NotNow,
    Plan,
    State,
    UnknownCampaign,
    check,
    read_settings,
    steady,
    texts,
    written,
)
from leaderboard.services.tasks import known, locked
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit

SHOWN = 5
"""So many items are named in a sentence."""


def create(session: Session, spec: TaskSpec, plan: Plan, actor: Actor, now: datetime) -> int:
    """A new campaign, still without anything to judge; returns its number. Raises CampaignRefused."""
    check(spec, plan)
    task = locked(session, spec.name)
    highest = session.scalar(select(func.max(Campaign.number)).where(Campaign.task_id == task.id))
    row = Campaign(
        task_id=task.id,
        number=(highest or 0) + 1,
        title=plan.title.strip(),
        kind=plan.kind,
        track=plan.track,
        settings=written(plan.settings),
        seed=plan.seed,
        consent=texts(plan.consent),
        instructions=texts(plan.instructions),
        open_to=plan.open_to,
        price=plan.price,
        budget=plan.budget,
        state="preparing",
        made_at=now,
        made_by=actor.user_id,
    )
    session.add(row)
    session.flush()
    after = {"kind": plan.kind, "settings": row.settings, "seed": plan.seed, "budget": plan.budget}
    change = Change("campaign.made", "campaign", row.id, row.title, {}, after)
    audit.record(session, actor, task.id, change, now)
    return row.number


def open_(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> None:
    """Lets judges begin, or go on after a pause. Raises NotNow where nothing is there to judge, or a text
    lacks; UnknownCampaign."""
    row = held(session, spec, number)
    if row.state == "open":
        raise NotNow(say("The campaign is open already."))
    if row.state == "finished":
        raise NotNow(say("The campaign is finished."))
    if row.state == "preparing":
        _require_material(session, row)
        row.opened_at = now
        judging_procedures.start(session, row, now)
    _to(session, row, "open", actor, now)


def pause(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> None:
    """Hands out nothing more for the time being; what judges have may still be answered. Raises NotNow and
    UnknownCampaign."""
    row = held(session, spec, number)
    if row.state != "open":
        raise NotNow(say("Only an open campaign can be paused."))
    _to(session, row, "paused", actor, now)


def finish(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> None:
    """Ends a campaign for good, done or not. Raises NotNow and UnknownCampaign."""
    row = held(session, spec, number)
    if row.state not in ("open", "paused"):
        raise NotNow(say("Only a campaign that was opened can be finished."))
    row.finished_at = now
    _to(session, row, "finished", actor, now)


def _to(session: Session, row: Campaign, state: State, actor: Actor, now: datetime) -> None:
    change = Change(
        f"campaign.{state}", "campaign", row.id, row.title, {"state": row.state}, {"state": state}
    )
    row.state = state
    audit.record(session, actor, row.task_id, change, now)


def _require_material(session: Session, row: Campaign) -> None:
    topics = select(JudgingTopic.id).where(JudgingTopic.campaign_id == row.id)
    if row.kind in ("relatedness", "negative"):
        there = session.scalar(
            select(func.count()).select_from(JudgingUnit).where(JudgingUnit.campaign_id == row.id)
        )
        if not there:
            raise NotNow(say("There is nothing to judge yet. Please add pairs of words."))
        return
    items = (
        select(JudgingTopic.name, JudgingItem.docno)
        .join(JudgingTopic)
        .where(JudgingItem.topic_id.in_(topics))
    )
    if session.execute(items.limit(1)).first() is None:
        raise NotNow(say("There is nothing to judge yet. Please add a pool."))
    lacking = session.execute(items.where(JudgingItem.text.is_(None)).order_by(JudgingItem.id)).all()
    if lacking:
        raise NotNow(
            say_count(
                "{count} item has no text yet: {examples}. Please import it, or leave the item out.",
                "{count} items have no text yet, among them {examples}. Please import them, or leave these "
                "items out.",
                len(lacking),
                examples=", ".join(f"{topic} {docno}" for topic, docno in lacking[:SHOWN]),
            )
        )


def found(session: Session, spec: TaskSpec, number: int) -> Campaign:
    """The row of a campaign. Raises UnknownCampaign."""
    return _row(session, spec, number, lock=False)


def held(session: Session, spec: TaskSpec, number: int) -> Campaign:
    """The row of a campaign, for this transaction alone to change. Raises UnknownCampaign."""
    return _row(session, spec, number, lock=True)


def _row(session: Session, spec: TaskSpec, number: int, *, lock: bool) -> Campaign:
    statement = select(Campaign).where(
        Campaign.task_id == known(session, spec.name).id, Campaign.number == number
    )
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    row = session.scalars(statement).one_or_none()
    if row is None:
        raise UnknownCampaign(say("{task} has no campaign {number}.", task=spec.name, number=number))
    return row


def preparing(session: Session, spec: TaskSpec, number: int) -> Campaign:
    """The row of a campaign that was not opened yet, held. Raises NotNow and UnknownCampaign."""
    row = held(session, spec, number)
    if row.state != "preparing":
        raise NotNow(say("What is judged stays as it is once a campaign was opened."))
    return row


def topics_of(session: Session, row: Campaign) -> dict[str, JudgingTopic]:
    """The topics of a campaign by name, in their order."""
    statement = select(JudgingTopic).where(JudgingTopic.campaign_id == row.id)
    return {topic.name: topic for topic in session.scalars(statement.order_by(JudgingTopic.position))}


def change(session: Session, spec: TaskSpec, number: int, plan: Plan, actor: Actor, now: datetime) -> None:
    """Changes what a campaign says and costs; its kind, seed and procedure only before it is opened.

    Raises CampaignRefused, NotNow and UnknownCampaign.
    """
    row = held(session, spec, number)
    check(spec, plan)
    if row.state == "finished":
        raise NotNow(say("The campaign is finished."))
    before = replace(
        plan,
        kind=cast(Kind, row.kind),
        seed=row.seed,
        settings=steady(read_settings(row.settings), plan.settings),
    )
    if row.state != "preparing" and before != plan:
        raise NotNow(say("Judges have begun: kind, seed and procedure stay as they are."))
    old = {"title": row.title, "price": row.price, "budget": row.budget, "open to": row.open_to}
    row.title, row.kind, row.track, row.seed = plan.title.strip(), plan.kind, plan.track, plan.seed
    row.settings = written(plan.settings)
    row.consent, row.instructions = texts(plan.consent), texts(plan.instructions)
    row.open_to, row.price, row.budget = plan.open_to, plan.price, plan.budget
    new = {"title": row.title, "price": row.price, "budget": row.budget, "open to": row.open_to}
    audit.record(
        session, actor, row.task_id, Change("campaign.changed", "campaign", row.id, row.title, old, new), now
    )
