"""The page where organisers give rights on their task."""

from __future__ import annotations

import pytest

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Administrator, Organiser


def test_an_organiser_makes_somebody_a_judge_and_takes_it_back(own: Installation) -> None:
    app = app_of(own)
    olga, judith = Organiser(app), Browser(app)
    judith.register("judith")
    olga.open(olga.at("people"))
    page = olga.send(olga.at("people"), email="Judith@example.org", right="judge")
    assert "Judith has the right now." in page
    assert "judith@example.org" in page
    take = next(form.action for form in olga.forms() if form.action.endswith("/judge/take"))
    assert "The right is taken away." in olga.send(take)


def test_whoever_has_no_account_is_told_to_make_one_first(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("people"))
    page = olga.send(olga.at("people"), email="nobody@example.org", right="organiser")
    assert olga.last.status_code == 422
    assert "they register first" in page


@pytest.mark.parametrize("task", ["cast", None])
def test_others_do_not_get_in(own: Installation, task: str | None) -> None:
    app = app_of(own)
    own.install("cast")
    person = Organiser(app, task=task) if task else Browser(app)
    if task is None:
        person.register("peter")
    person.open("/tasks/russe/organise/people")
    assert person.last.status_code == 403
    assert "Organise" not in person.open("/tasks/russe")


def test_who_is_not_signed_in_is_asked_to(own: Installation) -> None:
    reader = Browser(app_of(own))
    reader.open("/tasks/russe/organise/people")
    assert reader.last.request.path == "/sign-in"


def test_administrators_organise_every_task_also_a_hidden_one(own: Installation) -> None:
    own.hide_task("russe")
    ada = Administrator(app_of(own))
    assert "Administrators of the site" in ada.open("/tasks/russe/organise/people")
