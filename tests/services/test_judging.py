"""Campaigns from the pool to the result: what is handed out, what becomes of answers, what comes out."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.formats.preferences import read_preferences
from leaderboard.judging.finals import aggregate
from leaderboard.judging.preferences import by_topic
from leaderboard.services import (
    gold,
    judging,
    judging_judges,
    judging_material,
    judging_pages,
    judging_results,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import BadAnswer, Handed
from leaderboard.services.judging_judges import NotAdmitted
from leaderboard.services.judging_material import KnownAnswer
from leaderboard.services.judging_pages import Progress
from leaderboard.services.judging_plans import CampaignRefused, NotNow, Plan, Settings, UnknownCampaign
from leaderboard.services.judging_work import TooLate, UnknownJudgment
from leaderboard.store.models import AuditEntry, JudgingUnit, Judgment
from leaderboard.store.session import Database
from tests.services.campaigns import GRADES, ONE_EACH, Campaigns, alphabetical
from tests.services.people import someone
from tests.services.toy import NOON

CROWD = Settings(procedure="two-stage", k=5)


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """What does not depend on the database is tested on one; `test_judging_at_once` has both."""
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    return f"sqlite:///{tmp_path / 'leaderboard.db'}"


@pytest.fixture
def campaigns(database: Database, tmp_path: Path) -> Campaigns:
    return Campaigns(database, tmp_path).install()


def progress(campaigns: Campaigns, number: int) -> Progress:
    with campaigns.database.reading() as session:
        return judging_pages.progress(session, campaigns.spec, number)


def states(campaigns: Campaigns) -> list[str]:
    with campaigns.database.reading() as session:
        return list(session.scalars(select(Judgment.state).order_by(Judgment.id)))


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


def test_graded_items_keep_their_grades_below_the_levels(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    lines = campaigns.results(number).files["combined.qrels"].decode().splitlines()
    assert lines[:6] == [f"31_1 Q0 {each}" for each in ("a 20", "b 10", "c 3", "d 2", "e 2", "x 0")]


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


def test_the_judgments_read_back_as_preferences_and_aggregate_to_the_same_levels(
    campaigns: Campaigns, tmp_path: Path
) -> None:
    number = campaigns.opened(CROWD)
    campaigns.judge_all(number, campaigns.judge(number))
    made = campaigns.results(number).files
    (tmp_path / "x.pref").write_bytes(made["judgments.pref"])
    given = by_topic(read_preferences(tmp_path / "x.pref"))
    lines = [
        f"{topic} Q0 {docno} {level:g}"
        for topic, of_topic in given.items()
        for docno, level in aggregate(of_topic, 5, 9).levels.items()
    ]
    assert lines == made["levels.qrels"].decode().splitlines()


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


TESTED = replace(CROWD, test_every=3, tests_needed=2, threshold=0.75)


def with_tests(campaigns: Campaigns) -> int:
    number = campaigns.opened(TESTED)
    tests = [
        KnownAnswer("31_1", "a", "e", "a"),
        KnownAnswer("31_1", "b", "d", "b"),
        KnownAnswer("31_2", "f", "h", "f"),
    ]
    with campaigns.database.writing() as session:
        assert judging_material.add_tests(session, campaigns.spec, number, tests) == 3
        assert judging_material.add_tests(session, campaigns.spec, number, tests) == 0
    return number


def test_one_in_every_so_many_judgments_is_a_test_and_decides_nothing(campaigns: Campaigns) -> None:
    number = with_tests(campaigns)
    judge = campaigns.judge(number)
    assert campaigns.judge_all(number, judge) == 13 + 3
    assert progress(campaigns, number).tests == 3
    assert len(campaigns.results(number).files["judgments.pref"].splitlines()) == 13
    with campaigns.database.reading() as session:
        (seen,) = judging_judges.listing(session, campaigns.spec, number)
    assert (seen.record.right, seen.record.tested, seen.record.judgments) == (3, 3, 13)


def test_who_fails_the_tests_is_set_aside_and_the_work_goes_to_others(campaigns: Campaigns) -> None:
    number = with_tests(campaigns)
    bad, good = campaigns.judge(number), campaigns.judge(number)
    campaigns.judge_all(number, bad, lambda handed: {"left": "right", "right": "left"}[alphabetical(handed)])
    work = campaigns.work(number, bad)
    assert "not asked for any more" in str(work.why)
    now = progress(campaigns, number)
    assert (now.set_aside, now.given, now.with_judges, now.topics_done) == (1, 0, 0, 0)
    assert "set aside" in states(campaigns)
    campaigns.judge_all(number, good)
    assert b"31_1 Q0 a 50" in campaigns.results(number).files["levels.qrels"]
    with campaigns.database.reading() as session:
        first, second = judging_judges.listing(session, campaigns.spec, number)
    assert first.set_aside_for == judging_judges.BELOW_THRESHOLD
    assert (first.record.accuracy, second.record.accuracy) == (0.0, 1.0)


def test_an_organiser_sets_a_judge_aside_in_the_middle_of_a_tournament(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    bad, good = campaigns.judge(number), campaigns.judge(number)
    for _ in range(4):
        handed = campaigns.next(number, bad)[0]
        campaigns.answer(number, bad, handed, "left")
    with campaigns.database.writing() as session:
        judging_judges.set_aside(session, campaigns.spec, number, bad, "always left", SHELL, campaigns.now)
    campaigns.judge_all(number, good)
    found = campaigns.results(number).files
    assert found["levels.qrels"].startswith(b"31_1 Q0 a 20\n31_1 Q0 b 10\n")
    assert len(found["judgments.pref"].splitlines()) == progress(campaigns, number).given
    with campaigns.database.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "judge.set aside")).one()
    assert entry.reason == "always left"


def test_a_result_becomes_a_draft_of_the_tracks_that_share_its_gold(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    with campaigns.database.writing() as session:
        made = judging_results.draft(
            session, campaigns.files, campaigns.spec, campaigns.scorer, number, "", SHELL, NOON
        )
    shared = [
        track.name for track in campaigns.spec.tracks if track.gold == campaigns.spec.track("combined").gold
    ]
    assert list(made.versions) == shared
    with campaigns.database.writing() as session, pytest.raises(CampaignRefused, match="it makes combined"):
        judging_results.draft(
            session, campaigns.files, campaigns.spec, campaigns.scorer, number, "", SHELL, NOON, file="x"
        )


def test_grades_of_several_judges_give_their_median(campaigns: Campaigns) -> None:
    number = campaigns.make(Settings(redundancy=3), kind="grade", track="graded")
    with campaigns.database.writing() as session:
        count = judging_material.pool_from_texts(session, campaigns.spec, number, campaigns.texts())
    assert count == sum(map(len, GRADES.values()))
    campaigns.open(number)
    for grade in ("4", "1", "2"):
        assert campaigns.judge_all(number, campaigns.judge(number), lambda _, grade=grade: grade) == count  # type: ignore[misc]
    found = campaigns.results(number)
    assert found.gold == ("graded.qrels",)
    assert set(found.files["graded.qrels"].decode().split("\n")[0].split()) == {"31_1", "Q0", "a", "2"}
    assert len(found.files["graded.qrels"].splitlines()) == count


def test_relatedness_is_rated_in_assignments_of_fifteen_and_scaled(campaigns: Campaigns) -> None:
    number = campaigns.of_words("relatedness", 20, Settings(redundancy=2))
    judge, other = campaigns.judge(number), campaigns.judge(number)
    assert campaigns.work(number, judge).waiting == 15
    # Pairs that nobody has come first: five were left for the other one, and ten more.
    assert campaigns.work(number, other).waiting == 15
    with campaigns.database.reading() as session:
        taken = list(session.scalars(select(JudgingUnit.taken)))
    assert sorted(taken) == [1] * 10 + [2] * 10
    campaigns.judge_all(number, judge, lambda _: "3")
    campaigns.judge_all(number, other, lambda _: "2")
    lines = campaigns.results(number).files["ratings.csv"].decode().splitlines()
    assert lines[:2] == ["word1,word2,sim", f"word 000,other,{5 / 6!r}"]
    assert len(lines) == 21
    assert progress(campaigns, number).topics_done == 1


def test_unrelated_pairs_are_confirmed_by_two_and_balanced(campaigns: Campaigns) -> None:
    number = campaigns.make(Settings(redundancy=2), kind="negative", track=None)
    with campaigns.database.writing() as session:
        add = judging_material.add_words
        assert add(session, campaigns.spec, number, [("дом", "сон"), ("дом", "лёд"), ("кот", "лёд")], 0) == 3
        assert add(session, campaigns.spec, number, [("дом", "окно"), ("кот", "кошка")], 1) == 2
    campaigns.open(number)

    def say(handed: Handed) -> str:
        return "related" if handed.words == ("кот", "лёд") else "unrelated"

    for judge in (campaigns.judge(number), campaigns.judge(number)):
        assert campaigns.judge_all(number, judge, say) == 3
    found = campaigns.results(number)
    rows = found.files["pairs.csv"].decode().splitlines()
    assert rows[:2] == ["word1,word2,sim", "дом,окно,1"]
    assert rows[2] in ("дом,сон,0", "дом,лёд,0")
    assert found.dropped == {"called related": 1, "more than positives": 1, "no negatives": 1}


def test_judges_come_by_link_by_account_or_freely(campaigns: Campaigns) -> None:
    number = campaigns.opened(open_to="invited")
    with pytest.raises(NotAdmitted, match="invited judges"):
        campaigns.judge(number)
    with campaigns.database.writing() as session:
        link = judging_judges.invite(session, campaigns.spec, number, SHELL, NOON, most_uses=1)
    with pytest.raises(NotAdmitted, match="does not work"):
        campaigns.judge(number, link=link + "x")
    judge = campaigns.judge(number, link=link)
    with pytest.raises(NotAdmitted, match="been used"):
        campaigns.judge(number, link=link)
    assert campaigns.next(number, judge)
    ann = someone(campaigns.database, "ann")
    accounts = campaigns.opened(open_to="accounts")
    with pytest.raises(NotAdmitted, match="sign in"):
        campaigns.judge(accounts)
    with campaigns.database.writing() as session:
        joined = judging_judges.join(session, campaigns.spec, accounts, ann, NOON)
        assert judging_judges.join(session, campaigns.spec, accounts, ann, NOON) == joined
        assert joined.token is None
        assert judging_judges.judge_of(session, campaigns.spec, accounts, ann, None) == joined.judge_id


def test_links_can_be_withdrawn_and_expire(campaigns: Campaigns) -> None:
    number = campaigns.opened(open_to="invited")
    with campaigns.database.writing() as session:
        first = judging_judges.invite(session, campaigns.spec, number, SHELL, NOON)
        assert judging_judges.withdraw_links(session, campaigns.spec, number, SHELL, NOON) == 1
        second = judging_judges.invite(
            session, campaigns.spec, number, SHELL, NOON, lifetime=timedelta(days=1)
        )
    with pytest.raises(NotAdmitted, match="does not work"):
        campaigns.judge(number, link=first)
    campaigns.now += timedelta(days=2)
    with pytest.raises(NotAdmitted, match="expired"):
        campaigns.judge(number, link=second)


def test_one_without_an_account_is_known_again_and_same_browsers_are_noticed(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    with campaigns.database.writing() as session:
        made = [
            judging_judges.join(session, campaigns.spec, number, None, NOON, device=device)
            for device in ("firefox 1", "firefox 2", "firefox 1")
        ]
        assert (
            judging_judges.judge_of(session, campaigns.spec, number, None, made[1].token) == made[1].judge_id
        )
        assert judging_judges.judge_of(session, campaigns.spec, number, None, "guessed") is None
        seen = judging_judges.listing(session, campaigns.spec, number)
    assert [each.same_device for each in seen] == [(3,), (), (1,)]


def test_nothing_is_handed_out_before_the_consent(campaigns: Campaigns) -> None:
    number = campaigns.opened(consent={"en": "You agree.", "ru": "Вы согласны."})
    judge = campaigns.judge(number)
    assert "agree" in str(campaigns.work(number, judge).why)
    with campaigns.database.writing() as session:
        judging_judges.consent(session, campaigns.spec, number, judge, NOON)
    assert campaigns.next(number, judge)


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
    with campaigns.database.writing() as session:
        judging.finish(session, campaigns.spec, number, SHELL, NOON)
    # What a judge still has is there, but no answer to it is taken.
    with pytest.raises(NotNow, match="not taken any more"):
        campaigns.answer(number, judge, campaigns.next(number, judge)[0], "left")


def test_a_campaign_opens_only_with_something_to_judge_and_all_its_texts(campaigns: Campaigns) -> None:
    number = campaigns.make(CROWD)
    with pytest.raises(NotNow, match="add a pool"):
        campaigns.open(number)
    texts = campaigns.texts()
    texts.write_text("".join(line for line in texts.open() if "\td\t" not in line))
    with campaigns.database.writing() as session:
        assert (
            judging_material.pool_from_gold(session, campaigns.files, campaigns.spec, number, "graded") == 8
        )
        found = judging_material.import_texts(session, campaigns.spec, number, texts)
    assert (found.stored, found.unknown, found.lacking) == (7, 2, 1)
    with pytest.raises(NotNow, match="1 item has no text yet: 31_1 d"):
        campaigns.open(number)
    with campaigns.database.writing() as session:
        assert judging_material.drop_without_text(session, campaigns.spec, number) == 1
    campaigns.open(number)
    with pytest.raises(NotNow, match="stays as it is"), campaigns.database.writing() as session:
        judging_material.pool_from_gold(session, campaigns.files, campaigns.spec, number, "graded")


def test_running_campaigns_change_their_words_and_price_but_not_their_procedure(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    plan = Plan("A better title", "preference", "combined", ONE_EACH, 1, open_to="accounts", price=5)
    with campaigns.database.writing() as session:
        judging.change(session, campaigns.spec, number, plan, SHELL, NOON)
        seen = judging_pages.campaign(session, campaigns.spec, number)
    assert (seen.title, seen.price, seen.open_to, seen.settings) == (
        "A better title",
        5,
        "accounts",
        ONE_EACH,
    )
    for other in (replace(plan, seed=2), replace(plan, settings=replace(ONE_EACH, k=3))):
        with campaigns.database.writing() as session, pytest.raises(NotNow, match="have begun"):
            judging.change(session, campaigns.spec, number, other, SHELL, NOON)


@pytest.mark.parametrize(
    "settings",
    [
        {"procedure": "tournament", "redundancy": 2},
        {"k": 10},
        {"redundancy": 0},
        {"test_every": 1},
        {"threshold": 1.5},
        {"lease": timedelta(seconds=5)},
        {"procedure": "dice"},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CampaignRefused):
        Settings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"title": " "},
        {"track": "none such"},
        {"seed": -1},
        {"budget": 0},
        {"consent": {"ru": "Только по-русски"}},
        {"kind": "song"},
    ],
)
def test_plans_that_cannot_be_are_refused(campaigns: Campaigns, changes: dict[str, Any]) -> None:
    with pytest.raises(CampaignRefused):
        campaigns.make(**changes)
    with pytest.raises(UnknownCampaign), campaigns.database.reading() as session:
        judging_pages.campaign(session, campaigns.spec, 1)


def test_gold_that_holds_levels_is_no_start(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    folder = campaigns.folder / "levels"
    folder.mkdir()
    (folder / "combined.qrels").write_bytes(campaigns.results(number).files["combined.qrels"])
    with campaigns.database.writing() as session:
        gold.install(session, campaigns.files, campaigns.spec, campaigns.scorer, folder, "", NOON)
    other = campaigns.make()
    with campaigns.database.writing() as session, pytest.raises(CampaignRefused, match="holds levels"):
        judging_material.pool_from_gold(session, campaigns.files, campaigns.spec, other, "combined")
