"""What a judge does with what was handed out: answer, skip, take the last answer back.

The procedures then say what is needed next. Every judgment ever made keeps its row.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import judging_procedures
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging import held
from leaderboard.services.judging_answers import Handed, choice_of, shown
from leaderboard.services.judging_handing import SPENT, hand, room_left
from leaderboard.services.judging_judges import BELOW_THRESHOLD, is_below_threshold, member, take_out
from leaderboard.services.judging_plans import NotNow, read_settings
from leaderboard.store.models import Campaign, Judge, JudgingTopic, JudgingUnit, Judgment

LONGEST = 3600.0
"""A judgment that took more seconds was left open; its time says nothing."""


class TooLate(ServiceError):
    """Somebody else has judged it meanwhile, or the budget was spent on other judgments."""


class UnknownJudgment(ServiceError):
    """The judge was not handed that."""


def record(
    session: Session,
    spec: TaskSpec,
    number: int,
    judge_id: int,
    judgment_id: int,
    answer: str,
    now: datetime,
    seconds: float | None = None,
) -> None:
    """Takes a judge's answer (see `judging_answers.answers`); the same one sent again is the same as once.

    An answer that comes after its lease counts as long as the unit still wants one. Raises TooLate otherwise,
    NotNow, UnknownJudgment, BadAnswer, UnknownJudge, UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    judgment, unit = _handed(session, judge, judgment_id)
    choice = choice_of(row, unit, judgment, answer)
    if judgment.state == "given" and judgment.choice == choice:
        return
    if row.state not in ("open", "paused") or judge.set_aside_at is not None:
        raise NotNow(say("Judgments are not taken any more."))
    _require_out(session, row, unit, judgment)
    judgment.state, judgment.choice, judgment.decided_at = "given", choice, now
    judgment.seconds = seconds if seconds is not None and 0 <= seconds <= LONGEST else None
    unit.given += 1
    session.flush()
    if unit.is_test:
        if is_below_threshold(session, row, judge):
            take_out(session, row, judge, BELOW_THRESHOLD, now)
    elif unit.given >= unit.wanted:
        judging_procedures.refresh(session, row, session.get_one(JudgingTopic, unit.topic_id), now)


def _require_out(session: Session, row: Campaign, unit: JudgingUnit, judgment: Judgment) -> None:
    if judgment.state == "out":
        return
    again = select(Judgment.id).where(
        Judgment.unit_id == unit.id,
        Judgment.judge_id == judgment.judge_id,
        Judgment.state.in_(("out", "given")),
    )
    if judgment.state != "lapsed" or session.scalars(again).first() is not None:
        raise NotNow(say("This was answered before. To change the last answer, take it back first."))
    if unit.taken >= unit.wanted:
        raise TooLate(
            say("This was open for so long that somebody else has it now. Please go on with the next.")
        )
    _require_room(session, row)
    unit.taken += 1


def skip(
    session: Session, spec: TaskSpec, number: int, judge_id: int, judgment_id: int, now: datetime
) -> None:
    """The judge does not want to decide; somebody else gets it. Twice is once.

    Raises NotNow for what was answered, UnknownJudgment, UnknownJudge, UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    judgment, unit = _handed(session, judge, judgment_id)
    if judgment.state in ("skipped", "lapsed"):
        return
    if judgment.state != "out":
        raise NotNow(say("This was answered before."))
    judgment.state, judgment.decided_at = "skipped", now
    unit.taken -= 1
    session.flush()


def undo(session: Session, spec: TaskSpec, number: int, judge_id: int, now: datetime) -> Handed:
    """Takes back what the judge did last, an answer or a skip, and hands the same unit out once more, to be
    shown first.

    Raises NotNow where there is nothing to take back, TooLate where somebody else has meanwhile what was
    skipped or the budget is spent, UnknownJudge and UnknownCampaign.
    """
    row = held(session, spec, number)
    judge = member(session, row, judge_id)
    if row.state not in ("open", "paused") or judge.set_aside_at is not None:
        raise NotNow(say("Judgments are not taken any more."))
    judgment = session.scalars(
        select(Judgment)
        .where(
            Judgment.judge_id == judge.id,
            Judgment.state.in_(("given", "skipped")),
            Judgment.undone_at.is_(None),
        )
        .order_by(Judgment.decided_at.desc(), Judgment.id.desc())
        .limit(1)
    ).first()
    if judgment is None:
        raise NotNow(say("There is no answer to take back."))
    unit = session.get_one(JudgingUnit, judgment.unit_id)
    judgment.undone_at = now
    if judgment.state == "skipped":
        _require_free(session, judge, unit)
        _require_room(session, row)
    else:
        judgment.state = "undone"
        unit.given -= 1
        unit.taken -= 1
    session.flush()
    again = hand(session, row, judge, unit, _first(session, judge, now), now + _lease(row))
    if not unit.is_test:
        judging_procedures.refresh(session, row, session.get_one(JudgingTopic, unit.topic_id), now)
    return shown(session, row, again)


def _require_free(session: Session, judge: Judge, unit: JudgingUnit) -> None:
    """What was skipped went to others, or came back already."""
    here = select(Judgment.id).where(
        Judgment.unit_id == unit.id, Judgment.judge_id == judge.id, Judgment.state.in_(("out", "given"))
    )
    wanted = unit.is_test or (unit.needed and unit.taken < unit.wanted)
    if not wanted or session.scalars(here).first() is not None:
        raise TooLate(say("What you skipped is with somebody else now. Please go on."))


def _require_room(session: Session, row: Campaign) -> None:
    """What a judge gave away, others may have had for the last of the budget."""
    if room_left(session, row) == 0:
        raise TooLate(SPENT)


def _first(session: Session, judge: Judge, now: datetime) -> datetime:
    """A moment before whatever the judge has was handed out, for what is to be shown first."""
    statement = select(func.min(Judgment.handed_at)).where(
        Judgment.judge_id == judge.id, Judgment.state == "out"
    )
    return (session.scalar(statement) or now) - timedelta(microseconds=1)


def _lease(row: Campaign) -> timedelta:
    return read_settings(row.settings).lease


def _handed(session: Session, judge: Judge, judgment_id: int) -> tuple[Judgment, JudgingUnit]:
    judgment = session.get(Judgment, judgment_id)
    if judgment is None or judgment.judge_id != judge.id:
        raise UnknownJudgment(say("You were not asked that."))
    return judgment, session.get_one(JudgingUnit, judgment.unit_id)
