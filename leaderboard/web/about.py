"""What this site is, and what it keeps about its readers."""

from __future__ import annotations

from flask import Blueprint, Response

from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page

blueprint = Blueprint("about", __name__)


@blueprint.get("/about")
@allow(EVERYBODY)
def show() -> Response:
    """How rankings are made, and privacy."""
    return page("about/show.html")
