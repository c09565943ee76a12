"""All runs of a team: a list that is filtered and sorted by its address, the best value over time, CSV."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.services import run_plots, submissions, team_history
from leaderboard.services.team_history import STATES, History, Row, Wanted
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.figures import download, figure
from leaderboard.web.installation import public_task, site
from leaderboard.web.own_team import OWN_TEAM, me, own_team
from leaderboard.web.resources import is_published

blueprint = Blueprint("team_history", __name__, url_prefix="/tasks/<task>/team")


@blueprint.get("/runs")
@allow(OWN_TEAM)
def show(task: str) -> Response:
    """The runs that the address asks for, and how the best value rose."""
    now = utc_now()
    with site().database.reading() as session:
        spec = public_task(session, task)
        wanted = _wanted(spec)
        history = team_history.show(session, spec, own_team().team_id, wanted, now)
        everything = team_history.show(session, spec, own_team().team_id, Wanted(phase=wanted.phase), now)
        state = submissions.state(session, spec, own_team().team_id, now, me().user_id)
        has_resource = is_published(session, spec)
    tracks = run_plots.drawn_tracks(spec, everything.rows)
    track = _track(tracks)
    body = render_template(
        "team_history/show.html",
        spec=spec,
        team=own_team(),
        history=history,
        wanted=wanted,
        states=STATES,
        state=state,
        tracks=tracks,
        track=track,
        figure=figure(run_plots.over_time(track, everything.rows)) if track else None,
        counts=team_history.counts,
        now=now,
        has_resource=has_resource,
    )
    response = make_response(body)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/runs.csv")
@allow(OWN_TEAM)
def csv(task: str) -> Response:
    """The same list as a file, with every value at full precision."""
    spec, history = _asked(task)
    response = Response(team_history.as_csv(spec, history.rows), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{spec.name}-runs.csv"'
    response.headers["Cache-Control"] = "private, no-cache"
    return response


@blueprint.get("/over-time.<ending>")
@allow(OWN_TEAM)
def over_time(task: str, ending: str) -> Response:
    """The plot as SVG, PDF or CSV."""
    spec, history = _asked(task)
    rows: tuple[Row, ...] = history.rows
    track = _track(run_plots.drawn_tracks(spec, rows))
    plot = run_plots.over_time(track, rows) if track else None
    return download(plot, ending, f"{spec.name}-over-time-{track.name if track else ''}")


def _asked(task: str) -> tuple[TaskSpec, History]:
    with site().database.reading() as session:
        spec = public_task(session, task)
        return spec, team_history.show(session, spec, own_team().team_id, _wanted(spec), utc_now())


def _wanted(spec: TaskSpec) -> Wanted:
    """What the address asks for; a word it may not hold is not found."""
    asked = request.args
    state, order = asked.get("state", ""), asked.get("order", "desc")
    sort = asked.get("sort", "submitted")
    known = ("submitted", "name", "state", *(track.name for track in spec.tracks))
    if state not in STATES or order not in ("asc", "desc") or sort not in known:
        abort(404)
    return Wanted(state, asked.get("phase", ""), sort, order == "desc")


def _track(tracks: tuple[TrackSpec, ...]) -> TrackSpec | None:
    """The track whose plot is asked for, or the first that has one."""
    if not tracks:
        return None
    name = request.args.get("track", tracks[0].name)
    return next((track for track in tracks if track.name == name), tracks[0])
