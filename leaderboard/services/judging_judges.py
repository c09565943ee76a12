"""Judges of a campaign: what they agree to, how well they work, whose work counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.judging.preferences import Pair, Preference
from leaderboard.judging.quality import JudgeRecord, judge_records
from leaderboard.services import audit, judging_procedures
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging import found, held
from leaderboard.services.judging_plans import read_settings
from leaderboard.store.models import (
    Campaign,
    Judge,
    JudgingTopic,
    JudgingUnit,
    Judgment,
    User,
)

BELOW_THRESHOLD = "tests"
"""Why the campaign itself set a judge aside, as the row keeps it; what organisers say stands as it is."""


class UnknownJudge(ServiceError):
    """The campaign has no such judge."""


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
    """An organiser decides that a judge's work does not count; its units go to others.

    Raises UnknownJudge and UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    if judge.set_aside_at is None:
        take_out(session, row, judge, reason, now)
        change = Change("judge.set_aside", "judge", judge.id, str(judge.number), {}, {}, reason)
        audit.record(session, actor, row.task_id, change, now)


def reinstate(
    session: Session, spec: TaskSpec, number: int, judge_id: int, actor: Actor, now: datetime
) -> int:
    """Lets a judge who was set aside go on; the work counts again where nobody else has done it meanwhile.
    Returns how many judgments do not. Raises UnknownJudge and UnknownCampaign."""
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    if judge.set_aside_at is None:
        return 0
    reason, judge.set_aside_at, judge.set_aside_for = judge.set_aside_for, None, ""
    work = session.execute(
        select(Judgment, JudgingUnit)
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .where(Judgment.judge_id == judge.id, Judgment.state == "set aside")
    ).all()
    topics, lost = set(), 0
    for judgment, unit in work:
        if unit.taken >= unit.wanted:
            lost += 1
            continue
        judgment.state = "given"
        unit.taken, unit.given = unit.taken + 1, unit.given + 1
        topics.add(unit.topic_id)
    session.flush()
    for topic_id in sorted(topics):
        judging_procedures.refresh(session, row, session.get_one(JudgingTopic, topic_id), now)
    before, after = {"set aside for": reason}, {"judgments lost": lost}
    change = Change("judge.taken_back", "judge", judge.id, str(judge.number), before, after)
    audit.record(session, actor, row.task_id, change, now)
    return lost


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
            name=name or judge.name,
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
