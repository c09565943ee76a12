"""Many judges at once: no pair is judged more often than wanted, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import select

from leaderboard.services import judging_handing, judging_work
from leaderboard.services.judging_plans import Settings
from leaderboard.store.models import JudgingUnit, Judgment
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.campaigns import ONE_EACH, Campaigns, alphabetical
from tests.services.toy import NOON

JUDGES = 4


@pytest.fixture
def campaigns(database: Database, tmp_path: Path) -> Campaigns:
    made = Campaigns(database, tmp_path)
    kept("campaigns at once", database, tmp_path, lambda: made.install().seed)
    return made


def all_judge(campaigns: Campaigns, number: int) -> None:
    """Several judges work at the same time until nothing is left for any of them."""
    judges = [campaigns.judge(number) for _ in range(JUDGES)]
    together = Barrier(JUDGES)

    def judge_all(judge: int) -> None:
        together.wait()
        while True:
            with campaigns.database.writing() as session:
                units = judging_handing.next_(session, campaigns.spec, number, judge, NOON).units
            if not units:
                return
            for handed in units:
                with campaigns.database.writing() as session:
                    judging_work.record(
                        session,
                        campaigns.spec,
                        number,
                        judge,
                        handed.judgment_id,
                        alphabetical(handed),
                        NOON,
                    )

    with ThreadPoolExecutor(JUDGES) as threads:
        list(threads.map(judge_all, judges))


def given(campaigns: Campaigns) -> Counter[tuple[int, str, str]]:
    """How often each pair was judged."""
    with campaigns.database.reading() as session:
        rows = session.execute(
            select(JudgingUnit.topic_id, JudgingUnit.first, JudgingUnit.second)
            .join(Judgment, Judgment.unit_id == JudgingUnit.id)
            .where(Judgment.state.in_(("given", "out")))
        )
        return Counter((topic, first, second) for topic, first, second in rows)


def test_no_pair_is_judged_more_often_than_wanted(campaigns: Campaigns) -> None:
    number = campaigns.opened(Settings(procedure="two-stage", redundancy=2))
    all_judge(campaigns, number)
    found = given(campaigns)
    assert len(found) == 13
    assert set(found.values()) == {2}
    assert campaigns.results(number).unfinished == ()


def test_a_tournament_of_many_judges_ends_as_that_of_one(campaigns: Campaigns) -> None:
    alone = campaigns.opened()
    campaigns.judge_all(alone, campaigns.judge(alone))
    number = campaigns.opened(replace(ONE_EACH))
    all_judge(campaigns, number)
    # Who finds nothing open goes; what is left becomes open again, for whoever comes then.
    campaigns.judge_all(number, campaigns.judge(number))
    assert campaigns.results(number).files["levels.qrels"] == campaigns.results(alone).files["levels.qrels"]


def test_a_budget_is_kept_by_many_at_once(campaigns: Campaigns) -> None:
    number = campaigns.opened(Settings(procedure="two-stage", redundancy=2), budget=11)
    all_judge(campaigns, number)
    assert sum(given(campaigns).values()) == 11
