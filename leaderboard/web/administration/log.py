"""The log of the whole site."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, render_template

from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ADMINISTRATOR
from leaderboard.web.organise import logs

blueprint = Blueprint("site_log", __name__, url_prefix="/administration/log")


@blueprint.get("")
@allow(ADMINISTRATOR)
def show() -> Response:
    """The lines that the address asks for, of all tasks and of the site."""
    response = make_response(render_template("administration/log.html", **logs.listing(None)))
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/log.<ending>")
@allow(ADMINISTRATOR)
def export(ending: str) -> Response:
    """The same lines, all of them, as CSV or JSON Lines."""
    return logs.export(None, ending, "site")
