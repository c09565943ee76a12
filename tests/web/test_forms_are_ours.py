"""What changes something asks for POST, and for a form that we have made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from leaderboard.store.models import Base
from tests.web.browser import Browser, make_app, site_of

SAMPLES = {"task": "russe", "token": "x", "action": "withdraw", "step": "open"}
"""What stands in addresses; numbers are 1."""

REFUSED = (302, 400, 401, 403, 404, 415)
"""A redirection sends on whom the page is not for; 401 asks scripts for their token."""

CHANGING = {"POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path)
    yield made
    site_of(made).close()


def changing(app: Flask) -> list[tuple[str, str]]:
    """Method and address of everything that may change something."""
    found = []
    for rule in app.url_map.iter_rules():
        values = {name: SAMPLES.get(name, 1) for name in rule.arguments}
        for method in sorted(CHANGING & set(rule.methods or ())):
            where = app.url_map.bind("localhost").build(rule.endpoint, values, method=method)
            found.append((method, where))
    return found


def rows(app: Flask) -> str:
    with site_of(app).database.engine.connect() as connection:
        return "\n".join(
            str(row)
            for table in Base.metadata.sorted_tables
            if table.name != "user_session"
            for row in connection.execute(select(table))
        )


def test_there_is_much_to_be_tried(app: Flask) -> None:
    assert len(changing(app)) > 20


@pytest.fixture
def ann(app: Flask) -> Browser:
    """A captain."""
    browser = Browser(app)
    browser.register("ann")
    browser.open("/tasks/russe/team")
    browser.send("/tasks/russe/team", name="Foxes", affiliation="", alias="")
    return browser


def test_nothing_is_done_without_a_form_of_ours(app: Flask, ann: Browser) -> None:
    before = rows(app)
    for method, address in changing(app):
        answer = ann.client.open(address, method=method, data={"name": "x", "email": "eve@example.org"})
        assert answer.status_code in REFUSED, (address, answer.status_code)
        assert rows(app) == before, address


def test_nothing_is_done_as_json_either(app: Flask, ann: Browser) -> None:
    before = rows(app)
    for method, address in changing(app):
        answer = ann.client.open(address, method=method, json={"email": "eve@example.org"})
        assert answer.status_code in REFUSED, (address, answer.status_code)
        assert rows(app) == before, address


def test_the_form_of_one_person_does_nothing_for_another(app: Flask) -> None:
    ann, bob = Browser(app), Browser(app)
    ann.register("ann")
    bob.register("bob")
    bob.open("/account")
    token = next(form.values["csrf_token"] for form in bob.forms() if form.action == "/account")
    answer = ann.client.post("/account", data={"csrf_token": token, "name": "Bob's", "locale": "en"})
    assert answer.status_code == 400
