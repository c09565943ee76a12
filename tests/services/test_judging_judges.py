"""Judges of a campaign: how they come in, tests, whose work counts, how far they agree."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import (
    judging_admission,
    judging_judges,
    judging_material,
    judging_quality,
    personal_data,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_admission import NotAdmitted
from leaderboard.services.judging_material import KnownAnswer
from leaderboard.services.judging_plans import CampaignRefused, Settings
from leaderboard.store.models import AuditEntry
from tests.services.campaigns import CROWD, Campaigns, alphabetical, progress, states
from tests.services.people import someone
from tests.services.toy import NOON

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


def test_a_test_has_one_answer(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    first, other = (KnownAnswer("31_1", "a", "b", answer) for answer in "ab")
    with campaigns.database.writing() as session:
        assert judging_material.add_tests(session, campaigns.spec, number, [first, first]) == 1
        with pytest.raises(CampaignRefused, match="another answer: a"):
            judging_material.add_tests(session, campaigns.spec, number, [other])


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
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "judge.set_aside")).one()
    assert entry.reason == "always left"


def test_quality_is_told_for_each_kind(campaigns: Campaigns) -> None:
    number = campaigns.opened(replace(CROWD, redundancy=2))
    for say in (alphabetical, lambda _: "left"):
        campaigns.judge_all(number, campaigns.judge(number), say)
    with campaigns.database.reading() as session:
        found = judging_quality.quality(session, campaigns.spec, number)
        levels = judging_quality.levels(session, campaigns.spec, number)
        beside = judging_quality.beside_campaign(session, campaigns.spec, number, number)
        chosen = judging_quality.chosen_grades(session, campaigns.files, campaigns.spec, number)
    assert found.level == "nominal"
    assert found.equal.total == 13
    assert 0 < found.equal.agreeing < 13
    assert found.alpha < 1
    assert beside.at_top == tuple(levels) == ("31_1", "31_2")
    assert sum(chosen.all.values()) == sum(map(len, levels.values()))
    words = campaigns.of_words("relatedness", 3, Settings(redundancy=2))
    for _ in range(2):
        campaigns.judge_all(words, campaigns.judge(words), lambda _: "1")
    with campaigns.database.reading() as session:
        found = judging_quality.quality(session, campaigns.spec, words)
    assert (found.level, found.equal.share) == ("ordinal", 1.0)
    assert math.isnan(found.alpha)


def test_judges_come_by_link_by_account_or_freely(campaigns: Campaigns) -> None:
    number = campaigns.opened(open_to="invited")
    with pytest.raises(NotAdmitted, match="invited judges"):
        campaigns.judge(number)
    with campaigns.database.writing() as session:
        link = judging_admission.invite(session, campaigns.spec, number, SHELL, NOON, most_uses=1)
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
        joined = judging_admission.join(session, campaigns.spec, accounts, ann, NOON)
        assert judging_admission.join(session, campaigns.spec, accounts, ann, NOON) == joined
        assert joined.token is None
        assert judging_admission.judge_of(session, campaigns.spec, accounts, ann, None) == joined.judge_id


def test_links_can_be_withdrawn_and_expire(campaigns: Campaigns) -> None:
    number = campaigns.opened(open_to="invited")
    with campaigns.database.writing() as session:
        first = judging_admission.invite(session, campaigns.spec, number, SHELL, NOON)
        assert judging_admission.withdraw_links(session, campaigns.spec, number, SHELL, NOON) == 1
        second = judging_admission.invite(
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
            judging_admission.join(session, campaigns.spec, number, None, NOON, device=device)
            for device in ("firefox 1", "firefox 2", "firefox 1")
        ]
        known = [
            judging_admission.judge_of(session, campaigns.spec, number, None, word)
            for word in (made[1].token, "guessed")
        ]
        seen = judging_judges.listing(session, campaigns.spec, number)
    assert known == [made[1].judge_id, None]
    assert [each.same_device for each in seen] == [(3,), (), (1,)]


def test_nothing_is_handed_out_before_the_consent(campaigns: Campaigns) -> None:
    number = campaigns.opened(consent={"en": "You agree.", "ru": "Вы согласны."})
    judge = campaigns.judge(number)
    assert "agree" in str(campaigns.work(number, judge).why)
    with campaigns.database.writing() as session:
        judging_judges.consent(session, campaigns.spec, number, judge, NOON)
    assert campaigns.next(number, judge)


def test_a_person_finds_judging_among_what_is_stored(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    ann = someone(campaigns.database, "ann")
    with campaigns.database.writing() as session:
        judge = judging_admission.join(session, campaigns.spec, number, ann, NOON).judge_id
    handed = campaigns.next(number, judge)[0]
    campaigns.answer(number, judge, handed, "left")
    with campaigns.database.reading() as session:
        (stored,) = personal_data.of_person(session, ann)["judging"]
    assert (stored["campaign"], stored["judgments"], stored["set aside"]) == ("Which is better?", 1, None)
