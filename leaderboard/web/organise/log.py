"""The log of a task: who did what to what."""

from __future__ import annotations

from flask import Blueprint, Response

from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.organise import logs
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named

blueprint = Blueprint("task_log", __name__, url_prefix=f"{ORGANISE}/log")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The lines that the address asks for."""
    spec = task_named(task)
    return organise_page("organise/log.html", spec, **logs.listing(spec.name))


@blueprint.get("/log.<ending>")
@allow(ORGANISER)
def export(task: str, ending: str) -> Response:
    """The same lines, all of them, as CSV or JSON Lines."""
    return logs.export(task_named(task).name, ending, task)
