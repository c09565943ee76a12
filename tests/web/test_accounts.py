"""Registering, signing in, and one's own account, as a browser without JavaScript sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from passlib.hash import argon2
from sqlalchemy import select, update

from leaderboard.services import accounts
from leaderboard.store.models import User, UserSession
from tests.web.browser import PASSWORD, SECRET, Browser, make_app, site_of
from tests.web.second_factors import turn_on


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path)
    yield made
    site_of(made).close()


@pytest.fixture
def ann(app: Flask) -> Browser:
    """Ann, registered and signed in."""
    browser = Browser(app)
    browser.register("ann")
    return browser


def users(app: Flask) -> list[User]:
    with site_of(app).database.reading() as session:
        return list(session.scalars(select(User).order_by(User.id)))


def test_an_account_works_only_once_its_address_is_confirmed(app: Flask) -> None:
    browser = Browser(app)
    assert "ann@example.org" in browser.fill_register("ann")
    assert "do not go together, or the address is not confirmed" in browser.sign_in("ann")
    browser.open(browser.link())
    assert users(app)[0].confirmed_at is None, "opening the link alone must change nothing"
    assert "Your address is confirmed" in browser.send("/confirm")
    browser.sign_in("ann")
    assert browser.last.request.path == "/"
    assert "Sign out" in browser.last.text


def test_what_is_kept_of_a_registration_is_what_was_agreed_to(app: Flask) -> None:
    Browser(app).fill_register("ann", email="  ANN@Example.org ")
    (user,) = users(app)
    assert (user.email, user.name, user.consent_version) == ("ann@example.org", "Ann", accounts.TERMS)
    assert user.consented_at is not None
    assert user.password is not None
    assert user.password.startswith("$argon2id$")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"consent": ""}, "Without your consent"),
        ({"email": "no address"}, "not an e-mail address"),
        ({"email": ""}, "Enter your e-mail address"),
        ({"name": "   "}, "Enter your name"),
        ({"name": "a\u202eb"}, "cannot be seen"),
        ({"password": "short", "password_confirm": "short"}, "at least 10"),
        ({"password_confirm": "something else"}, "passwords differ"),
    ],
)
def test_a_registration_with_faults_says_them_and_keeps_nothing(
    app: Flask, changes: dict[str, str], fault: str
) -> None:
    page = Browser(app).fill_register("ann", **changes)
    assert fault in page
    assert users(app) == []


def test_nobody_learns_by_registering_who_has_an_account(app: Flask, ann: Browser) -> None:
    stranger = Browser(app)
    known = stranger.fill_register("ann")
    unknown = Browser(app).fill_register("eve")
    hide = re.compile(r'(ann|eve)@|value="[^"]*"')
    assert hide.sub("", known) == hide.sub("", unknown)
    to_ann = next(letter for letter in reversed(ann.letters()) if letter["To"] == "ann@example.org")
    assert "already" in to_ann.get_content()
    assert len(users(app)) == 2


@pytest.mark.parametrize("page", ["/reset", "/confirm"])
def test_nobody_learns_from_a_forgotten_password_who_has_an_account(
    app: Flask, ann: Browser, page: str
) -> None:
    answers = []
    for name in ("ann", "nobody"):
        stranger = Browser(app)
        stranger.open(page)
        text = stranger.send(page, email=f"{name}@example.org")
        answers.append(re.sub(r'value="[^"]*"|(ann|nobody)@', "", text))
    assert answers[0] == answers[1]


def test_nobody_learns_by_signing_in_who_has_an_account(app: Flask, ann: Browser) -> None:
    answers = []
    for name in ("ann", "nobody"):
        text = Browser(app).sign_in(name, "a wrong password")
        answers.append(re.sub(r'value="[^"]*"', "", text))
    assert answers[0] == answers[1]
    assert "do not go together" in answers[0]


def test_a_forgotten_password_is_replaced_and_everybody_signed_out(app: Flask, ann: Browser) -> None:
    other = Browser(app)
    other.open("/reset")
    other.send("/reset", email="Ann@example.org")
    link = other.link()
    other.open(link)
    assert "Sign in with it" in other.send(
        "/reset", password="another long one", password_confirm="another long one"
    )
    assert ann.open("/account").count("Sign in") > 0
    assert ann.last.request.path == "/sign-in"
    assert "Sign out" in other.sign_in("ann", "another long one")
    assert "do not go together" in Browser(app).sign_in("ann")
    late = Browser(app)
    assert "does not work, or was used before" in late.open(link)


def test_a_changed_password_signs_out_everywhere_else(app: Flask, ann: Browser) -> None:
    other = Browser(app)
    other.sign_in("ann")
    ann.open("/account/password")
    page = ann.send(
        "/account/password",
        password=PASSWORD,
        new_password="another long one",
        new_password_confirm="another long one",
    )
    assert "You have a new password" in page
    other.open("/account")
    assert other.last.request.path == "/sign-in"
    assert ann.letters()[-1]["Subject"] == "Your password was changed"


def test_a_hash_by_settings_of_before_is_renewed_at_the_next_sign_in(app: Flask, ann: Browser) -> None:
    weaker = argon2.using(rounds=1, memory_cost=1024).hash(PASSWORD)
    with site_of(app).database.writing() as session:
        session.execute(update(User).values(password=weaker))
    again = Browser(app)
    again.sign_in("ann")
    assert "Sign out" in again.last.text
    renewed = users(app)[0].password
    assert renewed != weaker
    once_more = Browser(app)
    once_more.sign_in("ann")
    assert "Sign out" in once_more.last.text
    assert users(app)[0].password == renewed


def test_a_wrong_password_changes_nothing(ann: Browser) -> None:
    ann.open("/account/password")
    page = ann.send(
        "/account/password",
        password="wrong",
        new_password="another long one",
        new_password_confirm="another long one",
    )
    assert "This is not your password" in page


def test_signing_out_ends_the_cookie_for_good(app: Flask, ann: Browser) -> None:
    cookie = ann.client.get_cookie("leaderboard")
    assert cookie is not None
    ann.sign_out()
    thief = Browser(app)
    thief.client.set_cookie("leaderboard", cookie.value)
    thief.open("/account")
    assert thief.last.request.path == "/sign-in"


def test_a_browser_is_signed_out_from_another_one(app: Flask, ann: Browser) -> None:
    other = Browser(app, agent="A forgotten browser")
    other.sign_in("ann")
    page = ann.open("/account/sign-ins")
    assert "A forgotten browser" in page
    ann.send("/account/sign-ins/")
    other.open("/account")
    assert other.last.request.path == "/sign-in"
    assert "A forgotten browser" not in ann.open("/account/sign-ins")


def test_all_other_browsers_are_signed_out_at_once(app: Flask, ann: Browser) -> None:
    others = [Browser(app) for _ in range(3)]
    for other in others:
        other.sign_in("ann")
    ann.open("/account/sign-ins")
    ann.send("/account/sign-ins/end-others")
    for other in others:
        other.open("/account")
        assert other.last.request.path == "/sign-in"
    assert "Your account" in ann.open("/account")


def test_each_sign_in_has_a_new_cookie(app: Flask, ann: Browser) -> None:
    with site_of(app).database.reading() as session:
        before = set(session.scalars(select(UserSession.token_hash)))
    ann.sign_out()
    ann.sign_in("ann")
    with site_of(app).database.reading() as session:
        after = set(session.scalars(select(UserSession.token_hash).where(UserSession.ended_at.is_(None))))
    assert len(after) == 1
    assert not before & after


def test_a_person_takes_the_data_along(ann: Browser) -> None:
    data = json.loads(ann.open("/account/data"))
    assert data["account"]["email"] == "ann@example.org"
    assert data["sign-ins"][0]["browser"] == "Test browser"
    assert "attachment" in ann.last.headers["Content-Disposition"]


def test_a_person_changes_name_and_language(app: Flask, ann: Browser) -> None:
    ann.open("/account")
    ann.send("/account", name="Ann of the Foxes", locale="ru")
    assert (users(app)[0].name, users(app)[0].locale) == ("Ann of the Foxes", "ru")
    assert '<html lang="ru"' in ann.open("/")


def test_an_account_is_deleted_by_who_knows_its_password(app: Flask, ann: Browser) -> None:
    ann.open("/account/delete")
    assert "This is not your password" in ann.send("/account/delete", password="wrong")
    assert "Your account is deleted" in ann.send("/account/delete", password=PASSWORD)
    (user,) = users(app)
    assert (user.email, user.name, user.password) == (None, "", None)
    ann.open("/account")
    assert ann.last.request.path == "/sign-in"
    assert "do not go together" in ann.sign_in("ann")


def test_a_second_factor_is_asked_for_and_each_code_works_once(app: Flask, ann: Browser) -> None:
    authenticator = turn_on(ann)
    used = authenticator.generate().token
    other = Browser(app)
    page = other.sign_in("ann")
    assert "Open your authenticator app" in page
    other.open("/account")
    assert other.last.request.path == "/sign-in", "the password alone must not be enough"
    other.sign_in("ann")
    assert "not right, or was used before" in other.send("/sign-in/code", code=used)
    later = authenticator.generate(time=authenticator.generate().expire_time + 1).token
    assert "Sign out" in other.send("/sign-in/code", code=later)


def test_a_recovery_code_lets_in_once(app: Flask, ann: Browser) -> None:
    turn_on(ann)
    page = ann.send("/account/recovery-codes", generate_new_codes="1")
    codes = re.findall(r"<li>([0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4})</li>", page)
    assert len(codes) == 8
    assert all(code not in str(users(app)[0].mf_recovery_codes) for code in codes)
    other = Browser(app)
    other.sign_in("ann")
    other.open("/sign-in/recovery")
    assert "Sign out" in other.send("/sign-in/recovery", code=codes[0])
    other.sign_out()
    other.sign_in("ann")
    other.open("/sign-in/recovery")
    assert "was used before" in other.send("/sign-in/recovery", code=codes[0])


def test_a_second_factor_can_be_turned_off(app: Flask, ann: Browser) -> None:
    turn_on(ann)
    ann.open("/account/second-factor")
    ann.send("/account/second-factor", setup="disable")
    assert users(app)[0].tf_totp_secret is None
    assert "Sign out" in Browser(app).sign_in("ann")


def test_a_second_factor_is_changed_only_soon_after_the_password_was_given(ann: Browser) -> None:
    with ann.client.session_transaction() as cookie:
        cookie["fs_paa"] = 0.0
        cookie.pop("fs_gexp", None)
    assert "enter your password again" in ann.open("/account/second-factor")
    assert "This is not your password" in ann.send("/account/verify", password="wrong")
    page = ann.send("/account/verify", password=PASSWORD)
    assert ann.last.request.path == "/account/second-factor", page


def test_who_was_sent_to_sign_in_comes_back(app: Flask, ann: Browser) -> None:
    ann.sign_out()
    ann.open("/account/sign-ins")
    ann.send("/sign-in", email="ann@example.org", password=PASSWORD)
    assert ann.last.request.path == "/account/sign-ins"


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_signing_in_leads_to_no_other_site(app: Flask, ann: Browser, address: str) -> None:
    ann.sign_out()
    ann.open("/sign-in")
    token = ann.forms()[-1].values["csrf_token"]
    response = ann.client.post(
        "/sign-in",
        data={"csrf_token": token, "email": "ann@example.org", "password": PASSWORD, "next": address},
    )
    where = urlsplit(response.headers.get("Location", ""))
    assert where.netloc in ("", "localhost")
    assert where.scheme in ("", "http")
    assert not where.path.startswith(("//", "/\\"))


def test_links_in_letters_lead_to_the_public_address_whatever_host_is_asked_for(tmp_path: Path) -> None:
    app = make_app(tmp_path, public_url="http://tasks.example.org")
    browser = Browser(app)
    # What a proxy on the machine says that it asks for.
    browser.headers["Host"] = "127.0.0.1:8000"
    browser.fill_register("ann")
    assert browser.link().startswith("http://tasks.example.org/confirm/")
    site_of(app).close()


def test_a_site_behind_tls_keeps_its_cookies_to_tls(tmp_path: Path) -> None:
    app = make_app(tmp_path, public_url="https://tasks.example.org", secret_key=SECRET)
    response = app.test_client().get("/sign-in", base_url="https://tasks.example.org")
    (cookie,) = (value for value in response.headers.getlist("Set-Cookie") if "leaderboard" in value)
    assert cookie.startswith("__Host-leaderboard=")
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in cookie
    site_of(app).close()


def test_a_public_site_needs_a_secret(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="SECRET_KEY is not set"):
        make_app(tmp_path, public_url="https://tasks.example.org")


def test_pages_of_somebody_are_kept_by_no_cache_and_change_with_who_looks(ann: Browser) -> None:
    ann.open("/")
    assert "private" in ann.last.headers["Cache-Control"]
    etag = ann.last.headers["ETag"]
    ann.sign_out()
    again = ann.client.get("/", headers={"If-None-Match": etag})
    assert again.status_code == 200
    assert "ann@example.org" not in again.text
