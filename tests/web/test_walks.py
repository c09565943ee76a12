"""Every address and every form, asked for what it must not tell, do or change."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.services import tokens
from leaderboard.site import utc_now
from leaderboard.web.access import rule_of
from tests.web.api.scripts import Script
from tests.web.browser import Browser, Form, site_of
from tests.web.marked import OWN_RUN, WORDS, Marked, crawl, dump_of

PAYLOADS = (
    "<script>alert(1)</script>{{7*191}}${7*191}<%= 7*191 %>",
    "' OR '1'='1'; DROP TABLE run; --",
    "../../../../etc/passwd\\..\\..\\windows\\win.ini",
    "x\r\nSet-Cookie: planted=1\r\n\r\n<b>",
)
EVALUATED = "1337"
SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
TYPED = PAYLOADS if SOAK else (PAYLOADS[0] + PAYLOADS[1], PAYLOADS[2] + PAYLOADS[3])
ADDRESSED = (*PAYLOADS, "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%00", "1;DROP TABLE run", "-1")
KINDS = ("nobody", "captain", "organiser")
"""Who asks for every address in `make test`; in `make soak` everybody does."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Marked]:
    made = Marked.make(tmp_path_factory.mktemp("marked"), tasks_folder)
    yield made
    made.installation.site.close()


def everybody(site: Marked) -> dict[str, Browser]:
    account = Browser(site.app)
    if "anna" not in site.app.extensions["tests.browsers"]:
        account.register("anna")
    return {
        "nobody": Browser(site.app),
        "account": site.app.extensions["tests.browsers"]["anna"],
        "member": site.mark,
        "captain": site.carla,
        "of another team": site.bob,
        "organiser": site.olga,
        "administrator": site.ada,
    }


