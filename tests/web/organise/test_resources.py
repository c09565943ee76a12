"""MJ through the pages of organisers."""

from __future__ import annotations

import re

import pytest

from tests.web.browser import Browser, site_of
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser


@pytest.fixture
def olga(own: Installation) -> Organiser:
    own.submit("russe", "embeddings.csv", "Foxes")
    own.submit("russe", "thesaurus.csv", "Owls")
    return Organiser(app_of(own))


def build(olga: Organiser, weights: str = "rank") -> str:
    olga.open(f"{olga.at('resources')}?weights={weights}")
    olga.send(olga.at("resources"), weights=weights)
    site_of(olga.app).jobs.drain()
    return olga.open(olga.at("resources/1"))


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_preview_has_the_runs_with_their_weights(olga: Organiser) -> None:
    page = words(olga.open(olga.at("resources")))
    assert "2.000 66.7 %" in page
    assert "1.000 33.3 %" in page
    assert "0.368 26.9 %" in words(olga.open(f"{olga.at('resources')}?weights=exp"))
    assert "66.7 %" in words(olga.open(f"{olga.at('resources')}?weights=nonsense"))


def test_a_build_is_watched_and_ends_with_its_line_of_table_3(olga: Organiser) -> None:
    olga.open(olga.at("resources"))
    page = olga.send(olga.at("resources"), weights="sqrt")
    (address,) = re.findall(r'data-progress="([^"]+)"', page)
    assert olga.client.get(address).get_json()["working"] is True
    site_of(olga.app).jobs.drain()
    assert olga.client.get(address).get_json()["state"] == "done"
    assert "weights by the root of the rank this file" in words(olga.open(olga.at("resources/1")))
    assert "MJ 1" in olga.open(olga.at("resources"))


def test_it_is_for_organisers_until_it_is_published(olga: Organiser) -> None:
    build(olga)
    reader = Browser(olga.app)
    assert olga.client.get(olga.at("resources/1/long.csv")).status_code == 200
    reader.open("/tasks/russe/mj")
    assert reader.last.status_code == 404
    olga.send(olga.at("resources/1/publish"))
    assert "Machine judgments" in reader.open("/tasks/russe/mj")
    olga.send(olga.at("resources/1/unpublish"))
    reader.open("/tasks/russe/mj")
    assert reader.last.status_code == 404


def test_building_again_from_its_inputs_gives_the_same_bytes(olga: Organiser) -> None:
    build(olga)
    olga.send(olga.at("resources/1/again"))
    site_of(olga.app).jobs.drain()
    assert "the same bytes" in olga.open(olga.at("resources/1"))


def test_another_task_has_none(own: Installation) -> None:
    own.install("cast")
    oscar = Organiser(app_of(own), "oscar", "cast")
    assert "No MJ belongs to the task" in oscar.open(oscar.at("resources"))
    oscar.open(oscar.at("resources/1"))
    assert oscar.last.status_code == 404


def test_a_phase_of_before_can_be_built_from_when_the_next_has_no_runs(olga: Organiser) -> None:
    olga.open(olga.at("phases/new/phase"))
    olga.send(
        olga.at("phases/new/phase"), name="next", title_en="Next", opens_at="2026-01-01T00:00", board="y"
    )
    first = site_of(olga.app).catalog.find("russe").phases[0].name
    page = olga.open(f"{olga.at('resources')}?phase=next")
    assert "nothing to build MJ from" in page
    assert f'value="{first}"' in page
    olga.open(f"{olga.at('resources')}?phase={first}&weights=exp")
    assert "0.368 26.9 %" in words(olga.open(f"{olga.at('resources')}?phase={first}&weights=exp"))
    olga.send(olga.at("resources"), weights="exp", phase=first)
    site_of(olga.app).jobs.drain()
    assert olga.open(olga.at("resources/1"))
    olga.open(f"{olga.at('resources')}?phase=none")
    assert olga.last.status_code == 404
