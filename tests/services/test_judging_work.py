"""What judges are handed, and what becomes of their answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from leaderboard.services import (
    judging,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import BadAnswer, Handed
from leaderboard.services.judging_plans import NotNow
from leaderboard.services.judging_work import TooLate, UnknownJudgment
from tests.services.campaigns import CROWD, ONE_EACH, Campaigns, alphabetical, progress
from tests.services.toy import NOON


def test_one_judge_runs_a_tournament_to_the_end(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    given = campaigns.judge_all(number, campaigns.judge(number))
    found = campaigns.results(number)
    assert found.unfinished == ()
    assert found.files["levels.qrels"].decode() == "31_1 Q0 a 20\n31_1 Q0 b 10\n31_2 Q0 f 20\n31_2 Q0 g 10\n"
    assert found.files["best.qrels"].decode() == "31_1 Q0 a 1\n31_2 Q0 f 1\n"
    now = progress(campaigns, number)
    assert (now.topics, now.topics_done, now.given, now.open) == (2, 2, given, 0)
    assert now.at_most is not None
    assert given <= now.at_most


def test_judges_of_two_stages_give_every_pair_as_many_judgments_as_wanted(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(CROWD, redundancy=3))
    for judge in [campaigns.judge(number) for _ in range(3)]:
        # Five candidates and three: 10 and 3 pairs, of which a judge gets each once.
        assert campaigns.judge_all(number, judge) == 13
    found = campaigns.results(number)
    assert found.files["levels.qrels"].decode().splitlines()[:5] == [
        f"31_1 Q0 {each}" for each in ("a 50", "b 40", "c 30", "d 20", "e 10")
    ]
    assert len(found.files["judgments.pref"].decode().splitlines()) == 39


def test_a_judge_has_the_next_pair_beforehand_and_finds_both_again(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge = campaigns.judge(number)
    shown = campaigns.next(number, judge)
    assert len(shown) == 2
    assert campaigns.next(number, judge) == shown
    campaigns.answer(number, judge, shown[0], "left")
    assert campaigns.next(number, judge)[0] == shown[1]


def test_what_is_handed_out_tells_neither_docno_nor_grade(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    handed = campaigns.next(number, campaigns.judge(number))[0]
    assert handed.question == f"What of {handed.topic}?"
    assert set(Handed.__dataclass_fields__) == {
        "judgment_id",
        "kind",
        "topic",
        "question",
        "conversation",
        "texts",
        "words",
    }


def test_sides_are_drawn(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(CROWD, redundancy=4))
    left_is_first = [
        handed.texts[0] < handed.texts[1]
        for judge in [campaigns.judge(number) for _ in range(4)]
        for handed in campaigns.next(number, judge)
    ]
    assert set(left_is_first) == {True, False}


def test_the_last_answer_is_taken_back_and_the_same_pair_is_shown_again(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge = campaigns.judge(number)
    first, second = campaigns.next(number, judge)
    campaigns.answer(number, judge, first, alphabetical(first))
    again = campaigns.undo(number, judge)
    assert (again.texts, again.topic) == (first.texts, first.topic)
    assert campaigns.next(number, judge)[0] == again
    assert campaigns.next(number, judge)[1] == second
    assert progress(campaigns, number).given == 0
    with pytest.raises(NotNow, match="no answer"):
        campaigns.undo(number, judge)
    campaigns.judge_all(number, judge)
    assert b"31_1 Q0 a 20" in campaigns.results(number).files["levels.qrels"]


def test_taking_back_leads_a_finished_topic_back(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge = campaigns.judge(number)
    campaigns.judge_all(number, judge)
    assert progress(campaigns, number).topics_done == 2
    again = campaigns.undo(number, judge)
    assert progress(campaigns, number).topics_done == 1
    campaigns.answer(number, judge, again, alphabetical(again))
    assert progress(campaigns, number).topics_done == 2


def test_the_same_answer_sent_again_is_one_and_another_is_refused(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge = campaigns.judge(number)
    handed = campaigns.next(number, judge)[0]
    campaigns.answer(number, judge, handed, "left")
    campaigns.answer(number, judge, handed, "left")
    assert progress(campaigns, number).given == 1
    with pytest.raises(NotNow, match="take it back"):
        campaigns.answer(number, judge, handed, "right")


def test_a_skipped_pair_goes_to_others_and_comes_back_last(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(CROWD, k=1, finalists=9))
    judge, other = campaigns.judge(number), campaigns.judge(number)
    skipped = campaigns.next(number, judge)[0]
    campaigns.skip(number, judge, skipped)
    assert skipped.texts not in [handed.texts for handed in campaigns.next(number, judge)]
    assert set(skipped.texts) in [set(handed.texts) for handed in campaigns.next(number, other)]
    # The other one leaves; when its lease is over the judge is asked at last, after all else.
    campaigns.now += timedelta(hours=1)
    asked = []
    while units := campaigns.next(number, judge):
        asked.append(set(units[0].texts))
        campaigns.answer(number, judge, units[0], alphabetical(units[0]))
    assert asked[-1] == set(skipped.texts)
    assert campaigns.results(number).unfinished == ()


def test_what_a_judge_leaves_lying_goes_to_somebody_else_after_the_lease(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(ONE_EACH, lease=timedelta(minutes=5)))
    left, stayed = campaigns.judge(number), campaigns.judge(number)
    kept = campaigns.next(number, left)
    campaigns.now += timedelta(minutes=6)
    campaigns.judge_all(number, stayed)
    assert progress(campaigns, number).topics_done == 2
    with pytest.raises(TooLate, match="somebody else"):
        campaigns.answer(number, left, kept[0], "left")


def test_a_late_answer_counts_where_nobody_else_has_it_yet(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(ONE_EACH, lease=timedelta(minutes=5)))
    judge = campaigns.judge(number)
    kept = campaigns.next(number, judge)[0]
    campaigns.now += timedelta(hours=3)
    campaigns.answer(number, judge, kept, "left")
    assert progress(campaigns, number).given == 1


def test_nobody_answers_what_others_were_asked(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge, other = campaigns.judge(number), campaigns.judge(number)
    handed = campaigns.next(number, judge)[0]
    with pytest.raises(UnknownJudgment):
        campaigns.answer(number, other, handed, "left")
    with pytest.raises(BadAnswer, match="left, right"):
        campaigns.answer(number, judge, handed, "a")


def test_the_budget_is_never_exceeded_and_costs_are_told(campaigns: Campaigns) -> None:
    number = campaigns.opened(CROWD, budget=3, price=12)
    judge, other = campaigns.judge(number), campaigns.judge(number)
    assert len(campaigns.next(number, judge)) == 2
    assert len(campaigns.next(number, other)) == 1
    assert campaigns.judge_all(number, judge) == 2
    work = campaigns.work(number, judge)
    assert work.units == ()
    assert "budget" in str(work.why)
    now = progress(campaigns, number)
    assert (now.cost, now.left, now.with_judges) == (24, 0, 1)


def test_neither_a_skip_taken_back_nor_a_late_answer_exceeds_the_budget(campaigns: Campaigns) -> None:
    number = campaigns.opened(CROWD, budget=2)
    judge, other = campaigns.judge(number), campaigns.judge(number)
    late, skipped = campaigns.next(number, judge)
    campaigns.skip(number, judge, skipped)
    campaigns.now += timedelta(hours=1)
    # The other one gets the same two first, and gives them away for two that take the whole budget.
    for handed in campaigns.next(number, other):
        campaigns.skip(number, other, handed)
    assert len(campaigns.next(number, other)) == 2
    with pytest.raises(TooLate, match="budget"):
        campaigns.answer(number, judge, late, "left")
    with pytest.raises(TooLate, match="budget"):
        campaigns.undo(number, judge)
    campaigns.judge_all(number, other)
    assert progress(campaigns, number).given == 2


def test_a_paused_campaign_takes_what_judges_have_and_hands_out_nothing(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    judge, other = campaigns.judge(number), campaigns.judge(number)
    handed = campaigns.next(number, judge)[0]
    with campaigns.database.writing() as session:
        judging.pause(session, campaigns.spec, number, SHELL, NOON)
    assert campaigns.next(number, other) == ()
    campaigns.answer(number, judge, handed, "left")
    campaigns.open(number)
    assert campaigns.next(number, other)
    kept = campaigns.next(number, judge)[0]
    with campaigns.database.writing() as session:
        judging.finish(session, campaigns.spec, number, SHELL, NOON)
    # What a judge still has on the screen is not taken, nor shown again.
    with pytest.raises(NotNow, match="not taken any more"):
        campaigns.answer(number, judge, kept, "left")
    assert campaigns.work(number, judge).units == ()
