"""How a task stands, at a glance: the first page of its organisers."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.plots import Plot
from leaderboard.services import dashboard, dashboard_plots, health
from leaderboard.site import utc_now
from leaderboard.web import figures
from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named

blueprint = Blueprint("dashboard", __name__, url_prefix=ORGANISE)


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """Everything at a glance."""
    spec = task_named(task)
    track = _track(spec)
    now = utc_now()
    with site().database.reading() as session:
        found = dashboard.show(session, spec, now)
        parts = health.parts(session, site().files, now)
        runs = dashboard_plots.runs_over_time(session, spec)
        best = dashboard_plots.best_over_time(session, spec, track)
    return organise_page(
        "organise/dashboard/show.html",
        spec,
        found=found,
        parts=parts,
        track=track,
        runs=figures.figure(runs),
        best=figures.figure(best),
    )


@blueprint.get("/now")
@allow(ORGANISER)
def now(task: str) -> Response:
    """The part of the page that changes, for the script that keeps it up to date."""
    spec, moment = task_named(task), utc_now()
    with site().database.reading() as session:
        found = dashboard.show(session, spec, moment)
        parts = health.parts(session, site().files, moment)
    body = render_template("organise/dashboard/now.html", spec=spec, found=found, parts=parts, now=moment)
    response = make_response(body)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/over-time/<what>.<ending>")
@allow(ORGANISER)
def over_time(task: str, what: str, ending: str) -> Response:
    """A plot as SVG, PDF or CSV."""
    spec = task_named(task)
    if what not in ("runs", "best"):
        abort(404)
    with site().database.reading() as session:
        plot = _plot(session, spec, what)
    return figures.download(plot, ending, f"{spec.name}-{what}-over-time")


def _plot(session: Session, spec: TaskSpec, what: str) -> Plot | None:
    if what == "runs":
        return dashboard_plots.runs_over_time(session, spec)
    return dashboard_plots.best_over_time(session, spec, _track(spec))


def _track(spec: TaskSpec) -> TrackSpec:
    asked = request.args.get("track")
    if asked is None:
        return spec.tracks[0]
    return next((track for track in spec.tracks if track.name == asked), None) or abort(404)
