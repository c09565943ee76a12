"""The pages of judges, as pages and as their script asks: every state, and what none of them tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import judging, judging_judges, judging_material
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.judging_material import KnownAnswer
from leaderboard.services.judging_plans import Settings
from leaderboard.site import utc_now
from leaderboard.store.models import JudgingUnit, Judgment
from tests.web.browser import Browser, make_app, site_of
from tests.web.judging import (
    Judge,
    campaign_of_words,
    judge_in,
    judges_of,
    open_to_anyone,
    spec_of,
    states_of,
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The project's own tasks; each test has a campaign of its own."""
    made = make_app(tmp_path_factory.mktemp("judging"))
    yield made
    site_of(made).close()


def change(app: Flask, number: int, what: Callable[[Session, TaskSpec, int, Actor, datetime], None]) -> None:
    """What an organiser does meanwhile."""
    with site_of(app).database.writing() as session:
        what(session, spec_of(site_of(app), "cast"), number, SHELL, utc_now())


def test_a_volunteer_reads_agrees_judges_takes_back_and_is_thanked(app: Flask) -> None:
    number = open_to_anyone(app, consent={"en": "It is **free**."}, title="Which one")
    judge = Judge(app, "cast", number)
    assert "Which one" in judge.open("/judging")
    assert "<strong>free</strong>" in judge.open(judge.place)
    assert "without it nothing is asked of you" in judge.send(f"{judge.place}/join")
    assert judge.last.status_code == 422
    assert states_of(app, number) == []
    judge.send(f"{judge.place}/join", agree="y")
    first = judge.texts
    assert len(first) == 2
    assert "What was said before (5 turns)" in judge.last.text
    judge.answer("left")
    assert '<b data-given="1">1 judgment</b>' in judge.last.text
    assert judge.texts != first
    judge.send(f"{judge.place}/undo")
    assert judge.texts == first
    given = 0
    while judge.judgment:
        judge.answer("left")
        given += 1
    assert given == 3 + 1
    assert "Thank you" in judge.last.text
    assert "There is nothing left for you to judge" in judge.last.text
    assert "<dd>4</dd>" in judge.last.text
    assert "You have given 4 judgments." in judge.open("/judging")


def test_every_kind_has_its_answers_in_the_same_frame(app: Flask) -> None:
    graded = open_to_anyone(app, kind="grade")
    judge = judge_in(app, graded)
    assert len(judge.texts) == 1
    judge.answer("4")
    assert "1 judgment<" in judge.last.text
    for kind, answers in (("relatedness", ("0", "3")), ("negative", ("unrelated", "doubtful"))):
        number = campaign_of_words(
            site_of(app), "cast", kind, open_to="anyone", settings=Settings(redundancy=2)
        )
        judge = judge_in(app, number)
        assert re.search(r"слово\d+", judge.texts[0])
        if kind == "relatedness":
            assert "15 pairs left of this assignment" in judge.last.text
        for place, answer in enumerate(answers):
            judge.answer(answer)
            assert f'data-given="{place + 1}"' in judge.last.text
        judge.answer("5")
        assert "The answer is one of" in judge.last.text


def test_the_script_is_answered_with_the_next_pairs_and_without_a_page(app: Flask) -> None:
    judge = judge_in(app, open_to_anyone(app))
    ahead = re.search(r'<template data-next="(\d+)">', judge.last.text)
    assert ahead is not None
    found = judge.ask("answers", judgment=judge.judgment, answer="right", seconds="2.5")
    assert found["units"][0]["id"] == int(ahead[1])
    assert len(found["units"]) == 2
    assert (found["message"], found["end"]) == (None, None)
    assert 'data-given="1"' in found["head"]
    with site_of(app).database.reading() as session:
        assert session.scalars(
            select(Judgment.seconds).where(Judgment.state == "given", Judgment.seconds.is_not(None))
        ).all() == [2.5]
    while found["units"]:
        found = judge.ask("answers", judgment=str(found["units"][0]["id"]), answer="right", seconds="nan")
    assert "There is nothing left for you to judge" in found["end"]
    assert "seconds for one, usually" in found["end"]


def test_sent_twice_is_once_and_two_tabs_do_not_disagree(app: Flask) -> None:
    number = open_to_anyone(app)
    judge = judge_in(app, number)
    pair = judge.judgment
    for _ in range(2):
        judge.ask("answers", judgment=pair, answer="left")
    refused = judge.ask("answers", judgment=pair, answer="right")
    assert "take it back first" in refused["message"]
    assert len(refused["units"]) == 2
    assert states_of(app, number).count("given") == 1
    # The form of an old page is refused in words too.
    judge.open(judge.place)
    judge.answer("right", judgment=pair)
    assert "take it back first" in judge.last.text
    assert states_of(app, number).count("given") == 1


def test_a_skip_can_be_taken_back_and_goes_to_somebody_else_otherwise(app: Flask) -> None:
    judge = judge_in(app, open_to_anyone(app))
    first = judge.texts
    judge.answer("skip")
    assert judge.texts != first
    judge.send(f"{judge.place}/undo")
    assert judge.texts == first
    assert "There is no answer to take back." in judge.send(f"{judge.place}/undo")
    judge.answer("skip")
    other = judge_in(app, int(judge.place.rpartition("/")[2]))
    while other.judgment:
        other.answer("left")
    assert "others are at work" in other.last.text
    assert "is with somebody else now" in judge.send(f"{judge.place}/undo")


