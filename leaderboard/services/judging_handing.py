"""Handing out what is to be judged.

Everything happens in a transaction that holds the campaign, and the database refuses more judgments of a unit
than wanted, so that two judges at once never get the same one beyond that. What a judge has is kept for the
time of a lease: a browser that was closed finds it again, and after that somebody else gets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
from leaderboard.judging.relatedness import draw_assignment
from leaderboard.judging.shuffling import coin, shuffled
from leaderboard.services.judging import found, held
from leaderboard.services.judging_answers import Handed, shown
from leaderboard.services.judging_judges import member
from leaderboard.services.judging_plans import Settings, read_settings
from leaderboard.store.models import Campaign, Judge, JudgingTopic, JudgingUnit, Judgment

AHEAD = 2
"""So many units a judge has at a time: the one that is shown, and the next, which the page loads."""


SPENT = say("The budget of this campaign is spent. Thank you for your work.")
_ALL_DONE = say("There is nothing left for you to judge. Thank you for your work.")


@dataclass(frozen=True, slots=True)
class Work:
    """What a judge has to do: the first is to be shown, the second is next. `waiting` is how many the judge
    has in all, such as the rest of an assignment; `given` how many judgments this judge has given. Without
    any unit, `why` says what is the matter."""

    units: tuple[Handed, ...]
    waiting: int
    given: int
    why: Message | None


def next_(session: Session, spec: TaskSpec, number: int, judge_id: int, now: datetime) -> Work:
    """Hands out what the judge is to judge next; what they have already comes first, kept for another lease.

    Raises UnknownJudge and UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    why = _closed(row, judge)
    if why is None:
        _lapse(session, row, now)
        why = _fill(session, row, judge, read_settings(row.settings), now)
    return _work(session, row, judge, why)


def at_hand(session: Session, spec: TaskSpec, number: int, judge_id: int) -> Work:
    """What the judge has now; changes nothing. Without any unit and without `why`, `next_` would hand some
    out. Raises UnknownJudge and UnknownCampaign."""
    return work_at_hand(session, found(session, spec, number), judge_id)


def work_at_hand(session: Session, row: Campaign, judge_id: int) -> Work:
    """The same, of a campaign's row."""
    judge = member(session, row, judge_id)
    why = _closed(row, judge)
    if why is None and not _out(session, judge):
        why = _nothing(session, row, judge, read_settings(row.settings))
    return _work(session, row, judge, why)


def _nothing(session: Session, row: Campaign, judge: Judge, settings: Settings) -> Message | None:
    room = room_left(session, row)
    if room == 0:
        return SPENT
    return None if _choose(session, row, judge, settings, room) else _ALL_DONE


def _work(session: Session, row: Campaign, judge: Judge, why: Message | None) -> Work:
    over = judge.set_aside_at is not None or row.state == "finished"
    mine = () if over else _out(session, judge)
    given = session.scalar(
        select(func.count())
        .select_from(Judgment)
        .where(Judgment.judge_id == judge.id, Judgment.state == "given")
    )
    units = tuple(shown(session, row, judgment) for judgment in mine[:AHEAD])
    return Work(units, len(mine), given or 0, None if units else why)


def _closed(row: Campaign, judge: Judge) -> Message | None:
    if judge.set_aside_at is not None:
        return say("Your judgments here are not asked for any more. Thank you for your work.")
    if row.state == "finished":
        return say("This campaign is finished. Thank you for your work.")
    if row.state != "open":
        return say("There is nothing to judge at the moment; please come again later.")
    if judge.consented_at is None:
        return say("Please read what you take part in, and agree to it first.")
    return None


def _fill(session: Session, row: Campaign, judge: Judge, settings: Settings, now: datetime) -> Message | None:
    """Gives the judge enough to do; returns why not where there is no more."""
    mine = _out(session, judge)
    for judgment in mine:
        judgment.lease_until = now + settings.lease
    for _ in range(AHEAD - len(mine)):
        room = room_left(session, row)
        if room == 0:
            return SPENT
        units = _choose(session, row, judge, settings, room)
        if not units:
            return _ALL_DONE
        for unit in units:
            hand(session, row, judge, unit, now, now + settings.lease)
    return None


def room_left(session: Session, row: Campaign) -> int | None:
    """How many judgments the budget still allows; None where there is no limit."""
    if row.budget is None:
        return None
    used = session.scalar(
        select(func.count())
        .select_from(Judgment)
        .where(Judgment.campaign_id == row.id, Judgment.state.in_(("out", "given", "set aside")))
    )
    return max(0, row.budget - (used or 0))


def _choose(
    session: Session, row: Campaign, judge: Judge, settings: Settings, room: int | None
) -> list[JudgingUnit]:
    test = _due_test(session, row, judge, settings)
    if test is not None:
        return [test]
    if row.kind == "relatedness":
        return _assignment(session, row, judge, room)
    # What the judge skipped comes back when nothing else is left.
    for states in (("out", "given", "set aside", "skipped"), ("out", "given", "set aside")):
        unit = _best(session, row, judge, states)
        if unit is not None:
            return [unit]
    return []


