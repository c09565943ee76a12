"""What waits for a task, for its organisers."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import moderation, queue_pages
from leaderboard.services.moderation import Order
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("task_queue", __name__, url_prefix=f"{ORGANISE}/queue")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """Jobs that wait or run, what failed, and who works."""
    spec = task_named(task)
    with site().database.reading() as session:
        found = queue_pages.show(session, spec, utc_now())
    return organise_page("organise/queue.html", spec, found=found)


@blueprint.post("/runs/<int(max=2147483647):run_id>/again")
@allow(ORGANISER)
def again(task: str, run_id: int) -> AnyResponse:
    """Has a run scored once more whose scoring failed."""
    spec, order = task_named(task), Order("score-again", actor(), "")
    version = site().scorer(spec).VERSION
    with site().database.writing() as session:
        moderation.carry_out(session, spec, version, (run_id,), order, utc_now(), site().jobs.deliver)
    flash(gettext("The run waits to be scored again."), "success")
    return redirect(url_for("task_queue.show", task=task), 303)