def test_what_lay_too_long_and_is_with_somebody_else_is_said_so(app: Flask) -> None:
    number = open_to_anyone(app)
    slow = judge_in(app, number)
    with site_of(app).database.writing() as session:
        session.execute(update(Judgment).values(lease_until=utc_now() - timedelta(hours=1)))
    quick = judge_in(app, number)
    while quick.judgment:
        quick.answer("left")
    slow.answer("left")
    assert "somebody else has it now" in slow.last.text
    assert states_of(app, number).count("given") == 4


def test_a_pause_takes_what_is_at_hand_and_the_end_nothing(app: Flask) -> None:
    number = open_to_anyone(app)
    judge = judge_in(app, number)
    change(app, number, judging.pause)
    judge.answer("left")
    assert 'data-given="1"' in judge.last.text
    judge.answer("left")
    assert "nothing to judge at the moment" in judge.last.text
    change(app, number, judging.open_)
    judge.send(f"{judge.place}/work")
    last = judge.judgment
    assert last
    change(app, number, judging.finish)
    found = judge.ask("answers", judgment=last, answer="left")
    assert "not taken any more" in found["message"]
    assert "This campaign is finished." in found["end"]
    assert "This campaign is finished." in judge.open(judge.place)
    late = Judge(app, "cast", number)
    assert "This campaign is finished." in late.open(late.place)


def test_the_budget_ends_for_those_who_come_later(app: Flask) -> None:
    number = open_to_anyone(app, budget=2)
    judge, late = judge_in(app, number), judge_in(app, number)
    assert "The budget of this campaign is spent." in late.last.text
    judge.answer("left")
    judge.answer("left")
    assert "The budget of this campaign is spent." in judge.last.text
    assert states_of(app, number) == ["given", "given"]


def test_who_is_set_aside_reads_so_and_gives_no_more(app: Flask) -> None:
    number = open_to_anyone(app)
    judge = judge_in(app, number)
    pair = judge.judgment
    judge.answer("left")
    (row,) = judges_of(app, number)
    with site_of(app).database.writing() as session:
        spec = spec_of(site_of(app), "cast")
        judging_judges.set_aside(session, spec, number, row.judge_id, "always left", SHELL, utc_now())
    for address in (judge.place, "/judging"):
        assert "not asked for any more" in judge.open(address)
        assert "always left" not in judge.last.text
    judge.open(judge.place)
    assert "not taken any more" in judge.ask("undo")["message"]
    assert "not taken any more" in judge.ask("answers", judgment=pair, answer="right")["message"]
    assert "given" not in states_of(app, number)


def test_reading_hands_nothing_out_and_nobody_answers_for_another(app: Flask) -> None:
    number = open_to_anyone(app)
    judge, other = judge_in(app, number), judge_in(app, number)
    pair, before = judge.judgment, states_of(app, number)
    for _ in range(2):
        judge.open(judge.place)
        judge.open("/judging")
    assert states_of(app, number) == before
    assert "You were not asked that." in other.ask("answers", judgment=pair, answer="left")["message"]
    # No database has to look for a number that it cannot hold.
    assert "You were not asked that." in judge.ask("answers", judgment=str(2**31), answer="left")["message"]
    assert "one of: left, right." in judge.ask("answers", judgment=pair, answer="<b>")["message"]
    answered = judge.client.post(f"{judge.place}/answers", data={"judgment": pair, "answer": "left"})
    assert answered.status_code == 400
    stranger = Browser(app)
    answered = stranger.client.post(f"{judge.place}/answers", data={"answer": "left"})
    assert answered.headers["Location"] == judge.place
    assert states_of(app, number) == before


def test_no_judge_is_told_ids_grades_or_which_are_tests(app: Flask) -> None:
    number = open_to_anyone(app, settings=Settings(k=2, test_every=2, tests_needed=90))
    with site_of(app).database.writing() as session:
        tests = [
            KnownAnswer("t1", "CANARY_a", "CANARY_b", "CANARY_a"),
            KnownAnswer("t2", "CANARY_e", "CANARY_f", "CANARY_e"),
        ]
        judging_material.add_tests(session, spec_of(site_of(app), "cast"), number, tests)
        session.execute(update(JudgingUnit).values(label=1))
    judge = judge_in(app, number)
    told = [judge.last.text, judge.open("/judging")]
    judge.open(judge.place)
    found = judge.ask("answers", judgment=judge.judgment, answer="left")
    keys = set()
    while found["units"]:
        keys |= {frozenset(each) for each in found["units"]}
        told.append(str(found))
        found = judge.ask("answers", judgment=str(found["units"][0]["id"]), answer="left")
    told += [str(found), judge.open(judge.place)]
    assert keys == {frozenset({"id", "html"})}
    assert len(told) > 7
    assert [text for text in told if re.search(r"CANARY|t1\"|is_test|grade", text)] == []
    with site_of(app).database.reading() as session:
        asked = select(Judgment.id).join(JudgingUnit).where(JudgingUnit.is_test, Judgment.state == "given")
        assert len(session.scalars(asked).all()) >= 2
