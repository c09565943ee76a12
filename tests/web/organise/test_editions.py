"""A new edition made through the pages, with public files of its own."""

from __future__ import annotations

from io import BytesIO

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser

FILLED = {"name": "russe2027", "title_en": "RUSSE 2027", "title_ru": "", "times": "empty", "days": ""}


def test_an_edition_is_made_prepared_and_opened_without_a_shell(own: Installation) -> None:
    olga = Organiser(app_of(own))
    reader = Browser(olga.app)
    olga.open(olga.at("editions"))
    page = olga.send(olga.at("editions"), **FILLED)
    assert olga.last.request.path == "/tasks/russe2027/organise/phases"
    assert "The edition is there" in page
    reader.open("/tasks/russe2027")
    assert reader.last.status_code == 404
    olga.task = "russe2027"
    pairs = own.spec("russe").folder / "sample" / "inputs" / own.spec("russe").inputs[0].file
    name = own.spec("russe").inputs[0].name
    olga.open(olga.at("files"))
    page = olga.send(olga.at(f"files/{name}"), file=(BytesIO(pairs.read_bytes()), "mine.csv"))  # type: ignore[arg-type]
    assert "handed out from now on" in page
    olga.open(olga.at("settings"))
    olga.send(olga.at("settings/openness"), visibility="public", names="never")
    page = reader.open("/tasks/russe2027")
    assert "RUSSE 2027" in page
    assert 'href="/tasks/russe"' in page
    assert 'href="/tasks/russe2027"' in reader.open("/tasks/russe")
    reader.open(f"/tasks/russe2027/inputs/{name}")
    assert reader.last.data == pairs.read_bytes()


def test_a_name_that_is_taken_is_said_at_its_field(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("editions"))
    page = olga.send(olga.at("editions"), **{**FILLED, "name": "cast"})
    assert olga.last.status_code == 422
    assert "There is a task" in page


def test_a_file_that_the_scorer_cannot_read_is_not_handed_out(own: Installation) -> None:
    olga = Organiser(app_of(own))
    declared = own.spec("russe").inputs[0]
    olga.open(olga.at("files"))
    page = olga.send(olga.at(f"files/{declared.name}"), file=(BytesIO(b"\xff\xfe\x00\x01"), "x.csv"))  # type: ignore[arg-type]
    assert olga.last.status_code == 422
    assert "cannot be used" in page
    olga.open(f"/tasks/russe/inputs/{declared.name}")
    assert olga.last.data != b"\xff\xfe\x00\x01"
    olga.open(olga.at("files"))
    assert "none was sent" in olga.send(olga.at(f"files/{declared.name}"))
