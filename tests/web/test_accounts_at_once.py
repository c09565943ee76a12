"""Many browsers at once, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from flask import Flask
from sqlalchemy import func, select

from leaderboard.store.models import Letter, User, UserSession
from tests.databases import database_url, postgresql_schema, sqlite_template
from tests.web.browser import PASSWORD, Browser, make_app, site_of

__all__ = ["database_url", "postgresql_schema", "sqlite_template"]

AT_ONCE = 4


@pytest.fixture
def app(tmp_path: Path, database_url: str) -> Iterator[Flask]:
    made = make_app(tmp_path, database_url=database_url)
    yield made
    site_of(made).close()


def test_one_address_registered_many_times_at_once_has_one_account(app: Flask) -> None:
    together = Barrier(AT_ONCE)

    def register(_number: int) -> int:
        browser = Browser(app)
        browser.open("/register")
        form = next(form for form in browser.forms() if form.action == "/register")
        filled = {
            "name": "Ann",
            "email": "ann@example.org",
            "password": PASSWORD,
            "password_confirm": PASSWORD,
            "consent": "y",
        }
        together.wait()
        return browser.client.post("/register", data={**form.values, **filled}, buffered=True).status_code

    with ThreadPoolExecutor(AT_ONCE) as threads:
        codes = list(threads.map(register, range(AT_ONCE)))
    assert set(codes) <= {302, 409}
    assert 302 in codes
    with site_of(app).database.reading() as session:
        assert session.scalar(select(func.count()).select_from(User)) == 1
        # A registration that was taken back has sent nothing.
        assert session.scalar(select(func.count()).select_from(Letter)) == codes.count(302)


def test_a_person_signs_in_from_many_browsers_at_once(app: Flask) -> None:
    Browser(app).register("ann")
    with ThreadPoolExecutor(AT_ONCE) as threads:
        pages = list(threads.map(lambda _: Browser(app).sign_in("ann"), range(AT_ONCE)))
    assert all("Sign out" in page for page in pages)
    with site_of(app).database.reading() as session:
        assert session.scalar(select(func.count()).select_from(UserSession)) == AT_ONCE + 1
