"""What a judge is shown, and what the answers mean. Nothing here tells a docno, a grade or a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.judging.negatives import Mark
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_plans import Kind
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit, Judgment

GRADES = tuple(str(grade) for grade in range(5))
RATINGS = tuple(str(rating) for rating in range(4))
SIDES = ("left", "right")


class BadAnswer(ServiceError):
    """That is no answer to what was asked."""


@dataclass(frozen=True, slots=True)
class Handed:
    """Something to judge. For a preference `texts` are the left one and the right one; for a grade it is one
    text; `words` is the pair of words for the rest."""

    judgment_id: int
    kind: Kind
    topic: str
    question: str
    conversation: tuple[str, ...]
    texts: tuple[str, ...]
    words: tuple[str, str] | None


def answers(kind: Kind) -> tuple[str, ...]:
    """The answers that a kind of campaign takes."""
    if kind == "preference":
        return SIDES
    if kind == "grade":
        return GRADES
    return RATINGS if kind == "relatedness" else get_args(Mark)


def choice_of(row: Campaign, unit: JudgingUnit, judgment: Judgment, answer: str) -> str:
    """An answer as it is kept: of a preference, the item on that side. Raises BadAnswer."""
    allowed = answers(cast(Kind, row.kind))
    if answer not in allowed:
        raise BadAnswer(say("The answer is one of: {answers}.", answers=", ".join(allowed)))
    if row.kind != "preference":
        return answer
    other = unit.second if judgment.shown_left == unit.first else unit.first
    return judgment.shown_left if answer == "left" else other


def shown(session: Session, row: Campaign, judgment: Judgment) -> Handed:
    """What the judge sees of a unit."""
    unit = session.get_one(JudgingUnit, judgment.unit_id)
    topic = session.get_one(JudgingTopic, unit.topic_id)
    of_words = row.kind in ("relatedness", "negative")
    return Handed(
        judgment_id=judgment.id,
        kind=cast(Kind, row.kind),
        topic=topic.name,
        question=topic.question,
        conversation=tuple(topic.conversation),
        texts=() if of_words else _texts(session, row, unit, judgment),
        words=(unit.first, unit.second) if of_words else None,
    )


def _texts(session: Session, row: Campaign, unit: JudgingUnit, judgment: Judgment) -> tuple[str, ...]:
    if row.kind == "grade":
        order: tuple[str, ...] = (unit.first,)
    else:
        right = unit.second if judgment.shown_left == unit.first else unit.first
        order = (judgment.shown_left, right)
    items = session.execute(
        select(JudgingItem.docno, JudgingItem.text).where(
            JudgingItem.topic_id == unit.topic_id, JudgingItem.docno.in_(order)
        )
    )
    texts = {docno: text or "" for docno, text in items}
    return tuple(texts[docno] for docno in order)
