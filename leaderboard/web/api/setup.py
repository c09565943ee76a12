"""Putting the API into the application, with its OpenAPI document."""

from __future__ import annotations

from functools import cache
from typing import Any

from flask import Flask, Response, json
from flask_smorest import Api
from werkzeug.routing.converters import AnyConverter

from leaderboard.web.api import runs, submissions, tasks
from leaderboard.web.api.blueprint import EVERYBODY, SCHEME, VERSION, blueprint, operation
from leaderboard.web.api.problems import MIMETYPE
from leaderboard.web.api.schemas import Problem
from leaderboard.web.api.words import later as _

NOUNS = (tasks, runs, submissions)
"""Each has put its routes into the blueprint when it was imported."""

TAGS = (_("Tasks"), _("Own runs"), _("Files"), _("Token"))
"""What the operations are sorted by."""

PLACES = {
    "task": _("The name of the task."),
    "run_id": _("The number of the run."),
    "name": _("The role of the file."),
    "action": _("What is to be done."),
}
"""The parts of addresses."""

DESCRIPTION = """What the pages do, for scripts: the same services underneath.

Whoever submits shows a personal token, made on the page of one's account: `Authorization: Bearer TOKEN`.
Errors are problem documents (RFC 9457). Lists come in pages, with a Link header that leads to the others.
Words are in English or Russian as Accept-Language asks."""


class Documented(Api):
    """The library's document with our errors, and without its handlers: ours stand for the whole site."""

    ERROR_SCHEMA = Problem

    def _register_error_handlers(self) -> None:
        pass


def init_api(app: Flask) -> None:
    """Registers the routes."""
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.register_blueprint(blueprint)
    app.extensions["csrf"].exempt(blueprint)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, made when somebody first asks for it: it says the same of every installation."""
    api = Documented(
        Flask(__name__, static_folder=None),
        spec_kwargs={
            "title": "Leaderboard",
            "version": VERSION,
            "openapi_version": "3.1.0",
            "info": {"description": DESCRIPTION},
        },
    )
    api.register_converter(AnyConverter, _choices)
    api.spec.components.security_scheme(
        SCHEME,
        {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal token, with the scope read or submit.",
        },
    )
    api.register_blueprint(blueprint)
    made: dict[str, Any] = api.spec.to_dict()
    _mend(made)
    return made


@blueprint.route("/openapi.json", tags=["Token"])
@blueprint.response(200, {"type": "object"}, description=_("The document."))
@operation(EVERYBODY, _("All of this as an OpenAPI document."))
def openapi() -> Response:
    """This document."""
    text = json.dumps(document(), ensure_ascii=False, indent=1) + "\n"
    response = Response(text, mimetype="application/json")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return response


def _choices(converter: Any) -> dict[str, Any]:
    return {"type": "string", "enum": sorted(converter.items)}


def _mend(document: dict[str, Any]) -> None:
    """Problem documents have a media type of their own, which the library cannot be told for its default; of
    its own lists in pages nothing is used; and it has no words for parts of addresses."""
    for operations in document["paths"].values():
        for parameter in operations.get("parameters", ()):
            parameter["description"] = PLACES[parameter["name"]]
    document["components"]["schemas"].pop("PaginationMetadata", None)
    for response in document["components"].get("responses", {}).values():
        content = response.get("content", {})
        if "application/json" in content:
            content[MIMETYPE] = content.pop("application/json")