def test_no_address_tells_anybody_what_the_gold_holds(site: Marked, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told, answered = [], 0
    people = everybody(site)
    for kind in people if SOAK else KINDS:
        browser = people[kind]
        for _, address in site.addresses():
            answer = browser.client.get(address, headers=browser.headers, buffered=True)
            answered += answer.status_code == 200
            told += [(kind, address, secret) for secret in site.told(answer)]
    for kind, browser, most in (
        ("nobody", Browser(site.app), 60),
        ("captain", site.carla, 50),
        ("organiser", site.olga, 60),
    ):
        for address, answer in crawl(browser, "/tasks/russe", most):
            answered += answer.status_code == 200
            told += [(kind, address, secret) for secret in site.told(answer)]
    for address, answer in crawl(Browser(site.app), "/tasks/cast/board?track=graded", 8):
        told += [("nobody", address, secret) for secret in site.told(answer)]
    assert [each for each in told if not _is_for_organisers(*each)] == []
    assert answered > 150
    assert [secret for secret in site.secrets if secret in caplog.text] == []


def _is_for_organisers(kind: str, address: str, secret: str) -> bool:
    """Organisers compare the SHA-256 of a version with that of their file, and look at MJ before they publish
    it: that has the pairs of the gold, and never their values."""
    is_mj = "/organise/resources/" in address and secret in WORDS
    is_hash = len(secret) == 64 and "/organise/" in address
    return kind in ("organiser", "administrator") and (is_mj or is_hash)


def test_no_operation_of_the_api_tells_what_the_gold_holds(site: Marked) -> None:
    told, answered = [], 0
    for browser in (site.carla, site.olga, site.bob):
        script = site.script_of(browser)
        for _, address in site.addresses():
            if address.startswith("/api/"):
                answer = script.ask("GET", address)
                answered += answer.status_code == 200
                told += [(address, secret) for secret in site.told(answer)]
        faulty = script.send("russe", "слово1,sim\nx,\n".encode())
        told += [("faulty", secret) for secret in site.told(faulty)]
    assert told == []
    assert answered > 20


def test_no_error_page_letter_or_message_tells_what_the_gold_holds(
    site: Marked, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [
        site.carla.submit(content, name)
        for content, name in (
            (b"word1,word2,sim\na,b,nan\n", "a.csv"),
            (f"word1,word2,sim\n{'канареечка'},{'желтопуз'},0.5\n".encode(), "b.csv"),
        )
    ]
    gold_folder = site.installation.settings.instance / "gold"
    content = {path: path.read_bytes() for path in gold_folder.rglob("*") if len(path.name) == 64}
    # Gold that is damaged on the disk breaks scoring: what went wrong is told without what stands there.
    for path in content:
        path.chmod(0o600)
        path.write_bytes(content[path].replace(b",0.", b",x.") + "канареечник;желтопузик;x\n".encode())
    try:
        texts.append(site.carla.submit(b"word1,word2,sim\na,b,1\n", "c.csv"))
        path = site.installation.spec("russe").folder / "sample" / "runs" / "word_length.csv"
        site.carla.submit(path, name="on-broken-gold")
        texts.append(site.carla.last.text)
        texts.append(site.carla.open("/tasks/russe/team/runs"))
    finally:
        for path, before in content.items():
            path.write_bytes(before)
    texts += [letter.get_content() for letter in site.carla.letters()]
    assert [secret for secret in site.secrets for text in texts if secret in text] == []
    assert [secret for secret in site.secrets if secret in caplog.text] == []


def test_asking_changes_nothing(site: Marked) -> None:
    people = everybody(site)
    for browser in people.values():
        browser.open("/")
    before = dump_of(site.installation)
    for kind in ("captain", "administrator"):
        for _, address in site.addresses():
            people[kind].client.get(address, headers=people[kind].headers, buffered=True)
            if SOAK:
                people[kind].client.head(address, headers=people[kind].headers, buffered=True)
    after = dump_of(site.installation)
    assert "carla@example.org" in site.carla.open("/account")
    changed = {name for name in before if before[name] != after[name]}
    # Which archive of gold was fetched, and by whom, is noted on purpose.
    assert changed - {"audit_entry"} == set()


def test_nothing_is_changed_without_the_token_of_a_form(site: Marked) -> None:
    before, wrong = dump_of(site.installation), []
    for browser in (site.carla, site.ada):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for endpoint, address in site.addresses(method):
                answer = browser.client.open(address, method=method, headers=browser.headers, buffered=True)
                rule = rule_of(site.app, endpoint)
                led = answer.status_code in (302, 303) and rule is not None and "team" in rule.name
                # Without a token the API does not know anybody; what has no such page is not found.
                if answer.status_code not in (400, 401, 403) and not led:
                    wrong.append((method, address, answer.status_code))
                forged = browser.client.open(
                    address, method=method, data={"csrf_token": "x" * 60}, buffered=True
                )
                if forged.status_code < 400 and not led:
                    wrong.append((method, address, forged.status_code))
    assert wrong == []
    assert dump_of(site.installation) == before


def test_another_team_comes_to_nothing_of_a_run(site: Marked) -> None:
    """Somebody of another team, who has left the team, or has only an account, and their tokens."""
    before = dump_of(site.installation)
    strangers = {
        name: browser for name, browser in everybody(site).items() if name in ("account", "of another team")
    }
    for kind, browser in {**strangers, "who has left": site.lea}.items():
        assert _reached(site, browser, site.script_of(browser)) == [], kind
    after = dump_of(site.installation)
    arrived = {"account", "user_session", "letter", "api_token"}
    assert {name for name in before if before[name] != after[name]} <= arrived


def test_a_frozen_member_comes_to_nothing_of_a_run(site: Marked) -> None:
    """By the cookie and the token that were good before."""
    script = site.script_of(site.fred)
    assert script.ask("GET", f"/tasks/russe/runs/{site.run}").status_code == 200
    site.ada.open("/administration/people?text=fred")
    freeze = next(form.action for form in site.ada.forms() if "/freeze" in form.action)
    site.ada.send(freeze, reason="sells runs")
    before = dump_of(site.installation)
    assert _reached(site, site.fred, script) == []
    after = dump_of(site.installation)
    assert {name for name in before if before[name] != after[name]} <= {"user_session"}


def _reached(site: Marked, browser: Browser, script: Script) -> list[tuple[str, str, int]]:
    """The addresses of the run at which somebody who may not is not refused, or reads its description."""
    browser.open("/account")
    token = next(form.values["csrf_token"] for form in browser.forms() if "csrf_token" in form.values)
    reached = []
    for method in ("GET", "POST", "PATCH"):
        for endpoint, address in site.addresses(method):
            if f"/{site.run}" not in address or endpoint == "runs.show":
                continue
            sender = script.headers if address.startswith("/api/") else browser.headers
            answer = browser.client.open(
                address, method=method, headers=sender, data={"csrf_token": token}, buffered=True
            )
            led = any(to in answer.headers.get("Location", "") for to in ("/team", "/sign-in"))
            refused = led or answer.status_code in (400, 401, 403, 404, 415, 422)
            if not refused or OWN_RUN in answer.text:
                reached.append((method, address, answer.status_code))
    return reached


def test_a_captain_of_before_leads_no_more(site: Marked) -> None:
    carla = site.carla
    page = carla.open("/tasks/russe/team")
    member = re.search(r"/tasks/russe/team/members/(\d+)/captain", page)
    assert member is not None
    carla.send(f"/tasks/russe/team/members/{member[1]}/captain")
    carla.open("/account")
    token = next(form.values["csrf_token"] for form in carla.forms() if "csrf_token" in form.values)
    for action in ("invitations", "name", f"members/{member[1]}/remove", f"members/{member[1]}/captain"):
        answer = carla.client.post(
            f"/tasks/russe/team/{action}", data={"csrf_token": token, "name": "Wolves"}
        )
        assert answer.status_code == 403, action
    site.mark.open("/tasks/russe/team")
    back = re.search(r"/tasks/russe/team/members/(\d+)/captain", site.mark.last.text)
    assert back is not None
    site.mark.send(f"/tasks/russe/team/members/{back[1]}/captain")
    assert carla.client.post("/tasks/russe/team/name", data={"csrf_token": token}).status_code != 403


def test_a_token_that_is_revoked_or_of_who_has_left_opens_nothing(site: Marked) -> None:
    address = f"/tasks/russe/runs/{site.run}"
    script, left = site.script_of(site.mark), site.script_of(site.lea)
    assert script.ask("GET", address).status_code == 200
    assert left.ask("GET", address).status_code in (403, 404)
    grant = script.get("/me")
    with site_of(site.app).database.writing() as session:
        for user_id in range(1, 10):
            for each in tokens.listing(session, user_id, utc_now()):
                tokens.revoke(session, user_id, each.token_id, utc_now())
    assert grant
    assert script.ask("GET", address).status_code == 401


def forms_of(site: Marked, browser: Browser) -> Iterator[tuple[str, Form]]:
    """The forms of the pages that a person comes to, each once, but for what would end the walk."""
    seen = set()
    start = "/tasks/russe" + ("/organise/people" if browser is site.olga else "/team")
    for address, answer in [*crawl(browser, start, 30), *crawl(browser, "/account", 10)]:
        if answer.mimetype != "text/html" or answer.status_code != 200:
            continue
        browser.last = answer
        for form in browser.forms():
            kind = re.sub(r"\d+", "N", form.action)
            ends = re.search(
                r"sign-out|delete|/leave|/remove|/take$|sign-ins|reset|close|discard", form.action
            )
            if kind and kind not in seen and not ends:
                seen.add(kind)
                yield address, form


@pytest.mark.parametrize("who", ["carla", "olga"])
def test_what_is_typed_into_a_form_is_only_text(site: Marked, who: str) -> None:
    browser: Browser = getattr(site, who)
    wrong: list[tuple[str, str, object]] = []
    sent = 0
    for address, form in list(forms_of(site, browser)):
        for payload in TYPED:
            typed = {name: payload if name != "csrf_token" else value for name, value in form.values.items()}
            answer = browser.client.post(
                form.action or address,
                data=typed,
                headers=browser.headers,
                follow_redirects=True,
                buffered=True,
            )
            sent += 1
            body = answer.text
            evaluated = EVALUATED in body and "7*191" not in body
            if answer.status_code >= 500 or "<script>alert" in body or evaluated or "root:" in body:
                wrong.append((form.action, payload, answer.status_code))
            told = [secret for secret in site.told(answer) if len(secret) != 64]
            if "planted" in str(answer.headers) or told:
                wrong.append((form.action, payload, str(answer.headers)))
    assert wrong == []
    assert sent > 15
    assert "run" in dump_of(site.installation)


@pytest.mark.parametrize("payload", ADDRESSED if SOAK else (ADDRESSED[0], ADDRESSED[5]))
def test_what_stands_in_an_address_is_only_text(site: Marked, payload: str) -> None:
    wrong: list[tuple[object, ...]] = []
    bound = site.app.url_map.bind("localhost")
    for rule in site.app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()):
            continue
        for name in rule.arguments:
            values = {**next(site.values_of(rule))}
            # Where only a number, or one of a few words, may stand, the address itself is not found.
            address = bound.build(rule.endpoint, values).replace(f"/{values[name]}", f"/{payload}", 1)
            wrong += _trouble(site, address.replace("\r", "%0d").replace("\n", "%0a").replace("?", "%3f"))
    for asked in (
        "track",
        "phase",
        "version",
        "sort",
        "page",
        "search",
        "lang",
        "theme",
        "next",
        "measure",
        "kind",
    ):
        for start in ("/tasks/russe/board", "/tasks/russe", "/tasks/russe/mj", "/sign-in"):
            answer = site.olga.client.get(start, query_string={asked: payload}, headers=site.olga.headers)
            if (
                answer.status_code >= 500
                or "<script>alert" in answer.text
                or "planted=" in str(answer.headers)
            ):
                wrong.append((start, asked, answer.status_code))
    assert wrong == []


def _trouble(site: Marked, address: str) -> list[tuple[str, int]]:
    answer = site.olga.client.get(address, headers=site.olga.headers, buffered=True)
    # In a document that no browser takes for a page it is text.
    ran = answer.mimetype == "text/html" and "<script>alert" in answer.text
    served = answer.status_code >= 500 or "root:" in answer.text or ran
    return [(address, answer.status_code)] if served or "planted=1" in str(answer.headers) else []
