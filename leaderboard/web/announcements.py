"""What the organisers of a task have announced to everybody."""

from __future__ import annotations

from flask import Blueprint, Response

from leaderboard.services import announcements
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.installation import public_task, site
from leaderboard.web.resources import is_published

blueprint = Blueprint("announcements", __name__, url_prefix="/tasks/<task>/announcements")


@blueprint.get("")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """All that stand, the newest first."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        found = announcements.public(session, spec)
        has_resource = is_published(session, spec)
    return page("announcements/show.html", spec=spec, announcements=found, has_resource=has_resource)
