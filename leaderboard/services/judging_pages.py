"""Judging campaigns as organisers see them, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text
from leaderboard.services import judging_procedures
from leaderboard.services.judging import found
from leaderboard.services.judging_plans import Kind, OpenTo, Settings, State, read_settings
from leaderboard.services.tasks import known
from leaderboard.store.models import Campaign, Judge, JudgingTopic, JudgingUnit, Judgment, Task


@dataclass(frozen=True, slots=True)
class View:
    """A campaign as organisers see it."""

    id: int
    number: int
    task: str
    title: str
    kind: Kind
    track: str | None
    gold_version_id: int | None
    settings: Settings
    seed: int
    consent: Text | None
    instructions: Text | None
    open_to: OpenTo
    price: int
    budget: int | None
    state: State
    made_at: datetime
    opened_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is. `given` judgments count, `tests` of them answer tests, `with_judges` are being
    made. `open` are still needed as things stand; `at_most` are needed from the first to the last, None where
    nobody can know. `cost` is in hundredths, for what was given or set aside; `left` of the budget, None
    without one."""

    topics: int
    topics_done: int
    judges: int
    set_aside: int
    given: int
    tests: int
    with_judges: int
    skipped: int
    undone: int
    open: int
    at_most: int | None
    cost: int
    left: int | None

    @property
    def decisive(self) -> int:
        """The judgments that count and are no tests."""
        return self.given - self.tests

    @property
    def expected(self) -> int:
        """How many of these there will be: the bound where there is one and it is not reached, else as things
        stand."""
        if self.at_most is not None and self.open:
            return max(self.at_most, self.decisive)
        return self.decisive + self.open


def listing(session: Session, spec: TaskSpec) -> tuple[View, ...]:
    """The campaigns of a task, the newest first."""
    statement = select(Campaign).where(Campaign.task_id == known(session, spec.name).id)
    return tuple(view(session, row) for row in session.scalars(statement.order_by(Campaign.number.desc())))


def campaign(session: Session, spec: TaskSpec, number: int) -> View:
    """One campaign. Raises UnknownCampaign."""
    return view(session, found(session, spec, number))


def view(session: Session, row: Campaign) -> View:
    """A row as a value."""
    return View(
        id=row.id,
        number=row.number,
        task=session.get_one(Task, row.task_id).name,
        title=row.title,
        kind=cast(Kind, row.kind),
        track=row.track,
        gold_version_id=row.gold_version_id,
        settings=read_settings(row.settings),
        seed=row.seed,
        consent=Text(row.consent) if row.consent else None,
        instructions=Text(row.instructions) if row.instructions else None,
        open_to=cast(OpenTo, row.open_to),
        price=row.price,
        budget=row.budget,
        state=cast(State, row.state),
        made_at=row.made_at,
        opened_at=row.opened_at,
        finished_at=row.finished_at,
    )


def progress(session: Session, spec: TaskSpec, number: int) -> Progress:
    """How far a campaign is, and what it has cost. Raises UnknownCampaign."""
    row = found(session, spec, number)
    states = _by_state(session, row)
    tests = session.scalar(
        select(func.count())
        .select_from(Judgment)
        .join(JudgingUnit)
        .where(Judgment.campaign_id == row.id, Judgment.state == "given", JudgingUnit.is_test)
    )
    still = session.scalar(
        select(func.sum(JudgingUnit.wanted - JudgingUnit.given)).where(
            JudgingUnit.campaign_id == row.id, JudgingUnit.needed
        )
    )
    topics = session.execute(
        select(func.count(), func.count(JudgingTopic.done_at)).where(JudgingTopic.campaign_id == row.id)
    ).one()
    judges = session.execute(
        select(func.count(), func.count(Judge.set_aside_at)).where(Judge.campaign_id == row.id)
    ).one()
    # Work that was set aside has been done, and is paid for.
    paid = states.get("given", 0) + states.get("set aside", 0)
    return Progress(
        topics=topics[0],
        topics_done=topics[1],
        judges=judges[0],
        set_aside=judges[1],
        given=states.get("given", 0),
        tests=tests or 0,
        with_judges=states.get("out", 0),
        skipped=states.get("skipped", 0),
        undone=states.get("undone", 0),
        open=still or 0,
        at_most=judging_procedures.at_most(session, row),
        cost=paid * row.price,
        left=None if row.budget is None else max(0, row.budget - paid - states.get("out", 0)),
    )


def _by_state(session: Session, row: Campaign) -> dict[str, int]:
    statement = select(Judgment.state, func.count()).where(Judgment.campaign_id == row.id)
    return {state: count for state, count in session.execute(statement.group_by(Judgment.state))}  # noqa: C416 - rows are no pairs to a type checker
