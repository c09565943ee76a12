"""Teams in the browser: making one, inviting, joining, leaving, handing over, names."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.web.browser import PASSWORD, Browser, make_app, site_of

TEAM = "/tasks/russe/team"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path)
    yield made
    site_of(made).close()


@pytest.fixture
def ann(app: Flask) -> Browser:
    """Ann, captain of the Foxes."""
    browser = Browser(app)
    browser.register("ann")
    browser.open(TEAM)
    browser.send(TEAM, name="Foxes", affiliation="Fox University", alias="")
    return browser


@pytest.fixture
def bob(app: Flask) -> Browser:
    browser = Browser(app)
    browser.register("bob")
    return browser


def invite(captain: Browser) -> str:
    """The address of a new invitation."""
    captain.open(TEAM)
    page = captain.send(f"{TEAM}/invitations", people="3", days="7")
    found = re.search(r'<output id="fresh-link">([^<]+)<', page)
    assert found is not None
    return html.unescape(found.group(1))


def join(browser: Browser, link: str) -> str:
    browser.open(link)
    return browser.send("/invitations/")


def test_who_makes_a_team_leads_it(ann: Browser) -> None:
    page = ann.open(TEAM)
    assert "Foxes" in page
    assert "captain" in page
    assert "Fox University" in page


def test_what_was_typed_stays_beside_what_is_wrong_with_it(ann: Browser, bob: Browser) -> None:
    bob.open(TEAM)
    page = bob.send(TEAM, name="FOXES", affiliation="Elsewhere", alias="")
    assert bob.last.status_code == 422
    assert 'value="FOXES"' in page
    assert 'value="Elsewhere"' in page
    assert "choose another name" in page


def test_a_fault_of_the_alias_stands_beside_the_alias(ann: Browser, bob: Browser) -> None:
    bob.open(TEAM)
    page = bob.send(TEAM, name="Bears", affiliation="", alias="Foxes")
    assert 'id="alias-fault"' in page
    assert 'id="name-fault"' not in page


def test_a_second_person_joins_by_the_link(ann: Browser, bob: Browser) -> None:
    link = invite(ann)
    page = bob.open(link)
    assert "Ann invites you" in page
    assert "bob@example.org" not in ann.open(TEAM), "opening the link alone must change nothing"
    assert "Welcome to the team" in join(bob, link)
    assert "bob@example.org" in ann.open(TEAM)
    assert bob.open(link).count("Foxes") > 0
    assert bob.last.request.path == TEAM


def test_a_link_is_shown_once(ann: Browser) -> None:
    link = invite(ann)
    assert link not in ann.open(TEAM)


def test_who_has_no_account_comes_back_to_the_invitation(app: Flask, ann: Browser) -> None:
    link = invite(ann)
    eve = Browser(app)
    assert "Register and join" in eve.open(link)
    eve.fill_register("eve")
    eve.open(eve.link())
    eve.send("/confirm")
    page = eve.sign_in("eve")
    assert "Join the team" in page
    assert "Welcome to the team" in eve.send("/invitations/")


def test_a_withdrawn_link_says_so(ann: Browser, bob: Browser) -> None:
    link = invite(ann)
    ann.open(TEAM)
    ann.send(f"{TEAM}/invitations/1/withdraw")
    page = bob.open(link)
    assert "was withdrawn" in page
    assert bob.last.status_code == 410


def test_a_link_that_is_none_says_so(bob: Browser) -> None:
    assert "no such invitation" in bob.open("/invitations/guess")


def test_members_see_no_controls_of_the_captain_and_may_not_use_them(ann: Browser, bob: Browser) -> None:
    join(bob, invite(ann))
    page = bob.open(TEAM)
    assert "Make an invitation link" not in page
    token = next(form.values["csrf_token"] for form in bob.forms() if form.action == f"{TEAM}/leave")
    for address in (
        "/name",
        "/members/1/remove",
        "/members/1/captain",
        "/invitations",
        "/invitations/1/withdraw",
    ):
        answer = bob.client.post(
            TEAM + address, data={"csrf_token": token, "name": "Mine", "people": 1, "days": 1}
        )
        assert answer.status_code == 403, address
    assert "Foxes" in ann.open(TEAM)


def test_a_team_is_handed_over_and_left(ann: Browser, bob: Browser) -> None:
    join(bob, invite(ann))
    ann.open(TEAM)
    assert "Hand the team over" in ann.last.text
    assert "new captain" in ann.send(f"{TEAM}/members/2/captain")
    assert "You have left the team" in ann.send(f"{TEAM}/leave")
    assert "Make a team" in ann.open(TEAM)
    assert "Make an invitation link" in bob.open(TEAM)


def test_a_removed_member_sees_the_team_no_more(ann: Browser, bob: Browser) -> None:
    link = invite(ann)
    join(bob, link)
    ann.open(TEAM)
    ann.send(f"{TEAM}/members/2/remove")
    page = bob.open(TEAM)
    assert "Make a team" in page
    assert "Foxes" not in page
    assert "You were in this team before" in join(bob, link)


def test_a_person_is_in_one_team_per_task(app: Flask, ann: Browser, bob: Browser) -> None:
    bob.open(TEAM)
    bob.send(TEAM, name="Bears", affiliation="", alias="")
    page = join(bob, invite(ann))
    assert "Bears" in page
    assert "one team per task" in page
    bob.open("/tasks/cast/team")
    assert "captain" in bob.send("/tasks/cast/team", name="Bears", affiliation="", alias="")


def test_a_member_who_inherits_a_team_is_told(ann: Browser, bob: Browser) -> None:
    join(bob, invite(ann))
    ann.open("/account/delete")
    ann.send("/account/delete", password=PASSWORD)
    letter = ann.letters()[-1]
    assert letter["To"] == "bob@example.org"
    assert letter["Subject"] == "You are the captain of Foxes now"
    assert "ann@example.org" not in bob.open(TEAM)
    assert "Make an invitation link" in bob.last.text


def test_a_name_is_shown_as_it_was_typed_and_runs_nothing(ann: Browser) -> None:
    ann.open(TEAM)
    page = ann.send(f"{TEAM}/name", name="<script>alert(1)</script>", affiliation='"><img src=x>', alias="")
    assert "<script>alert" not in page
    assert "<img src=x>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(("people", "days"), [("0", "7"), ("3", "0"), ("x", "7"), ("3", "1000")])
def test_an_invitation_out_of_bounds_is_refused_beside_its_field(
    ann: Browser, people: str, days: str
) -> None:
    ann.open(TEAM)
    page = ann.send(f"{TEAM}/invitations", people=people, days=days)
    assert ann.last.status_code == 422
    assert 'class="fault"' in page
    assert "fresh-link" not in page


def test_a_team_of_a_task_that_is_not_public_is_not_found(app: Flask, bob: Browser) -> None:
    bob.open("/tasks/nothing/team")
    assert bob.last.status_code == 404
