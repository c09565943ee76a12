"""Requests have numbers, and are counted by the patterns of their addresses."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from leaderboard.telemetry import context, exposition
from leaderboard.web.observing import Observed, init_observing
from tests.telemetry.piped import piped
from tests.web.browser import PASSWORD, Browser, make_app, site_of

GIVEN = "0f3c-request_of.the-proxy"


def test_every_answer_names_its_request(samples_app: Flask) -> None:
    reader = samples_app.test_client()
    answers = [reader.get(address) for address in ("/", "/nothing", "/api/v1/tasks", "/healthz")]
    numbers = [answer.headers.get("X-Request-ID") for answer in answers]
    assert len({number for number in numbers[:3] if number}) == 3
    assert numbers[3] is None


@pytest.mark.parametrize(
    ("proxies", "given", "taken"),
    [
        (1, GIVEN, True),
        (0, GIVEN, False),
        (1, "short", False),
        (1, "x" * 65, False),
        (1, "evil\tfield=1 and more", False),
    ],
)
def test_the_number_is_the_proxys_where_one_is_believed(proxies: int, given: str, taken: bool) -> None:
    app = Flask(__name__)
    app.wsgi_app = Observed(app.wsgi_app, proxies > 0)  # type: ignore[method-assign]
    answer = app.test_client().get("/", headers={"X-Request-ID": given})
    assert (answer.headers["X-Request-ID"] == given) is taken


def test_the_page_of_an_error_of_ours_names_the_request_and_the_log_too(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    app.testing = False
    try:
        with piped() as told, site_of(app).database.writing() as session:
            session.execute(text("ALTER TABLE task RENAME TO gone"))
            session.commit()
            answer = app.test_client().get("/")
    finally:
        site_of(app).close()
    assert answer.status_code == 503
    number = answer.headers["X-Request-ID"]
    assert number in answer.text
    assert [line["request"] for line in told.lines] == [number]


def test_requests_are_counted_by_pattern_and_status(samples_app: Flask, counted: None) -> None:
    reader = samples_app.test_client()
    for address in ("/tasks/russe", "/tasks/cast", "/tasks/none", "/no/such/secret-word"):
        reader.get(address)
    shown = exposition.text().decode()
    assert 'leaderboard_requests_total{method="GET",route="/tasks/<task>",status="200"} 2.0' in shown
    assert 'leaderboard_requests_total{method="GET",route="/tasks/<task>",status="404"} 1.0' in shown
    assert 'route="(none)",status="404"' in shown
    assert "secret-word" not in shown


def test_log_lines_of_a_request_name_its_task_and_run() -> None:
    found: list[context.Fields] = []
    app = Flask(__name__)

    def view(**_: object) -> str:
        found.append(context.current())
        return ""

    app.add_url_rule("/tasks/<task>/<int:run_id>/<token>", view_func=view)
    init_observing(app, behind_proxies=False)
    number = app.test_client().get("/tasks/russe/7/opens-a-door").headers["X-Request-ID"]
    assert found == [{"request": number, "task": "russe", "run": 7}]


@pytest.mark.parametrize("sent", ["%1b%5b2J", "ru%0asse", "ada@example.org", "x" * 41])
def test_log_lines_name_no_task_that_could_be_none(samples_app: Flask, sent: str) -> None:
    with context.bound({}):
        samples_app.test_client().get(f"/tasks/{sent}/board")
        assert set(context.current()) == {"request"}


def test_what_people_send_and_are_sent_stays_out_of_the_log(tmp_path: Path) -> None:
    """At the most talkative grade: addresses, passwords, letters with links, forms, statements that fail."""
    app = make_app(tmp_path)
    site = site_of(app)
    canaries = ["ann@example.org", PASSWORD, "a-wrong-canary-password"]
    try:
        with piped() as told:
            logging.getLogger("leaderboard").setLevel(logging.DEBUG)
            ann = Browser(app)
            ann.register("ann")
            other = Browser(app)
            other.open("/sign-in")
            other.send("/sign-in", email="ann@example.org", password="a-wrong-canary-password")
            other.open("/reset")
            other.send("/reset", email="ann@example.org")
            site.deliver_letters()
            letters = [letter.get_content() for letter in ann.letters()]
            with site.database.writing() as session:
                session.execute(text("ALTER TABLE account RENAME TO gone"))
            app.testing = False
            other.send("/reset", email="ann@example.org")
    finally:
        site.close()
    links = [word for letter in letters for word in letter.split() if word.startswith("http")]
    assert len(links) >= 2
    assert [line["event"] for line in told.lines if "does not answer as it should" in line["event"]]
    assert [word for word in canaries + links if word in told.text] == []
