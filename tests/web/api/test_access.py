"""Every operation names who may use it, and only a token tells who asks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask

from leaderboard.services import accounts, tokens
from leaderboard.site import utc_now
from leaderboard.web.access import rule_of
from tests.web.api.scripts import Script, member, person, sample, team, token
from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import Clock, Member

FILLED = {"{task}": "russe", "{run_id}": "1", "{name}": "pairs", "{action}": "withdraw"}


def operations(app: Flask) -> list[tuple[str, str, dict[str, object]]]:
    """Method, address and description of every operation in the document."""
    document = app.test_client().get("/api/v1/openapi.json").json
    assert document is not None
    found = []
    for path, methods in document["paths"].items():
        for place, word in FILLED.items():
            path = path.replace(place, word)
        found += [(name, path, each) for name, each in methods.items() if name != "parameters"]
    return found


def test_the_document_has_every_route_with_its_rule(app: Flask) -> None:
    documented = {str(each["operationId"]): each["x-access-rule"] for _, _, each in operations(app)}
    routes = {
        rule.endpoint.removeprefix("api."): rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("api.")
    }
    assert set(documented) == {"act_on_run", *routes} - {""}
    for name, endpoint in routes.items():
        rule = rule_of(app, endpoint)
        assert rule is not None
        assert documented[name] == rule.name


def test_without_a_token_only_what_is_public_is_answered(app: Flask) -> None:
    nobody = Script(app, None)
    public = set()
    for method, path, each in operations(app):
        answer = nobody.ask(method.upper(), path)
        if each["security"]:
            nobody.refused(answer, 401, "no-token")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        else:
            assert answer.status_code == 200, path
            public.add(each["operationId"])
    assert public == {
        *("list_tasks", "show_task", "list_inputs", "download_input", "show_standings", "openapi"),
    }


def test_a_token_that_may_read_changes_nothing(app: Flask, installation: Installation) -> None:
    reader = Script(app, token(installation.site, person(installation.site), "read"))
    refused = 0
    for method, path, each in operations(app):
        if each["x-access-rule"] == "api: token that may submit":
            refused += 1
            answer = reader.ask(method.upper(), path)
            reader.refused(answer, 403, "scope")
            assert "insufficient_scope" in answer.headers["WWW-Authenticate"]
    assert refused == 4
    assert reader.get("/me")["scope"] == "read"


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "Bearer x", "bearer leaderboard_x", "Basic YTpi", "Token x", "", "Bearer \xff"],
)
def test_what_is_no_token_is_refused_also_where_none_is_needed(app: Flask, header: str) -> None:
    nobody = Script(app, None)
    for path in ("/me", "/tasks"):
        answer = nobody.ask("GET", path, headers={"Authorization": header})
        nobody.refused(answer, 401, "no-token")


def test_an_expired_a_revoked_and_a_deleted_persons_token_are_refused(
    app: Flask, installation: Installation
) -> None:
    site = installation.site
    expired = Script(app, token(site, person(site), age=timedelta(days=8)))
    expired.refused(expired.ask("GET", "/me"), 401, "no-token")
    owner = person(site)
    script = Script(app, token(site, owner))
    assert script.get("/me")["token"] == "cluster"
    with site.database.writing() as session:
        (listed,) = tokens.listing(session, owner, utc_now())
        tokens.revoke(session, owner, listed.token_id, utc_now())
    script.refused(script.ask("GET", "/me"), 401, "no-token")
    gone = person(site)
    script = Script(app, token(site, gone))
    with site.database.writing() as session:
        accounts.delete(session, gone, utc_now())
    script.refused(script.ask("GET", "/me"), 401, "no-token")


def test_a_signed_in_browser_is_nobody_to_the_api(app: Flask) -> None:
    ann = Member(app, "ann", "Foxes")
    for method, path in (("GET", "/api/v1/me"), ("POST", "/api/v1/tasks/russe/runs")):
        assert ann.client.open(path, method=method, data=b"word1,word2,sim\n").status_code == 401


def test_what_belongs_to_another_team_is_not_there(app: Flask, installation: Installation) -> None:
    foxes = member(app, installation.site)
    bears = member(app, installation.site, name="Bears")
    run = foxes.send("russe", sample("russe", "embeddings.csv")).json["run"]["id"]  # type: ignore[index]
    for method, path in (
        *(("GET", f"/tasks/russe/runs/{run}{more}") for more in ("", "/topics", "/file")),
        *(("POST", f"/tasks/russe/runs/{run}/{action}") for action in ("withdraw", "score-again")),
    ):
        bears.refused(bears.ask(method, path), 404, "not-found")
    bears.refused(bears.ask("PATCH", f"/tasks/russe/runs/{run}", json={"name": "x"}), 404, "not-found")
    assert bears.get("/tasks/russe/runs")["total"] == 0
    foxes.refused(foxes.ask("GET", f"/tasks/cast/runs/{run}"), 403, "no-team")


def test_whoever_is_in_no_team_is_told_so(app: Flask, installation: Installation) -> None:
    nobody = Script(app, token(installation.site, person(installation.site)))
    for method, path in (
        ("GET", "/tasks/russe/runs"),
        ("POST", "/tasks/russe/runs"),
        ("GET", "/tasks/russe/quota"),
    ):
        nobody.refused(nobody.ask(method, path, data=None), 403, "no-team")


def test_a_task_that_is_not_public_is_not_there(app: Flask, installation: Installation) -> None:
    ann = person(installation.site)
    team(installation.site, ann, "russe", "Foxes")
    script = Script(app, token(installation.site, ann))
    installation.hide_task("russe")
    assert [task["name"] for task in script.get("/tasks")["items"]] == ["cast"]
    for path in ("", "/inputs", "/inputs/pairs", "/standings", "/runs", "/quota"):
        script.refused(script.ask("GET", f"/tasks/russe{path}"), 404, "not-found")


def test_a_person_makes_sees_and_revokes_tokens_on_a_page(app: Flask, clock: Clock) -> None:
    ann = Browser(app)
    ann.register("ann")
    ann.open("/account/tokens")
    page = ann.send("/account/tokens", name="night jobs", scope="read", days="7")
    secret = page.split('value="leaderboard_')[1].split('"')[0]
    script = Script(app, f"leaderboard_{secret}")
    assert script.get("/me") == {
        "name": "Ann",
        "token": "night jobs",
        "scope": "read",
        "expires_at": "2026-03-09T09:00:00Z",
        "teams": [],
    }
    assert secret not in ann.open("/account/tokens")
    assert secret[-4:] in ann.last.text
    assert "9 Mar 2026" in ann.last.text
    clock.move(minutes=10)
    page = ann.send("/account/tokens/", name="")
    assert "refused from now on" in page
    script.refused(script.ask("GET", "/me"), 401, "no-token")


def test_a_token_needs_a_name_and_nobody_sees_those_of_others(app: Flask, clock: Clock) -> None:
    ann, bob = Browser(app), Browser(app)
    ann.register("ann")
    ann.open("/account/tokens")
    assert "Give the token a name." in ann.send("/account/tokens", name=" ", scope="read", days="7")
    assert ann.last.status_code == 422
    ann.send("/account/tokens", name="mine", scope="submit", days="7")
    bob.register("bob")
    assert "mine" not in bob.open("/account/tokens")
    assert Browser(app).open("/account/tokens").count("Sign in") > 0
