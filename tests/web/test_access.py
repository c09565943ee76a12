"""Every route names who may use it, and one that does not is refused."""

from __future__ import annotations

from werkzeug.routing import IntegerConverter

from leaderboard.web.access import Rule, allow, rule_of
from tests.web.installation import Installation


def test_every_route_names_a_rule(samples: Installation) -> None:
    app = samples.app()
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert "tasks.index" in endpoints
    assert {endpoint for endpoint in endpoints if rule_of(app, endpoint) is None} == set()


def test_every_number_in_an_address_fits_into_the_database(samples: Installation) -> None:
    most = {
        rule.rule: converter.max
        for rule in samples.app().url_map.iter_rules()
        for converter in rule._converters.values()
        if isinstance(converter, IntegerConverter)
    }
    assert most
    assert {rule for rule, number in most.items() if number is None or number >= 2**31} == set()


def test_a_route_without_a_rule_is_refused(samples: Installation) -> None:
    app = samples.app()
    app.add_url_rule("/forgotten", "forgotten", lambda: "a secret")
    answer = app.test_client().get("/forgotten")
    assert answer.status_code == 403
    assert "a secret" not in answer.text


def test_a_rule_that_does_not_permit_is_refused(samples: Installation) -> None:
    app = samples.app()
    app.add_url_rule("/theirs", "theirs", allow(Rule("nobody", lambda: False))(lambda: "a secret"))
    assert app.test_client().get("/theirs").status_code == 403


def test_pages_change_nothing(samples: Installation) -> None:
    app = samples.app()
    readers = {"assets", "tasks", "boards", "runs", "inputs", "resources", "about", "bootstrap"}
    methods = {
        method
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in readers
        for method in rule.methods or ()
    }
    assert methods == {"GET", "HEAD", "OPTIONS"}
