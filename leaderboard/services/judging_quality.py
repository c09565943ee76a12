"""How far the judges of a campaign agree, whether their preferences hang together, and what they chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.formats.qrels import read_qrels
from leaderboard.judging import agreement
from leaderboard.judging.agreement import Level, Pairwise, Rating, Sources, TopGrades
from leaderboard.judging.pools import steps_below_top
from leaderboard.judging.preferences import Preference, by_topic, majorities
from leaderboard.judging.triples import Cycle, triples
from leaderboard.services import judging_procedures
from leaderboard.services.judging import found
from leaderboard.store.files import Files
from leaderboard.store.models import Campaign, GoldVersion, JudgingItem, JudgingTopic, JudgingUnit, Judgment

Values = Mapping[str, Mapping[str, float]]

_LEVELS: Mapping[str, Level] = {
    "preference": "nominal",
    "grade": "ordinal",
    "relatedness": "ordinal",
    "negative": "nominal",
}


@dataclass(frozen=True, slots=True)
class Quality:
    """Krippendorff's alpha (nan where undefined) at its level of measurement, and how often two judgments of
    the same thing are equal; for preferences, how many triples of items are transitive, and the cycles by
    topic. Tests and work that was set aside are left out."""

    alpha: float
    level: Level
    equal: Pairwise
    transitive: int
    cycles: Mapping[str, tuple[Cycle, ...]]

    @property
    def triples(self) -> int:
        """The triples of items of which all three pairs have a winner."""
        return self.transitive + sum(map(len, self.cycles.values()))


def quality(session: Session, spec: TaskSpec, number: int) -> Quality:
    """The agreement within a campaign. Raises UnknownCampaign."""
    row = found(session, spec, number)
    rows = session.execute(
        select(
            Judgment.unit_id,
            Judgment.judge_id,
            Judgment.choice,
            JudgingTopic.name,
            JudgingUnit.first,
            JudgingUnit.second,
        )
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .join(JudgingTopic, JudgingTopic.id == JudgingUnit.topic_id)
        .where(Judgment.campaign_id == row.id, Judgment.state == "given", JudgingUnit.is_test.is_(False))
        .order_by(JudgingTopic.position, Judgment.id)
    ).all()
    codes = _codes(row.kind, {choice or "" for _, _, choice, *_ in rows})
    ratings, preferences = [], []
    for unit, judge, choice, topic, first, second in rows:
        if row.kind == "preference":
            preferences.append(Preference(topic, first, second, choice or "", str(judge)))
            value = float(choice == second)
        else:
            value = codes[choice or ""]
        ratings.append(Rating(unit, str(judge), value))
    hanging = {topic: triples(majorities(given)) for topic, given in by_topic(preferences).items()}
    level = _LEVELS[row.kind]
    return Quality(
        alpha=agreement.alpha(ratings, level),
        level=level,
        equal=agreement.pairwise_agreement_of_ratings(ratings),
        transitive=sum(each.transitive for each in hanging.values()),
        cycles={topic: each.cycles for topic, each in hanging.items() if each.cycles},
    )


def _codes(kind: str, choices: set[str]) -> Mapping[str, float]:
    if kind == "negative":
        return {choice: float(code) for code, choice in enumerate(sorted(choices))}
    return {choice: float(choice) for choice in choices} if kind != "preference" else {}


def levels(session: Session, spec: TaskSpec, number: int) -> Values:
    """The levels of each topic of a campaign of preferences that is done. Raises UnknownCampaign."""
    row = found(session, spec, number)
    topics = session.scalars(
        select(JudgingTopic).where(JudgingTopic.campaign_id == row.id).order_by(JudgingTopic.position)
    )
    return {
        topic.name: dict(now)
        for topic in topics
        if row.kind == "preference"
        and (now := judging_procedures.replay(session, row, topic).levels) is not None
    }


def beside_campaign(session: Session, spec: TaskSpec, crowd: int, local: int) -> Sources:
    """Where the best answers of the campaign `local` stand among those of `crowd` (the paper's Figure 5).

    Only topics that both have done are compared. Raises UnknownCampaign.
    """
    of_crowd, of_local = levels(session, spec, crowd), levels(session, spec, local)
    return agreement.compare_sources(
        of_crowd, {topic: best for topic, best in of_local.items() if topic in of_crowd}
    )


def chosen_grades(session: Session, files: Files, spec: TaskSpec, number: int) -> TopGrades:
    """How the chosen answers of a campaign were graded (Figures 3 and 6). Raises UnknownCampaign."""
    row = found(session, spec, number)
    return agreement.grades_of_answers(levels(session, spec, number), grades(session, files, row))


def pool_steps(session: Session, spec: TaskSpec, number: int) -> Mapping[float, int]:
    """How far the graded candidates of a campaign lie below their topic's best one (Figure 3); empty where
    none is graded. Raises UnknownCampaign."""
    values = item_grades(session, found(session, spec, number))
    return steps_below_top(values, {topic: tuple(of_topic) for topic, of_topic in values.items()})


def grades(session: Session, files: Files, row: Campaign) -> Values:
    """The grades that a campaign started from: of the whole gold version, or those of its own items."""
    if row.gold_version_id is not None:
        version = session.get_one(GoldVersion, row.gold_version_id)
        return read_qrels(files.gold.path(version.file_hash), integer_grades=False).by_topic()
    return item_grades(session, row)


def item_grades(session: Session, row: Campaign) -> Values:
    """The grades of a campaign's own items, as far as they have one."""
    values: dict[str, dict[str, float]] = {}
    rows = session.execute(
        select(JudgingTopic.name, JudgingItem.docno, JudgingItem.grade)
        .join(JudgingItem, JudgingItem.topic_id == JudgingTopic.id)
        .where(JudgingTopic.campaign_id == row.id, JudgingItem.grade.is_not(None))
        .order_by(JudgingTopic.position, JudgingItem.id)
    )
    for topic, docno, grade in rows:
        values.setdefault(topic, {})[docno] = grade or 0.0
    return values
