"""The pages where organisers set phases."""

from __future__ import annotations

import pytest

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser

NEW = {
    "name": "final",
    "title_en": "Final",
    "title_ru": "Финал",
    "opens_at": "2031-01-01T00:00",
    "closes_at": "2031-02-01T11:59:59",
    "runs_per_day": "2",
    "runs_in_all": "",
    "rejected_per_day": "",
    "own": "y",
}


@pytest.fixture
def olga(own: Installation) -> Organiser:
    made = Organiser(app_of(own))
    made.open(made.at("phases/new/phase"))
    assert "The phase is there." in made.send(made.at("phases/new/phase"), **NEW)
    return made


def test_a_new_phase_is_told_to_participants(olga: Organiser) -> None:
    public = Browser(olga.app).open("/tasks/russe")
    assert "There is a phase Final." in public
    assert "2 runs a day" in public


def test_a_changed_deadline_is_told_with_that_of_before(olga: Organiser) -> None:
    page = olga.open(olga.at("phases/final"))
    assert 'value="2031-02-01T11:59:59"' in page
    changed = {**NEW, "closes_at": "2031-03-01T12:00"}
    assert "It is set." in olga.send(olga.at("phases/final"), **changed)
    public = Browser(olga.app).open("/tasks/russe")
    assert "Final closes:" in public
    assert 'before: <time datetime="2031-02-01T11:59:59Z">' in public


def test_faults_stand_at_their_fields(olga: Organiser) -> None:
    olga.open(olga.at("phases/final"))
    page = olga.send(olga.at("phases/final"), **{**NEW, "closes_at": "2030-01-01T00:00"})
    assert olga.last.status_code == 422
    assert "A phase closes after it opens." in page
    olga.open(olga.at("phases/final"))
    assert "has-fault" in olga.send(olga.at("phases/final"), **{**NEW, "closes_at": "soon"})


def test_phases_are_moved_closed_and_taken_away_by_buttons(olga: Organiser) -> None:
    page = olga.open(olga.at("phases"))
    assert page.index("<code>final</code>") > page.index("<code>open</code>")
    page = olga.send(olga.at("phases/final/move/up"))
    assert page.index("<code>final</code>") < page.index("<code>open</code>")
    assert "The phase is closed." in olga.send(olga.at("phases/open/close"))
    assert "The phase is taken away." in olga.send(olga.at("phases/final/take-away"))
    assert "final" not in [form.action.split("/")[-2] for form in olga.forms()]


def test_a_declared_value_stands_beside_the_one_set_here(olga: Organiser) -> None:
    olga.open(olga.at("phases/open"))
    page = olga.send(olga.at("phases/open"), title_en="Open", title_ru="Открытая", runs_per_day="5", own="y")
    assert "runs a day" in page
    page = olga.open(olga.at("phases/open"))
    assert "no limit" in page
    assert "phases/open/back/runs_per_day" in page


def test_phases_that_are_open_at_once_are_warned_of(olga: Organiser) -> None:
    assert "open at the same time" in olga.open(olga.at("phases"))


def test_an_unknown_phase_is_not_found(olga: Organiser) -> None:
    olga.open(olga.at("phases/nothing"))
    assert olga.last.status_code == 404


def test_a_phase_may_be_called_new(olga: Organiser) -> None:
    olga.open(olga.at("phases/new/phase"))
    assert "The phase is there." in olga.send(olga.at("phases/new/phase"), **{**NEW, "name": "new"})
    olga.open(olga.at("phases/new"))
    olga.send(olga.at("phases/new"), **{**NEW, "title_en": "Quite new"})
    assert "Quite new" in olga.open(olga.at("phases"))
