"""Every address, asked for as every kind of person, against the table in docs/access.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.routing import Map, Rule

from leaderboard.services import tokens
from leaderboard.site import utc_now
from leaderboard.web.access import rule_of
from tests.web.api.scripts import person, token
from tests.web.browser import Browser, site_of
from tests.web.installation import Installation
from tests.web.judging import campaign_of_words
from tests.web.members import Member, app_of
from tests.web.organisers import Administrator, Organiser, give

PAGE = Path(__file__).resolve().parents[2] / "docs" / "access.md"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

Table = Mapping[str, Mapping[str, str]]


def table(title: str) -> Table:
    """A table of the page by its first column, whose head is `title`: each row by the heads of the others."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    heads = next(cells for line in lines if (cells := cells_of(line)) and cells[0] == title)
    next(lines)
    rows: dict[str, Mapping[str, str]] = {}
    for line in lines:
        if not (cells := cells_of(line)):
            break
        assert cells[0] not in rows, f"{cells[0]} stands twice"
        rows[cells[0]] = dict(zip(heads[1:], cells[1:], strict=True))
    return rows


def cells_of(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip("|").split("|")] if line.startswith("|") else []


def routes(app: Flask) -> Iterator[tuple[str, str, str, str]]:
    """Method, pattern, a real address of it, and the rule that the code names."""
    addresses = app.url_map.bind("localhost")
    for route in app.url_map.iter_rules():
        named = rule_of(app, route.endpoint)
        for method in sorted(set(METHODS) & (route.methods or set())):
            address = addresses.build(route.endpoint, filled(app.url_map, route), method=method)
            yield method, route.rule, address, named.name if named else "none"


def filled(addresses: Map, route: Rule) -> dict[str, object]:
    """Something for each part of an address that is left open."""
    values: dict[str, object] = dict(route.defaults or {})
    for name in route.arguments - set(values):
        converter = route._converters[name]
        items = getattr(converter, "items", None)
        number = isinstance(converter, addresses.converters["int"])
        values[name] = sorted(items)[0] if items else 1 if number else "x"
    if "task" in values:
        values["task"] = "russe"
    return values


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Flask]:
    made = Installation.make(tmp_path_factory.mktemp("access"), tasks_folder)
    for task in ("russe", "cast"):
        made.install(task)
    yield app_of(made)
    made.site.close()


def people(app: Flask) -> dict[str, Browser]:
    """A browser of each kind of person, in the order of the table."""
    captain = Member(app, "carla", "Foxes")
    captain.open("/tasks/russe/team")
    captain.send("/tasks/russe/team/invitations", people="1", days="1")
    link = captain.last.text.partition('<output id="fresh-link">')[2].partition("<")[0]
    account, member, judge = Browser(app), Browser(app), Browser(app)
    for browser, name in ((account, "anna"), (member, "mark"), (judge, "judith")):
        browser.register(name)
    member.open(link)
    member.send("/invitations/")
    give(app, "judith", "judge", "russe")
    judge.open(f"/judging/russe/{campaign_of_words(site_of(app), 'russe')}")
    judge.send("/judging/russe/1/join")
    return {
        "nobody signed in": Browser(app),
        "account": account,
        "member": member,
        "captain": captain,
        "judge": judge,
        "organiser": Organiser(app, "olga"),
        "organiser of another task": Organiser(app, "oscar", "cast"),
        "administrator": Administrator(app, "ada"),
    }


def test_the_table_has_every_address_with_its_rule(app: Flask) -> None:
    listed = {
        (method, f"/{address}"): row["rule"]
        for request, row in table("request").items()
        for methods, _, address in [request.partition(" /")]
        for method in methods.split(", ")
    }
    served = {(method, pattern): rule for method, pattern, _, rule in routes(app)}
    assert listed == served


def test_every_address_lets_in_whom_the_table_says(app: Flask) -> None:
    rules, wrong = table("rule"), []
    for kind, browser in people(app).items():
        for method, pattern, address, rule in routes(app):
            if rule.startswith("api:") or (rule == "everybody" and kind != "nobody signed in"):
                continue
            if is_let_in(browser, method, address) != (rules[rule][kind] == "yes"):
                wrong.append((kind, method, pattern, rule))
    assert wrong == []


def is_let_in(browser: Browser, method: str, address: str) -> bool:
    """Whether the rule lets a request pass. A change then ends at the missing token of a form."""
    answer = browser.client.open(address, method=method, headers=browser.headers, buffered=True)
    if answer.status_code in (302, 303):
        led = answer.headers["Location"]
        to_sign_in = led.endswith("/sign-in") and not address.startswith(("/sign-", "/register", "/confirm"))
        to_a_team = led.endswith("/tasks/russe/team") and address != "/tasks/russe/team"
        to_the_beginning = led.endswith("/judging/russe/1")
        return not (to_sign_in or to_a_team or to_the_beginning)
    return answer.status_code != 403


def test_every_operation_of_the_api_asks_for_the_token_that_the_table_says(app: Flask) -> None:
    site, rules = site_of(app), table("rule of the API")
    user_id = person(site)
    expired = token(site, user_id, age=timedelta(days=30))
    with site.database.writing() as session:
        revoked = tokens.make(session, user_id, "revoked", "submit", 7, utc_now())
        newest = max(each.token_id for each in tokens.listing(session, user_id, utc_now()))
        tokens.revoke(session, user_id, newest, utc_now())
    shown = {
        "without a token": (None,),
        "token to read": (token(site, user_id, "read"),),
        "token to submit": (token(site, user_id, "submit"),),
        "expired or revoked token": (expired, revoked),
    }
    wrong = []
    for method, pattern, address, rule in routes(app):
        if not rule.startswith("api:"):
            continue
        for kind, secrets in shown.items():
            for secret in secrets:
                headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
                answer = app.test_client().open(address, method=method, headers=headers, buffered=True)
                refused = answer.status_code == 401 or "insufficient_scope" in str(answer.headers)
                if refused == (rules[rule][kind] == "yes"):
                    wrong.append((kind, method, pattern, answer.status_code))
    assert wrong == []
