"""The rankings as they are now, whatever a phase hides or freezes for others."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, make_response, render_template

from leaderboard.services import board_pages
from leaderboard.site import utc_now
from leaderboard.web import boards
from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, task_named
from leaderboard.web.resources import is_published

blueprint = Blueprint("live_boards", __name__, url_prefix=f"{ORGANISE}/board")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """A ranking as it is, sorted and cut as the address says."""
    spec = task_named(task)
    with site().database.reading() as session:
        wanted = replace(boards.wanted_of_address(spec), live=True)
        if (elsewhere := boards.found_at(session, spec, wanted)) is not None:
            return elsewhere
        shown = board_pages.show(session, spec, wanted, utc_now())
        has_resource = is_published(session, spec)
    body = render_template("boards/show.html", **boards.context(spec, shown, has_resource=has_resource))
    response = make_response(body)
    response.headers["Cache-Control"] = "no-store"
    return response
