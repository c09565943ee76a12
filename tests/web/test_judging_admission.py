"""How judges come in by the pages, and who does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select, update

from leaderboard.services import judging_admission
from leaderboard.services.audit import SHELL
from leaderboard.site import utc_now
from leaderboard.store.models import Judge as JudgeRow
from leaderboard.store.models import Task
from tests.web.browser import OFTEN, Browser, make_app, site_of
from tests.web.judging import (
    CROWD,
    Judge,
    campaign_of_texts,
    judge_in,
    judges_of,
    open_to_anyone,
    spec_of,
    texts_in,
)
from tests.web.organisers import give


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The project's own tasks; each test has a campaign of its own."""
    made = make_app(tmp_path_factory.mktemp("judging"))
    yield made
    site_of(made).close()


def test_joining_twice_in_one_browser_is_once(app: Flask) -> None:
    number = open_to_anyone(app)
    judge = Judge(app, "cast", number)
    judge.open(judge.place)
    form = judge.forms()[-1]
    for _ in range(2):
        judge.client.post(form.action, data=form.values, headers=judge.headers)
    assert len(judges_of(app, number)) == 1


def test_two_judges_at_one_device_are_listed_side_by_side(app: Flask) -> None:
    number = open_to_anyone(app)
    for agent in ("Same browser", "Same browser", "Another browser"):
        judge_in(app, number, agent)
    with site_of(app).database.reading() as session:
        kept = session.scalars(select(JudgeRow.device)).all()
    assert [each.same_device for each in judges_of(app, number)] == [(2,), (1,), ()]
    assert not [device for device in kept if "browser" in device or "127.0.0.1" in device]


def test_a_link_lets_in_with_or_without_an_account_as_often_as_it_says(app: Flask) -> None:
    number = open_to_anyone(app, open_to="invited", title="Just for friends")
    with site_of(app).database.writing() as session:
        spec = spec_of(site_of(app), "cast")
        link = judging_admission.invite(session, spec, number, SHELL, utc_now(), most_uses=2)
    stranger = Judge(app, "cast", number)
    assert "invited judges" in stranger.open(stranger.place)
    assert "Just for friends" not in stranger.open("/judging")
    stranger.open(f"/judging/join/{link}")
    assert stranger.last.headers["Referrer-Policy"] == "same-origin"
    stranger.send(f"/judging/join/{link}")
    assert stranger.judgment
    anna = Judge(app, "cast", number)
    anna.arrive("anna")
    anna.open(f"/judging/join/{link}")
    anna.send(f"/judging/join/{link}")
    assert anna.judgment
    assert anna.open(f"/judging/join/{link}").count("data-unit") == 1
    for wrong, words in ((link, "has expired or been used"), ("x", "does not work")):
        assert words in Browser(app).open(f"/judging/join/{wrong}")
    assert [each.name for each in judges_of(app, number)] == ["", "Anna"]


def test_accounts_and_rights_open_campaigns_that_others_cannot_enter(app: Flask) -> None:
    for_accounts = open_to_anyone(app, open_to="accounts", title="With an account")
    invited = open_to_anyone(app, open_to="invited", title="By invitation")
    nobody = Judge(app, "cast", for_accounts)
    assert "Please sign in to judge here" in nobody.open(nobody.place)
    assert f"{nobody.place}/join" not in nobody.last.text
    # Signing in leads back.
    nobody.arrive("boris")
    assert "With an account" in nobody.last.text
    nobody.begin()
    assert nobody.judgment
    judith = Judge(app, "cast", invited)
    judith.arrive("judith")
    assert "By invitation" not in judith.open("/judging")
    give(app, "judith", "judge", "cast")
    assert "By invitation" in judith.open("/judging")
    judith.begin()
    assert judith.judgment


def test_what_is_prepared_or_hidden_is_not_there_for_strangers(app: Flask) -> None:
    spec = spec_of(site_of(app), "cast2020")
    number = campaign_of_texts(
        site_of(app), "cast2020", texts_in(site_of(app).settings.instance), settings=CROWD, open_to="anyone"
    )
    judge = Judge(app, "cast2020", number)
    judge.begin()
    with site_of(app).database.writing() as session:
        session.execute(update(Task).where(Task.name == "cast2020").values(visibility="organisers"))
    stranger = Browser(app)
    for address in (judge.place, f"{judge.place}/work", "/judging/cast/999", "/judging/nothing/1"):
        stranger.open(address)
        assert stranger.last.status_code == 404, address
    assert spec.title.for_language("en") not in stranger.open("/judging")
    assert judge.open(judge.place).count("data-unit") == 1


def test_only_so_many_strangers_begin_from_one_address(tmp_path: Path) -> None:
    limited = make_app(tmp_path, guards=replace(OFTEN, judging_limit="2 per hour"))
    number = open_to_anyone(limited, settings=replace(CROWD, redundancy=3))
    for _ in range(2):
        assert judge_in(limited, number).judgment
    third = judge_in(limited, number)
    assert third.last.status_code == 429
    assert "Please wait" in third.last.text
    # One who judges goes on, and an account is a person.
    anna = Judge(limited, "cast", number)
    anna.arrive("anna")
    anna.begin()
    assert anna.judgment
    site_of(limited).close()
