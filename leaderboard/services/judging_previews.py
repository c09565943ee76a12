"""What there is to judge in a campaign, what it may take and cost, and how far each topic is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil, comb

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.judging.tournament import bound
from leaderboard.services.judging import found
from leaderboard.services.judging_material import WORDS
from leaderboard.services.judging_plans import Settings, read_settings
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit, Judgment


@dataclass(frozen=True, slots=True)
class Preview:
    """What there is to judge, as things stand.

    `items` are candidates or pairs of words, `lacking` of them have no text; `most` is the largest number of
    a topic, in the topics `largest`; `few` are the topics with fewer candidates than k. `positives` are pairs
    kept for balance, `tests` units with known answers, `questionless` topics without a question. Judgments
    are `at_least` and `at_most` so many, tests aside; the latter is None where nobody can know.
    """

    topics: int
    items: int
    lacking: int
    most: int
    largest: tuple[str, ...]
    few: tuple[str, ...]
    questionless: int
    positives: int
    tests: int
    at_least: int
    at_most: int | None


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """How far a topic is: `spent` judgments count of `bound` at most (None: nobody can know), `open` are
    needed as things stand."""

    name: str
    question: str
    items: int
    spent: int
    open: int
    bound: int | None
    done_at: datetime | None


def preview(session: Session, spec: TaskSpec, number: int) -> Preview:
    """What a campaign has to judge. Raises UnknownCampaign."""
    row = found(session, spec, number)
    settings = read_settings(row.settings)
    sizes = _sizes(session, row)
    of_words = row.kind in ("relatedness", "negative")
    most = max(sizes.values(), default=0)
    words = _units(session, row, JudgingUnit.wanted > 0)
    spans = (
        [(words * settings.redundancy,) * 2]
        if of_words
        else [judgments_of(row.kind, settings, size) for size in sizes.values()]
    )
    upper = [high for _, high in spans if high is not None]
    return Preview(
        topics=len(sizes),
        items=words if of_words else sum(sizes.values()),
        lacking=_items(session, row, JudgingItem.text.is_(None)),
        most=most,
        largest=tuple(name for name, size in sizes.items() if most and size == most),
        few=tuple(name for name, size in sizes.items() if row.kind == "preference" and size < settings.k),
        questionless=_questionless(session, row),
        positives=_units(session, row, JudgingUnit.label == 1),
        tests=_units(session, row, JudgingUnit.is_test.is_(True), tests=True),
        at_least=sum(low for low, _ in spans),
        at_most=sum(upper) if len(upper) == len(spans) else None,
    )


def judgments_of(kind: str, settings: Settings, size: int) -> tuple[int, int | None]:
    """How many judgments a topic with so many candidates takes: at least, and at most where that is known.

    The first: to find the best of a tournament every other candidate has to lose; of two stages the pairs of
    the final, or of the first round where there is one.
    """
    each = settings.redundancy
    if kind == "grade":
        return each * size, each * size
    if settings.procedure == "tournament":
        return each * max(0, size - 1), each * bound(size, settings.k)
    every = comb(size, 2)
    if size <= settings.finalists:
        return each * every, each * every
    return each * min(every, ceil(size * settings.pairings / 2)), None


def topics(session: Session, spec: TaskSpec, number: int) -> tuple[TopicProgress, ...]:
    """How far each topic of a campaign is. Raises UnknownCampaign."""
    row = found(session, spec, number)
    settings = read_settings(row.settings)
    sizes = _sizes(session, row)
    spent = _by_topic(
        session,
        select(JudgingUnit.topic_id, func.count())
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(Judgment.campaign_id == row.id, Judgment.state == "given", JudgingUnit.is_test.is_(False)),
    )
    still = _by_topic(
        session,
        select(JudgingUnit.topic_id, func.sum(JudgingUnit.wanted - JudgingUnit.given)).where(
            JudgingUnit.campaign_id == row.id, JudgingUnit.needed
        ),
    )
    rows = session.scalars(
        select(JudgingTopic).where(JudgingTopic.campaign_id == row.id).order_by(JudgingTopic.position)
    )
    return tuple(
        TopicProgress(
            name=topic.name,
            question=topic.question,
            items=sizes.get(topic.name, 0),
            spent=spent.get(topic.id, 0),
            open=still.get(topic.id, 0),
            bound=judgments_of(row.kind, settings, sizes[topic.name])[1] if topic.name in sizes else None,
            done_at=topic.done_at,
        )
        for topic in rows
    )


def _by_topic(session: Session, statement: Select[int, int]) -> Mapping[int, int]:
    rows = session.execute(statement.group_by(JudgingUnit.topic_id))
    return {topic: int(count or 0) for topic, count in rows}


def _sizes(session: Session, row: Campaign) -> dict[str, int]:
    """How many candidates each topic has, in their order."""
    rows = session.execute(
        select(JudgingTopic.name, func.count())
        .join(JudgingItem, JudgingItem.topic_id == JudgingTopic.id)
        .where(JudgingTopic.campaign_id == row.id)
        .group_by(JudgingTopic.id, JudgingTopic.name, JudgingTopic.position)
        .order_by(JudgingTopic.position)
    )
    return {name: count for name, count in rows}  # noqa: C416 - rows are no pairs to a type checker


def _items(session: Session, row: Campaign, *which: ColumnElement[bool]) -> int:
    statement = (
        select(func.count())
        .select_from(JudgingItem)
        .join(JudgingTopic, JudgingTopic.id == JudgingItem.topic_id)
        .where(JudgingTopic.campaign_id == row.id, *which)
    )
    return session.scalar(statement) or 0


def _units(session: Session, row: Campaign, which: ColumnElement[bool], *, tests: bool = False) -> int:
    statement = select(func.count()).select_from(JudgingUnit)
    statement = statement.where(JudgingUnit.campaign_id == row.id, JudgingUnit.is_test.is_(tests), which)
    return session.scalar(statement) or 0


def _questionless(session: Session, row: Campaign) -> int:
    statement = select(func.count()).select_from(JudgingTopic)
    statement = statement.where(
        JudgingTopic.campaign_id == row.id, JudgingTopic.question == "", JudgingTopic.name != WORDS
    )
    return session.scalar(statement) or 0
