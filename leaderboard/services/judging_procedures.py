"""Which units of a campaign are needed next: the procedures of `leaderboard.judging`, replayed.

Nothing of a procedure's state is kept: it follows from the pool, the seed and the judgments that count.
Taking a judgment away therefore leads back to where the topic was without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from leaderboard.judging.crowd import CrowdSettings, TwoStage
from leaderboard.judging.levels import levels_by_order
from leaderboard.judging.preferences import Outcomes, Pair, Preference, majorities
from leaderboard.judging.shuffling import shuffled
from leaderboard.judging.tournament import Tournament, bound
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit, Judgment


@dataclass(frozen=True, slots=True)
class Where:
    """Where a topic is: the pairs needed now, its levels as soon as it is done, None before."""

    needed: tuple[Pair, ...]
    levels: Mapping[str, float] | None


def start(session: Session, campaign: Campaign, now: datetime) -> None:
    """Makes the first units of a campaign that is opened. Pairs of words are there already; as many judgments
    are wanted of them as the campaign says by now."""
    redundancy = int(campaign.settings["redundancy"])
    needed = JudgingUnit.campaign_id == campaign.id, JudgingUnit.needed
    session.execute(update(JudgingUnit).where(*needed).values(wanted=redundancy))
    topics = session.scalars(
        select(JudgingTopic).where(JudgingTopic.campaign_id == campaign.id).order_by(JudgingTopic.position)
    )
    for topic in topics:
        if campaign.kind == "grade":
            items = session.scalars(
                select(JudgingItem.docno).where(JudgingItem.topic_id == topic.id).order_by(JudgingItem.id)
            )
            for docno in shuffled(items, campaign.seed, topic.name):
                session.add(_unit(topic, docno, "", redundancy))
        session.flush()
        refresh(session, campaign, topic, now)


def refresh(session: Session, campaign: Campaign, topic: JudgingTopic, now: datetime) -> None:
    """Brings the units of a topic to what its judgments say now; to be called after each that completes a
    unit, or is taken away from one."""
    units = session.scalars(
        select(JudgingUnit).where(JudgingUnit.topic_id == topic.id, JudgingUnit.is_test.is_(False))
    ).all()
    if campaign.kind != "preference":
        for unit in units:
            unit.needed = unit.given < unit.wanted
        done = not any(unit.needed for unit in units)
    else:
        where = replay(session, campaign, topic)
        needed = set(where.needed)
        there = {(unit.first, unit.second): unit for unit in units}
        for pair, unit in there.items():
            unit.needed = pair in needed
        redundancy = int(campaign.settings["redundancy"])
        session.add_all(_unit(topic, *pair, redundancy) for pair in where.needed if pair not in there)
        done = where.levels is not None
    topic.done_at = (topic.done_at or now) if done else None
    session.flush()


def replay(session: Session, campaign: Campaign, topic: JudgingTopic) -> Where:
    """Where a topic of a campaign of preferences is."""
    items = session.scalars(select(JudgingItem.docno).where(JudgingItem.topic_id == topic.id)).all()
    settings = campaign.settings
    outcomes = outcomes_of(session, topic, int(settings["redundancy"]))
    candidates = shuffled(items, campaign.seed, topic.name)
    if settings["procedure"] == "tournament":
        now = Tournament(candidates, settings["k"], outcomes).standing()
        return Where(now.open, levels_by_order(now.top, settings["k"]) if now.done else None)
    stages = CrowdSettings(settings["k"], settings["finalists"], settings["pairings"])
    crowd = TwoStage(topic.name, candidates, stages, campaign.seed, outcomes)
    return Where(crowd.pending(), crowd.levels() if crowd.done else None)


def outcomes_of(session: Session, topic: JudgingTopic, redundancy: int) -> Outcomes:
    """The pairs of a topic that have as many judgments as wanted, with what the majority prefers."""
    rows = session.execute(
        select(JudgingUnit.first, JudgingUnit.second, Judgment.choice)
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(JudgingUnit.topic_id == topic.id, JudgingUnit.is_test.is_(False), Judgment.state == "given")
    )
    given = (Preference(topic.name, first, second, choice or "") for first, second, choice in rows)
    return majorities(given, redundancy)


def at_most(session: Session, campaign: Campaign) -> int | None:
    """How many judgments all topics need at most, from the first to the last; None where nobody can know,
    which is so for two stages with more candidates than finalists."""
    settings = campaign.settings
    if campaign.kind != "preference" or settings["procedure"] != "tournament":
        return None
    topics = select(JudgingTopic.id).where(JudgingTopic.campaign_id == campaign.id)
    sizes: dict[int, int] = {}
    for topic in session.scalars(select(JudgingItem.topic_id).where(JudgingItem.topic_id.in_(topics))):
        sizes[topic] = sizes.get(topic, 0) + 1
    return int(settings["redundancy"]) * sum(bound(size, settings["k"]) for size in sizes.values())


def _unit(topic: JudgingTopic, first: str, second: str, wanted: int) -> JudgingUnit:
    return JudgingUnit(
        campaign_id=topic.campaign_id,
        topic_id=topic.id,
        first=first,
        second=second,
        wanted=wanted,
        taken=0,
        given=0,
        needed=True,
    )
