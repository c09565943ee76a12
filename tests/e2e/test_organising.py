"""Every page of organisers and administrators on a phone, where tables and forms have least room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, url_for
from playwright.sync_api import Browser

from leaderboard.web.organise.pages import PAGES
from tests.e2e.conftest import serve_app
from tests.e2e.looks import faults_of
from tests.e2e.test_accounts import sign_in
from tests.e2e.test_pages import opened
from tests.web.browser import Browser as Person
from tests.web.installation import Installation
from tests.web.organisers import give

pytestmark = pytest.mark.browser

FURTHER = ("organise/runs/1", "organise/teams/2", "organise/phases/new/phase")
OF_THE_SITE = ("people.show", "site_archives.show", "site_log.show")


@pytest.fixture
def app(tmp_path: Path, tasks_folder: Path) -> Iterator[Flask]:
    """RUSSE with the runs of its sample, one by a team of a very long name, and an administrator."""
    made = Installation.make(tmp_path, tasks_folder)
    made.install("russe")
    made.enter_samples("russe")
    made.submit("russe", "thesaurus.csv", "Institute_for_the_Study_of_Very_Long_Names_7B", name="x" * 100)
    app = made.app()
    Person(app).arrive("ada")
    give(app, "ada", "administrator", None)
    yield app
    made.site.close()


def addresses_of(app: Flask) -> list[str]:
    with app.test_request_context():
        listed = [url_for(endpoint, task="russe") for endpoint, _ in PAGES]
        of_the_site = [url_for(endpoint) for endpoint in OF_THE_SITE]
    return [*listed, *(f"/tasks/russe/{place}" for place in FURTHER), *of_the_site]


def test_all_pages_of_organisers_fit_a_phone(browser: Browser, app: Flask) -> None:
    for address in serve_app(app):
        with opened(browser, "phone", "light") as page:
            page.goto(f"{address}/sign-in")
            sign_in(page, "ada")
            found = []
            for place in addresses_of(app):
                answer = page.goto(address + place)
                assert answer is not None
                assert answer.status == 200, place
                found += faults_of(page)
            assert found == []
