"""The final standing of a phase that parts its gold, and its downloads."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from leaderboard.contract import TaskSpec
from leaderboard.services import exports, final_exports, final_standings
from leaderboard.services.boards import NoBoard
from leaderboard.services.final_standings import FinalStanding
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page, unchanged
from leaderboard.web.boards import OVERALL, track_asked
from leaderboard.web.installation import public_task, site
from leaderboard.web.resources import is_published

blueprint = Blueprint("final_standings", __name__)


@blueprint.get("/tasks/<task>/final")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """The standing on the private part beside that on the public one, once it is revealed."""
    spec, found, has_resource = _found(task)
    return unchanged(spec, found, has_resource) or page(
        "final_standings/show.html",
        spec,
        found,
        has_resource,
        spec=spec,
        found=found,
        has_resource=has_resource,
        overall=OVERALL,
        mean_rank_digits=exports.MEAN_RANK_DIGITS,
    )


@blueprint.get("/tasks/<task>/final.<any(csv, json):ending>")
@allow(EVERYBODY)
def download(task: str, ending: str) -> Response:
    """The same as a file; not found before it is revealed."""
    spec, found, _ = _found(task)
    if found.why_none is not None:
        abort(404)
    text = final_exports.as_csv(spec, found) if ending == "csv" else final_exports.as_json(spec, found)
    response = Response(text, mimetype="text/csv" if ending == "csv" else "application/json")
    name = f"{spec.name}-{found.track or OVERALL}-{found.phase.name}-final.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)
    response.make_conditional(request)
    return response


def _found(task: str) -> tuple[TaskSpec, FinalStanding, bool]:
    with site().database.reading() as session:
        spec = public_task(session, task)
        asked = request.args
        try:
            found = final_standings.show(
                session, spec, track_asked(spec, asked.get("track")), asked.get("phase"), utc_now()
            )
        except NoBoard:
            abort(404)
        return spec, found, is_published(session, spec)
