"""Campaigns as judges see them: which there are, how far they are, and what one has done oneself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import cast

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from leaderboard.contract import Text
from leaderboard.judging.tournament import bound
from leaderboard.services import judging_admission, roles
from leaderboard.services.accounts import Person
from leaderboard.services.judging_handing import Work, work_at_hand
from leaderboard.services.judging_plans import Kind, OpenTo, State
from leaderboard.store.models import Campaign, Judge, JudgingItem, JudgingTopic, JudgingUnit, Judgment, Task

DONE = ("given", "set aside")
"""The states of judgments that were work."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A campaign as somebody sees it who judges there, or may begin to. `joined` and `agreed` are None for
    one who does not judge there yet. `share` is how much of all is judged, from 0 to 1."""

    task: str
    number: int
    title: str
    kind: Kind
    state: State
    open_to: OpenTo
    consent: Text | None
    instructions: Text | None
    joined: datetime | None
    agreed: datetime | None
    set_aside: bool
    share: float

    @property
    def takes(self) -> bool:
        """Whether answers are taken from this judge, or may be taken back."""
        return self.state in ("open", "paused") and not self.set_aside


@dataclass(frozen=True, slots=True)
class Totals:
    """What a judge has done in a campaign. `seconds` is the median time of a judgment and `minutes` the time
    of all, both as far as the page measured it; None where it did not."""

    given: int
    skipped: int
    seconds: float | None
    minutes: float | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign in the list of somebody, and what waits there; `work` is None where they have not begun."""

    desk: Desk
    work: Work | None


def desk(session: Session, row: Campaign, judge_id: int | None) -> Desk:
    """A campaign as this judge sees it."""
    judge = None if judge_id is None else session.get_one(Judge, judge_id)
    return Desk(
        task=session.get_one(Task, row.task_id).name,
        number=row.number,
        title=row.title,
        kind=cast(Kind, row.kind),
        state=cast(State, row.state),
        open_to=cast(OpenTo, row.open_to),
        consent=Text(row.consent) if row.consent else None,
        instructions=Text(row.instructions) if row.instructions else None,
        joined=judge.joined_at if judge else None,
        agreed=judge.consented_at if judge else None,
        set_aside=judge is not None and judge.set_aside_at is not None,
        share=share(session, row),
    )


def totals(session: Session, judge_id: int) -> Totals:
    """What a judge has done."""
    of_judge = select(Judgment.state, Judgment.seconds).where(Judgment.judge_id == judge_id)
    counted = Judgment.state.in_((*DONE, "skipped")), Judgment.undone_at.is_(None)
    rows = session.execute(of_judge.where(*counted)).all()
    timed = [seconds for state, seconds in rows if state in DONE and seconds is not None]
    return Totals(
        given=sum(state in DONE for state, _ in rows),
        skipped=sum(state == "skipped" for state, _ in rows),
        seconds=median(timed) if timed else None,
        minutes=sum(timed) / 60 if timed else None,
    )


def share(session: Session, row: Campaign) -> float:
    """How much of a campaign is judged. A topic counts for one; of one that is not done, what was judged is
    set against what is needed now, or, of a tournament, against the most that it can need."""
    still = case((JudgingUnit.needed, JudgingUnit.wanted - JudgingUnit.given), else_=0)
    topics = session.execute(
        select(JudgingTopic.id, JudgingTopic.done_at, func.sum(JudgingUnit.given), func.sum(still))
        .outerjoin(JudgingUnit, (JudgingUnit.topic_id == JudgingTopic.id) & JudgingUnit.is_test.is_(False))
        .where(JudgingTopic.campaign_id == row.id)
        .group_by(JudgingTopic.id, JudgingTopic.done_at)
    ).all()
    most = _most(session, row)
    judged = 0.0
    for topic, done_at, given, left in topics:
        needed = max((given or 0) + (left or 0), most.get(topic, 0))
        judged += 1.0 if done_at else (given or 0) / needed if needed else 0.0
    return judged / len(topics) if topics else 0.0


def _most(session: Session, row: Campaign) -> dict[int, int]:
    """Of a tournament, how many judgments each topic needs at most."""
    if row.kind != "preference" or row.settings["procedure"] != "tournament":
        return {}
    sizes = session.execute(
        select(JudgingItem.topic_id, func.count())
        .join(JudgingTopic, JudgingTopic.id == JudgingItem.topic_id)
        .where(JudgingTopic.campaign_id == row.id)
        .group_by(JudgingItem.topic_id)
    )
    redundancy = int(row.settings["redundancy"])
    return {topic: redundancy * bound(size, row.settings["k"]) for topic, size in sizes}


def listing(
    session: Session, person: Person | None, word: Callable[[str, int], str | None], public: Collection[str]
) -> tuple[Listed, ...]:
    """The campaigns that somebody judges in, and those of `public` tasks or of their own rights that they may
    begin to judge in, the newest first. `word` gives the secret word of their browser for a campaign."""
    rows = session.execute(
        select(Campaign, Task.name)
        .join(Task, Task.id == Campaign.task_id)
        .where(Campaign.state != "preparing")
        .order_by(Campaign.opened_at.desc(), Campaign.id.desc())
    ).all()
    found = []
    for row, task in rows:
        judge_id = judging_admission.known_judge(
            session, row, person.user_id if person else None, word(task, row.number)
        )
        if judge_id is not None:
            work = work_at_hand(session, row, judge_id)
            found.append(Listed(desk(session, row, judge_id), work))
        elif row.state == "open" and _may_begin(row, task, person, public):
            found.append(Listed(desk(session, row, None), None))
    return tuple(found)


def _may_begin(row: Campaign, task: str, person: Person | None, public: Collection[str]) -> bool:
    if roles.judges(person, task):
        return True
    return task in public and (row.open_to == "anyone" or (person is not None and row.open_to == "accounts"))
