"""Judges who do anything in any order: the numbers stay right, and the campaign still ends as it should."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import judging_judges
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import Handed
from leaderboard.services.judging_plans import NotNow, Settings
from leaderboard.services.judging_work import TooLate
from leaderboard.store.models import JudgingUnit, Judgment
from tests.services.campaigns import CROWD, ONE_EACH, Campaigns

STEPS = 60


def do_something(campaigns: Campaigns, number: int, judges: list[int], chance: random.Random) -> None:
    judge = chance.choice(judges)
    what = chance.random()
    if what < 0.1:
        campaigns.undo(number, judge)
    elif what < 0.15:
        campaigns.now += timedelta(minutes=chance.choice([5, 40]))
    elif what < 0.18 and len(judges) > 2:
        judges.remove(judge)
        with campaigns.database.writing() as session:
            judging_judges.set_aside(session, campaigns.spec, number, judge, "test", SHELL, campaigns.now)
    else:
        units: tuple[Handed, ...] = campaigns.next(number, judge)
        if units and what < 0.3:
            campaigns.skip(number, judge, chance.choice(units))
        elif units:
            campaigns.answer(number, judge, chance.choice(units), chance.choice(["left", "right"]))


def check_numbers(campaigns: Campaigns) -> None:
    """What a unit says of its judgments is what there is."""
    with campaigns.database.reading() as session:
        rows = session.execute(select(Judgment.unit_id, Judgment.state)).all()
        units = session.scalars(select(JudgingUnit)).all()
    states = Counter((unit, state) for unit, state in rows)
    for unit in units:
        given, out = states[unit.id, "given"], states[unit.id, "out"]
        assert (unit.given, unit.taken) == (given, given + out)
        assert unit.taken <= unit.wanted


@pytest.mark.parametrize("settings", [ONE_EACH, replace(CROWD, redundancy=2)])
def test_whatever_judges_do_the_numbers_are_right_and_it_can_be_finished(
    campaigns: Campaigns, settings: Settings
) -> None:
    chance = random.Random(settings.redundancy)
    number = campaigns.opened(settings)
    judges = [campaigns.judge(number) for _ in range(4)]
    for _ in range(STEPS):
        with suppress(NotNow, TooLate):
            do_something(campaigns, number, judges, chance)
    check_numbers(campaigns)
    campaigns.now += timedelta(hours=1)
    for judge in [campaigns.judge(number) for _ in range(2)]:
        campaigns.judge_all(number, judge)
    check_numbers(campaigns)
    assert campaigns.results(number).unfinished == ()
