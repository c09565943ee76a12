"""What an installation may set for its safety, and what holds without being set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, request

from leaderboard.config import BadSetting, Guards, Settings, from_environment
from leaderboard.services import tokens
from leaderboard.site import utc_now
from leaderboard.strength import is_guessable
from leaderboard.web.accounts import _own_path
from leaderboard.web.proxies import init_proxies
from tests.web.api.scripts import token
from tests.web.browser import OFTEN, PASSWORD, SECRET, Browser, make_app, site_of
from tests.web.organisers import Administrator, Organiser
from tests.web.second_factors import turn_on


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path, guards=OFTEN)
    yield made
    site_of(made).close()


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Flask]:
    """A site whose organisers need a second factor."""
    made = make_app(
        tmp_path, guards=Guards("999 per hour", "999 per hour", "999 per hour", second_factor=True)
    )
    yield made
    site_of(made).close()


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """A site that people reach by https."""
    folder = tmp_path_factory.mktemp("public")
    made = make_app(folder, public_url="https://tasks.example.org", secret_key=SECRET, guards=OFTEN)
    yield made
    site_of(made).close()


@pytest.mark.parametrize("kind", [Organiser, Administrator])
def test_organisers_without_a_second_factor_are_led_to_set_one_up(
    strict: Flask, kind: type[Organiser | Administrator]
) -> None:
    someone = kind(strict, "olga")
    page = someone.open("/tasks/russe/organise/people")
    assert someone.last.request.path == "/account/second-factor"
    assert "Set one up to go on." in page
    turn_on(someone)
    someone.open("/tasks/russe/organise/people")
    assert someone.last.request.path == "/tasks/russe/organise/people"
    # What is left undone by turning it off again is only what needs it.
    someone.open("/account/second-factor")
    someone.send("/account/second-factor", setup="disable")
    someone.open("/tasks/russe/organise/people")
    assert someone.last.request.path == "/account/second-factor"


def test_nobody_else_needs_a_second_factor(strict: Flask) -> None:
    ann = Browser(strict)
    ann.register("ann")
    ann.open("/account/tokens")
    assert ann.last.request.path == "/account/tokens"


def test_whoever_is_given_or_loses_a_right_signs_in_anew(app: Flask) -> None:
    ada, olga, again = Administrator(app, "ada"), Browser(app), Browser(app)
    olga.register("olga")
    ada.open("/tasks/russe/organise/people")
    ada.send("/tasks/russe/organise/people", email="olga@example.org", right="organiser")
    assert "Sign in to go on." in olga.open("/account")
    again.sign_in("olga")
    assert again.client.get("/tasks/russe/organise/people").status_code == 200
    ada.open("/tasks/russe/organise/people")
    ada.send("/tasks/russe/organise/people/2/organiser/take")
    assert "Sign in to go on." in again.open("/account")


def test_signing_in_gives_another_cookie_and_another_token_for_forms(app: Flask) -> None:
    Browser(app).register("ann")
    browser = Browser(app)
    browser.open("/sign-in")
    planted = browser.forms()[-1].values["csrf_token"]
    with browser.client.session_transaction() as before:
        seen = before["csrf_token"]
    browser.send("/sign-in", email="ann@example.org", password=PASSWORD)
    with browser.client.session_transaction() as after:
        assert after["csrf_token"] != seen
    answer = browser.client.post("/account", data={"csrf_token": planted, "name": "Mallory", "locale": "en"})
    assert answer.status_code == 400


def test_a_new_password_revokes_the_tokens(app: Flask) -> None:
    ann = Browser(app)
    ann.register("ann")
    secret = token(site_of(app), 1)
    shown = {"Authorization": f"Bearer {secret}"}
    assert app.test_client().get("/api/v1/me", headers=shown).status_code == 200
    ann.open("/account/password")
    changed = "five other unrelated words here"
    page = ann.send(
        "/account/password", password=PASSWORD, new_password=changed, new_password_confirm=changed
    )
    assert "your tokens were revoked" in page
    assert app.test_client().get("/api/v1/me", headers=shown).status_code == 401
    with site_of(app).database.reading() as session:
        assert tokens.listing(session, 1, utc_now()) == ()


def test_a_site_behind_tls_is_asked_for_by_tls_alone(public: Flask, app: Flask) -> None:
    for address in ("/", "/nothing", "/api/v1/tasks", "/assets/x/nothing"):
        answer = public.test_client().get(address, base_url="https://tasks.example.org")
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    # A site that is tried out would make the browser refuse whatever else listens there.
    assert "Strict-Transport-Security" not in app.test_client().get("/").headers


def test_every_cookie_of_a_site_behind_tls_keeps_to_tls(public: Flask) -> None:
    reader = public.test_client()
    set_by = [
        reader.get(address, base_url="https://tasks.example.org")
        for address in ("/sign-in", "/?lang=ru", "/?theme=dark", "/account")
    ]
    cookies = [value for answer in set_by for value in answer.headers.getlist("Set-Cookie")]
    assert len(cookies) >= 4
    for value in cookies:
        assert "Secure" in value
        assert "SameSite=Lax" in value
        # Scripts read how a page is to look, and nothing else.
        assert "HttpOnly" in value or value.startswith(("language=", "theme="))


@pytest.mark.parametrize("host", ["evil.example", "tasks.example.org.evil.example", "evil.example:443"])
def test_another_host_than_the_public_one_is_refused(public: Flask, host: str) -> None:
    answer = public.test_client().get("/sign-in", headers={"Host": host})
    assert answer.status_code == 400
    assert host not in answer.text


@pytest.mark.parametrize(("number", "seen"), [(0, "127.0.0.1"), (1, "198.51.100.2"), (2, "203.0.113.5")])
def test_proxies_are_believed_only_as_far_as_there_are_some(number: int, seen: str) -> None:
    app = Flask(__name__)
    init_proxies(app, Settings(guards=Guards(trusted_proxies=number)))
    app.add_url_rule("/", view_func=lambda: [request.remote_addr, request.host, request.script_root])
    written = {"X-Forwarded-For": "203.0.113.5, 198.51.100.2", "X-Forwarded-Proto": "https"}
    written |= {"X-Forwarded-Host": "evil.example", "X-Forwarded-Prefix": "/evil"}
    assert app.test_client().get("/", headers=written).json == [seen, "localhost", ""]


@pytest.mark.parametrize(
    "secret", ["changeme", "secret", "x" * 64, "abcdef" * 10, "dev-secret-key", SECRET[:31], "1234567" * 6]
)
def test_a_public_site_refuses_a_secret_that_can_be_guessed(tmp_path: Path, secret: str) -> None:
    assert is_guessable(secret)
    with pytest.raises(BadSetting, match="easy to guess"):
        make_app(tmp_path, public_url="http://tasks.example.org", secret_key=secret)


@pytest.mark.parametrize(
    "address",
    [
        *("//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example"),
        *("javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "", None, "evil.example", "/\\/x"),
    ],
)
def test_signing_in_leads_nowhere_else(address: str | None) -> None:
    assert _own_path(address) is None


def test_an_address_of_another_site_in_the_cookie_leads_to_the_tasks(app: Flask) -> None:
    ann = Browser(app)
    ann.register("ann")
    with ann.client.session_transaction() as kept:
        kept["after_sign_in"] = "//evil.example"
    assert ann.client.get("/arrive").headers["Location"] == "/"


@pytest.mark.parametrize(
    "variables",
    [
        {"SIGN_IN_RATE_LIMIT": "often"},
        {"ADDRESS_RATE_LIMIT": "0 per hour"},
        {"LETTER_RATE_LIMIT": "10 per fortnight"},
        {"SECOND_FACTOR": "yes"},
        {"TRUSTED_PROXIES": "all"},
        {"TRUSTED_PROXIES": "-1"},
    ],
)
def test_a_setting_that_guards_is_never_guessed(variables: dict[str, str]) -> None:
    (name,) = variables
    with pytest.raises(BadSetting, match=name):
        from_environment(variables)


def test_what_guards_is_read_from_the_environment() -> None:
    settings = from_environment(
        {"SIGN_IN_RATE_LIMIT": "5 per 10 minutes", "SECOND_FACTOR": "organisers", "TRUSTED_PROXIES": "2"}
    )
    assert settings.guards == Guards(account_limit="5 per 10 minutes", second_factor=True, trusted_proxies=2)
