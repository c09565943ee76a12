"""Whatever the OpenAPI document allows, and what it does not, is answered within the document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.app import create_app
from tests.web.api.scripts import SAMPLES, member, sample
from tests.web.browser import quick
from tests.web.installation import Installation

EXAMPLES = 400 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 30
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OPERATIONS = (
    *("openapi", "show_me", "list_tasks", "show_task", "list_inputs", "download_input", "show_standings"),
    *("list_runs", "show_run", "describe_run", "show_topics", "download_run", "act_on_run"),
    *("score_run_again", "show_quota", "check_run", "submit_run"),
)
REAL: dict[str, Any] = {"task": "cast", "run_id": 1, "name": "topics"}
"""What there is, so that not every generated address leads nowhere."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """CAsT with one run of one team."""
    made = Installation.make(tmp_path_factory.mktemp("schema"), SAMPLES)
    made.install("cast")
    app = quick(create_app(replace(made.settings, api_rate_limit="100000000 per minute")))
    foxes = member(app, made.site, "cast")
    assert foxes.send("cast", sample("cast", "random.run")).status_code == 201
    app.config["token"] = foxes.headers
    yield app
    made.site.close()


@pytest.fixture(scope="module")
def schema(app: Flask) -> Any:
    loaded = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    loaded.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    return loaded


def test_every_operation_is_tried(schema: Any) -> None:
    found = {
        operation["operationId"]
        for path in schema.raw_schema["paths"].values()
        for name, operation in path.items()
        if name != "parameters"
    }
    assert found == set(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [True, False])
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_answers_within_its_document(
    schema: Any, app: Flask, name: str, signed_in: bool
) -> None:
    operation = schema.find_operation_by_id(name)
    tried = []

    @seed(20150501)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        tried.append(case)
        if len(tried) % 2:
            case.path_parameters = {**(case.path_parameters or {}), **_there(case)}
        # What is compressed would have to be unpacked before it could be compared.
        headers = {"Accept-Encoding": "identity", **(app.config["token"] if signed_in else {})}
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS, headers=headers)
        if not signed_in and operation.definition.raw["security"]:
            assert answer.status_code in (401, 404, 405)

    ask()
    assert tried


def _there(case: Any) -> dict[str, Any]:
    return {name: value for name, value in REAL.items() if name in (case.path_parameters or {})}
