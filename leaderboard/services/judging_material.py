"""What judges get to see: the texts of candidates, pairs of words, and tests with known answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.formats.passages import read_passages
from leaderboard.judging.negatives import Words
from leaderboard.judging.preferences import pair_of
from leaderboard.services.judging import held, preparing, topics_of
from leaderboard.services.judging_plans import CampaignRefused, read_settings
from leaderboard.services.judging_pools import active_gold, delete_units, grades_to_start_from, put_pools
from leaderboard.store.files import Files
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit

WORDS = ""
"""The name of the topic under which pairs of words stand."""

EVERYBODY = 2**30
"""So many judgments of a test are wanted: everybody may get it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many items got a text, how many texts belong to no item, and how many items still have none."""

    stored: int
    unknown: int
    lacking: int


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """Something with a known answer: of a topic, a pair and the item to be preferred, an item and its grade,
    or a pair of words and its rating or mark."""

    topic: str
    first: str
    second: str
    answer: str


def import_texts(session: Session, spec: TaskSpec, number: int, path: Path) -> Imported:
    """Stores the texts of candidates, and the questions and conversations of topics, from a file as
    `leaderboard.formats.passages` reads it. Raises FormatError, NotNow, UnknownCampaign."""
    row = preparing(session, spec, number)
    topics = topics_of(session, row)
    items = {
        (item.topic_id, item.docno): item
        for item in session.scalars(
            select(JudgingItem).where(JudgingItem.topic_id.in_([topic.id for topic in topics.values()]))
        )
    }
    stored = unknown = 0
    for passage in read_passages(path):
        topic = topics.get(passage.topic)
        if topic is not None:
            topic.question = passage.question or topic.question
            topic.conversation = list(passage.conversation) or topic.conversation
        item = items.get((topic.id, passage.docno)) if topic is not None else None
        if item is None:
            unknown += 1
        else:
            item.text = passage.text
            stored += 1
    session.flush()
    return Imported(stored, unknown, sum(item.text is None for item in items.values()))


def pool_from_texts(
    session: Session, files: Files, spec: TaskSpec, number: int, path: Path, graded_track: str | None = None
) -> int:
    """Takes every text of a file as a candidate of its topic, in place of any pool before; returns how many.

    The result is put above the grades of `graded_track`, or stands alone without one. Raises CampaignRefused
    where that track has no gold or levels in place of grades, FormatError, NotNow, UnknownCampaign.
    """
    row = preparing(session, spec, number)
    version = active_gold(session, spec, graded_track) if graded_track is not None else None
    row.gold_version_id = None if version is None else version.id
    grades = grades_to_start_from(files, row, version) if version is not None else {}
    pools: dict[str, list[str]] = {}
    for passage in read_passages(path):
        pools.setdefault(passage.topic, []).append(passage.docno)
    put_pools(session, row, {topic: tuple(docnos) for topic, docnos in pools.items()}, grades)
    return import_texts(session, spec, number, path).stored


def drop_without_text(session: Session, spec: TaskSpec, number: int) -> int:
    """Leaves out the candidates that have no text, and topics with nothing left to judge; returns how many
    candidates went. Raises NotNow and UnknownCampaign."""
    row = preparing(session, spec, number)
    least = 2 if row.kind == "preference" else 1
    gone = 0
    for topic in topics_of(session, row).values():
        items = session.scalars(select(JudgingItem).where(JudgingItem.topic_id == topic.id)).all()
        left = [item for item in items if item.text is not None]
        leaving = items if len(left) < least else [item for item in items if item.text is None]
        gone += len(leaving)
        for item in leaving:
            session.delete(item)
        session.flush()
        if len(left) < least:
            delete_units(session, topic)
            session.delete(topic)
    session.flush()
    return gone


def add_words(
    session: Session,
    spec: TaskSpec,
    number: int,
    pairs: Iterable[Words],
    label: int | None = None,
) -> int:
    """Adds pairs of words to be rated or confirmed; returns how many are new. `label` is what they are listed
    as (1 related, 0 not): with 1 they are positives, kept for balance and judged by nobody.

    Raises CampaignRefused where the campaign judges no words, NotNow, UnknownCampaign.
    """
    row = preparing(session, spec, number)
    if row.kind not in ("relatedness", "negative"):
        raise CampaignRefused(say("This campaign judges texts, not pairs of words."))
    topic = _words_topic(session, row)
    there = {
        (first, second)
        for first, second in session.execute(
            select(JudgingUnit.first, JudgingUnit.second).where(
                JudgingUnit.topic_id == topic.id, JudgingUnit.is_test.is_(False)
            )
        )
    }
    new = [words for words in dict.fromkeys(pairs) if words not in there]
    judged = not (row.kind == "negative" and label == 1)
    session.add_all(
        JudgingUnit(
            campaign_id=row.id,
            topic_id=topic.id,
            first=first,
            second=second,
            label=label,
            wanted=read_settings(row.settings).redundancy if judged else 0,
            needed=judged,
        )
        for first, second in new
    )
    session.flush()
    return len(new)


def add_tests(session: Session, spec: TaskSpec, number: int, tests: Iterable[KnownAnswer]) -> int:
    """Adds units with a known answer, in whatever state the campaign is; returns how many are new.

    Raises CampaignRefused for a test of items that the campaign does not have, an answer that is none, or
    another answer than before;
    UnknownCampaign.
    """
    row = held(session, spec, number)
    topics = topics_of(session, row)
    added = 0
    for test in tests:
        topic = topics.get(test.topic)
        if topic is None:
            raise CampaignRefused(say("The campaign has no topic {topic}.", topic=test.topic))
        first, second = _test_units(session, row, topic, test)
        there = session.scalars(
            select(JudgingUnit.answer).where(
                JudgingUnit.topic_id == topic.id,
                JudgingUnit.first == first,
                JudgingUnit.second == second,
                JudgingUnit.is_test,
            )
        ).first()
        if there is None:
            session.add(
                JudgingUnit(
                    campaign_id=row.id,
                    topic_id=topic.id,
                    first=first,
                    second=second,
                    is_test=True,
                    answer=test.answer,
                    wanted=EVERYBODY,
                    needed=False,
                )
            )
            added += 1
        elif there != test.answer:
            raise CampaignRefused(
                say("The same is a test already, with another answer: {answer}.", answer=there)
            )
    session.flush()
    return added


def _test_units(session: Session, row: Campaign, topic: JudgingTopic, test: KnownAnswer) -> tuple[str, str]:
    if row.kind in ("relatedness", "negative"):
        return test.first, test.second
    wanted = {test.first} if row.kind == "grade" else {test.first, test.second}
    there = set(
        session.scalars(
            select(JudgingItem.docno).where(
                JudgingItem.topic_id == topic.id, JudgingItem.docno.in_(wanted), JudgingItem.text.is_not(None)
            )
        )
    )
    if there != wanted:
        raise CampaignRefused(
            say(
                "A test needs the texts of its items; topic {topic} lacks {items}.",
                topic=topic.name,
                items=", ".join(sorted(wanted - there)),
            )
        )
    if row.kind == "grade":
        return test.first, ""
    if test.answer not in wanted or len(wanted) < 2:
        raise CampaignRefused(say("The answer to a test is one of its two items."))
    return pair_of(test.first, test.second)


def _words_topic(session: Session, row: Campaign) -> JudgingTopic:
    topic = topics_of(session, row).get(WORDS)
    if topic is None:
        topic = JudgingTopic(campaign_id=row.id, name=WORDS, position=0, question="", conversation=[])
        session.add(topic)
        session.flush()
    return topic