def _due_test(session: Session, row: Campaign, judge: Judge, settings: Settings) -> JudgingUnit | None:
    """In every so many judgments one is a test, at a place that nobody can guess; None where none is due."""
    if not settings.test_every:
        return None
    had = session.scalar(
        select(func.count())
        .select_from(Judgment)
        .where(Judgment.judge_id == judge.id, Judgment.state.in_(("out", "given")))
    )
    block, place = divmod(had or 0, settings.test_every)
    places = [str(number) for number in range(settings.test_every)]
    if shuffled(places, row.seed, "test", judge.id, block)[0] != str(place):
        return None
    tests = session.scalars(
        select(JudgingUnit).where(
            JudgingUnit.campaign_id == row.id, JudgingUnit.is_test, ~_had(judge, ("out", "given", "skipped"))
        )
    ).all()
    by_name = {str(unit.id): unit for unit in tests}
    order = shuffled(by_name, row.seed, "test", judge.id)
    return by_name[order[0]] if order else None


def _had(judge: Judge, states: tuple[str, ...]) -> ColumnElement[bool]:
    """Whether the judge has, or had, a unit in one of these states."""
    # Not correlated: the database looks the judge's units up once, and not for every unit there is.
    return JudgingUnit.id.in_(
        select(Judgment.unit_id).where(Judgment.judge_id == judge.id, Judgment.state.in_(states))
    )


def _best(session: Session, row: Campaign, judge: Judge, states: tuple[str, ...]) -> JudgingUnit | None:
    """The unit that the judge gets next: of the topic judged last, else of a topic at which fewest others
    are, so that a tournament is held up least; None where there is none that lacks these states."""
    free = select(JudgingUnit).where(
        JudgingUnit.campaign_id == row.id,
        JudgingUnit.needed,
        JudgingUnit.taken < JudgingUnit.wanted,
        ~_had(judge, states),
    )
    last = session.scalar(
        select(JudgingUnit.topic_id)
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(Judgment.judge_id == judge.id)
        .order_by(Judgment.id.desc())
        .limit(1)
    )
    if last is not None:
        same = free.where(JudgingUnit.topic_id == last).order_by(JudgingUnit.id).limit(1)
        unit = session.scalars(same).first()
        if unit is not None:
            return unit
    busy = (
        select(JudgingUnit.topic_id, func.count().label("others"))
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(Judgment.campaign_id == row.id, Judgment.state == "out", Judgment.judge_id != judge.id)
        .group_by(JudgingUnit.topic_id)
        .subquery()
    )
    elsewhere = (
        free.join(JudgingTopic, JudgingTopic.id == JudgingUnit.topic_id)
        .outerjoin(busy, busy.c.topic_id == JudgingUnit.topic_id)
        .order_by(func.coalesce(busy.c.others, 0), JudgingTopic.position, JudgingUnit.id)
    )
    return session.scalars(elsewhere.limit(1)).first()


def _assignment(session: Session, row: Campaign, judge: Judge, room: int | None) -> list[JudgingUnit]:
    """Pairs of words drawn by how often each was taken, once the judge has finished the assignment before."""
    if _out(session, judge):
        return []
    units = session.scalars(
        select(JudgingUnit)
        .where(
            JudgingUnit.campaign_id == row.id,
            JudgingUnit.needed,
            JudgingUnit.taken < JudgingUnit.wanted,
            ~_had(judge, ("out", "given", "set aside", "skipped")),
        )
        .order_by(JudgingUnit.id)
    ).all()
    handed = session.scalar(select(func.count()).select_from(Judgment).where(Judgment.campaign_id == row.id))
    drawn = draw_assignment([unit.taken for unit in units], [row.seed, handed or 0])
    return [units[place] for place in drawn][:room]


def hand(
    session: Session, row: Campaign, judge: Judge, unit: JudgingUnit, now: datetime, until: datetime
) -> Judgment:
    """Gives a unit to a judge until some time; the caller holds the campaign."""
    sides = (unit.first, unit.second)
    judgment = Judgment(
        campaign_id=row.id,
        unit_id=unit.id,
        judge_id=judge.id,
        state="out",
        shown_left=sides[coin(row.seed, "side", judge.id, unit.id)] if row.kind == "preference" else "",
        handed_at=now,
        lease_until=until,
    )
    unit.taken += 1
    session.add(judgment)
    session.flush()
    return judgment


def _out(session: Session, judge: Judge) -> list[Judgment]:
    """What the judge has, in the order in which it was handed out."""
    statement = select(Judgment).where(Judgment.judge_id == judge.id, Judgment.state == "out")
    return list(session.scalars(statement.order_by(Judgment.handed_at, Judgment.id)))


def _lapse(session: Session, row: Campaign, now: datetime) -> None:
    """Frees what judges have kept for longer than their lease."""
    late = session.execute(
        select(Judgment, JudgingUnit)
        .join(JudgingUnit, JudgingUnit.id == Judgment.unit_id)
        .where(Judgment.campaign_id == row.id, Judgment.state == "out", Judgment.lease_until <= now)
    ).all()
    for judgment, unit in late:
        judgment.state = "lapsed"
        unit.taken -= 1
    session.flush()
