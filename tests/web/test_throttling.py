"""Passwords and codes cannot be tried often, and trying tells nothing of who has an account."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from limits.errors import StorageError

from leaderboard.config import Guards
from leaderboard.web.throttling import CODES_A_DAY, EXTENSION, Throttle
from tests.web.browser import OFTEN, PASSWORD, Browser, make_app, site_of
from tests.web.second_factors import turn_on

TRIES = 3
LIMITED = Guards(account_limit="3 per hour", address_limit="12 per hour", letter_limit="5 per hour")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path, guards=LIMITED)
    Browser(made).register("ann")
    yield made
    site_of(made).close()


def guess(app: Flask, name: str, address: str = "203.0.113.1", password: str = "wrong words here") -> Browser:
    browser = Browser(app)
    browser.client.environ_base["REMOTE_ADDR"] = address
    browser.sign_in(name, password)
    return browser


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_an_account_has_few_tries_whether_it_exists_or_not(app: Flask, name: str) -> None:
    answers = [guess(app, name, f"203.0.113.{number}").last for number in range(TRIES + 1)]
    assert [answer.status_code for answer in answers] == [200] * TRIES + [429]
    told = answers[-1]
    assert 0 < int(told.headers["Retry-After"]) <= 3600
    assert "Please wait 60 minutes" in told.text
    # Not even the right password is looked at.
    assert guess(app, name, password=PASSWORD).last.status_code == 429


def test_writing_an_address_otherwise_gives_no_more_tries(app: Flask) -> None:
    for written in ("ann", "ANN", " Ann"):
        guess(app, written)
    assert guess(app, "aNN").last.status_code == 429


def test_signing_in_gives_back_the_tries(app: Flask) -> None:
    for _ in range(TRIES - 1):
        guess(app, "ann")
    assert "ann@example.org" in guess(app, "ann", password=PASSWORD).last.text
    assert [guess(app, "ann").last.status_code for _ in range(TRIES)] == [200] * TRIES


def test_somebody_who_is_signed_in_gives_back_the_tries_of_nobody_else(app: Flask) -> None:
    bob = Browser(app)
    bob.register("bob")
    for _ in range(TRIES):
        guess(app, "ann")
    bob.open("/sign-in")
    bob.open("/account")
    token = next(form.values["csrf_token"] for form in bob.forms() if "csrf_token" in form.values)
    bob.client.post("/sign-in", data={"csrf_token": token, "email": "ann@example.org", "password": "x"})
    assert guess(app, "ann").last.status_code == 429


@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("203.0.113.9", "203.0.113.9"),
        # One household has all the addresses of a network.
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::{}"),
    ],
)
def test_an_address_has_few_tries_at_all_accounts_together(app: Flask, first: str, others: str) -> None:
    assert guess(app, "somebody", first).last.status_code == 200
    codes = [guess(app, f"somebody{n}", others.format(n)).last.status_code for n in range(12)]
    assert codes == [200] * 11 + [429]
    assert guess(app, "ann", "198.51.100.1").last.status_code == 200


def test_registering_and_resetting_are_limited_by_address(tmp_path: Path) -> None:
    app = make_app(tmp_path, guards=LIMITED)
    codes = []
    for number in range(3):
        browser = Browser(app)
        browser.fill_register(f"person{number}")
        codes.append(browser.last.status_code)
        browser.open("/reset")
        browser.send("/reset", email=f"other{number}@example.org")
        codes.append(browser.last.status_code)
    assert codes == [200] * 5 + [429]
    site_of(app).close()


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_a_mailbox_gets_few_letters_from_however_many_addresses(app: Flask, name: str) -> None:
    codes = []
    for number in range(7):
        browser = Browser(app)
        browser.client.environ_base["REMOTE_ADDR"] = f"203.0.113.{number}"
        browser.open("/reset")
        browser.send("/reset", email=f"{name}@example.org")
        codes.append(browser.last.status_code)
    assert codes[-1] == 429
    assert set(codes[:5]) == {200}


@pytest.mark.parametrize("address", ["/sign-in/code", "/sign-in/recovery"])
def test_codes_of_the_second_factor_cannot_be_tried_often(app: Flask, address: str) -> None:
    ann = Browser(app)
    ann.sign_in("ann")
    turn_on(ann)
    ann.sign_out()
    ann.sign_in("ann")
    codes = []
    for number in range(TRIES + 1):
        ann.open(address)
        ann.send(address, code=f"{number:06}")
        codes.append(ann.last.status_code)
    assert codes[-1] == 429
    assert 429 not in codes[:-1]


def test_nobody_guesses_codes_all_day(tmp_path: Path) -> None:
    app = make_app(tmp_path, guards=OFTEN)
    ann = Browser(app)
    ann.register("ann")
    turn_on(ann)
    ann.sign_out()
    ann.sign_in("ann")
    most, codes = int(CODES_A_DAY.split()[0]), []
    for number in range(most + 1):
        ann.open("/sign-in/code")
        ann.send("/sign-in/code", code=f"{number:06}")
        codes.append(ann.last.status_code)
    assert codes.index(429) == most
    site_of(app).close()


def test_typing_the_password_again_cannot_be_tried_often(app: Flask) -> None:
    ann = Browser(app)
    ann.sign_in("ann")
    codes = []
    for _ in range(TRIES + 1):
        ann.open("/account/delete")
        ann.send("/account/delete", password="wrong words here")
        codes.append(ann.last.status_code)
    assert codes == [422] * TRIES + [429]


def test_what_would_not_be_counted_is_not_read(app: Flask) -> None:
    browser = Browser(app)
    browser.open("/sign-in")
    token = browser.forms()[-1].values["csrf_token"]
    for _ in range(2):
        answer = browser.client.post(
            "/sign-in",
            json={"email": "ann@example.org", "password": PASSWORD},
            headers={"X-CSRFToken": token},
        )
        assert answer.status_code == 415


def test_people_get_in_where_tries_cannot_be_counted(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> bool:
        raise StorageError(OSError("no connection"))

    throttle: Throttle = app.extensions[EXTENSION]
    monkeypatch.setattr(throttle._limiter, "hit", broken)
    monkeypatch.setattr(throttle._limiter, "clear", broken)
    assert "ann@example.org" in guess(app, "ann", password=PASSWORD).last.text


def test_nothing_that_is_counted_names_an_account(app: Flask) -> None:
    guess(app, "ann")
    throttle: Throttle = app.extensions[EXTENSION]
    kept = repr(vars(throttle._limiter.storage))
    assert "password" in kept
    assert "ann@" not in kept


def test_a_password_that_nobody_has_costs_as_much_as_one_of_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, guards=OFTEN)
    Browser(app).register("ann")
    hashed = []
    context = app.extensions["security"].pwd_context
    for name in ("hash", "verify", "verify_and_update"):
        original: Callable[..., object] = getattr(context, name)

        def noted(*given: object, _original: Callable[..., object] = original, **named: object) -> object:
            hashed.append(1)
            return _original(*given, **named)

        monkeypatch.setattr(context, name, noted)
    counts = []
    for name in ("ann", "nobody"):
        hashed.clear()
        guess(app, name)
        counts.append(len(hashed))
    assert counts[0] == counts[1] > 0
    site_of(app).close()
