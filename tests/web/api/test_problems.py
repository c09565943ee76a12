"""Whatever goes wrong under /api is answered by a problem document; elsewhere, by a page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask

from leaderboard.app import create_app
from leaderboard.web.access import allow
from leaderboard.web.api import blueprint as rules
from leaderboard.web.api.problems import KINDS
from tests.web.api.scripts import Script
from tests.web.installation import Installation


@pytest.fixture
def nobody(app: Flask) -> Script:
    return Script(app, None)


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1", "/api/v1/", "/api/v2/tasks", "/api/v1/tasks/nothing", "/api/v1/tasks/%00"]
)
def test_what_is_not_there(nobody: Script, path: str) -> None:
    document = nobody.refused(nobody.ask("GET", path), 404, "not-found")
    assert document["instance"] == path.replace("%00", "\0")


def test_a_method_that_is_not_taken(nobody: Script) -> None:
    answer = nobody.ask("DELETE", "/tasks")
    nobody.refused(answer, 405, "method")
    assert "GET" in answer.headers["Allow"]


def test_a_page_that_is_not_there_is_still_answered_by_a_page(nobody: Script) -> None:
    answer = nobody.client.get("/nothing")
    assert (answer.status_code, answer.mimetype) == (404, "text/html")


def test_a_fault_of_ours_is_told_and_says_nothing_of_itself(app: Flask) -> None:
    def broken() -> str:
        raise ArithmeticError("a secret of the gold")

    app.add_url_rule("/api/v1/broken", "broken", allow(rules.EVERYBODY)(broken))
    app.config["PROPAGATE_EXCEPTIONS"] = False
    script = Script(app, None)
    answer = script.ask("GET", "/broken")
    script.refused(answer, 500, "server-error")
    assert "secret" not in answer.text


def test_a_route_without_a_rule_is_refused(app: Flask) -> None:
    app.add_url_rule("/api/v1/forgotten", "forgotten", lambda: "a secret")
    script = Script(app, None)
    script.refused(script.ask("GET", "/forgotten"), 403, "forbidden")


def test_a_database_that_does_not_answer(app: Flask, installation: Installation) -> None:
    with installation.site.database.writing() as session:
        session.connection().exec_driver_sql("ALTER TABLE phase RENAME TO gone")
    script = Script(app, None)
    answer = script.ask("GET", "/tasks/russe")
    script.refused(answer, 503, "unavailable")
    assert "Retry-After" in answer.headers


def limited(installation: Installation) -> Flask:
    app = create_app(replace(installation.settings, api_rate_limit="3 per minute"))
    app.testing = True
    return app


def test_too_many_requests_are_refused_and_told_when_to_go_on(installation: Installation) -> None:
    script = Script(limited(installation), None)
    left = [script.ask("GET", "/tasks").headers["RateLimit"].split(";")[1] for _ in range(3)]
    assert left == ["r=2", "r=1", "r=0"]
    answer = script.ask("GET", "/tasks")
    script.refused(answer, 429, "too-many-requests")
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert answer.headers["RateLimit-Policy"] == '"api";q=3;w=60'
    assert answer.headers["X-RateLimit-Limit"] == "3"


def test_pages_are_not_limited_with_the_api(installation: Installation) -> None:
    app = limited(installation)
    client = app.test_client()
    assert {client.get("/").status_code for _ in range(6)} == {200}


def test_guessing_tokens_is_limited(installation: Installation) -> None:
    app = limited(installation)
    codes = [Script(app, f"leaderboard_{number}").ask("GET", "/tasks").status_code for number in range(5)]
    assert codes == [401, 401, 401, 429, 429]


def test_an_answer_that_is_no_refusal_asks_nobody_to_wait(nobody: Script) -> None:
    assert "Retry-After" not in nobody.ask("GET", "/tasks").headers


def test_the_reference_explains_every_operation_and_problem(nobody: Script) -> None:
    page = nobody.client.get("/api").text
    document = nobody.get("/openapi.json")
    for operations in document["paths"].values():
        for name, operation in operations.items():
            if name != "parameters":
                assert f'id="{operation["operationId"]}"' in page
                assert operation["summary"]
    for slug in KINDS:
        assert f'id="{slug}"' in page
    for name in document["components"]["schemas"]:
        assert f'id="document-{name}"' in page
