"""A team's own runs: one, two beside each other, and what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.plots import Plot
from leaderboard.services import gold, queue_pages, run_actions, run_pages, run_plots, scoring_jobs, team_runs
from leaderboard.services.errors import ServiceError
from leaderboard.services.methods import MethodRefused
from leaderboard.services.run_pages import PerTopic
from leaderboard.services.run_results import TrackResult
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.team_runs import TeamRun
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.figures import download, figure
from leaderboard.web.filters import told
from leaderboard.web.forms.runs import ActionForm, EditForm
from leaderboard.web.installation import public_task, site
from leaderboard.web.kept_files import PRIVATE, kept_file
from leaderboard.web.own_team import OWN_TEAM, own_team
from leaderboard.web.resources import is_published

blueprint = Blueprint(
    "team_runs", __name__, url_prefix="/tasks/<task>/team/runs/<int(max=2147483647):run_id>"
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn topic by topic: the track and measure that the address names, or the first."""

    track: TrackSpec
    measure: str
    measures: tuple[str, ...]
    tracks: tuple[TrackSpec, ...]


@blueprint.get("")
@allow(OWN_TEAM)
def show(task: str, run_id: int) -> Response:
    """A run with all its team may know of it."""
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        drawn = _drawn(spec, run)
        plot = _topics(session, spec, run, drawn)
        has_resource = is_published(session, spec)
        waits = run.page.summary.state == "received"
        waiting = queue_pages.place_of(session, run_id, utc_now()) if waits else None
        can_score = not waits or gold.scores_now(session, spec)
    return _page(
        "team_runs/show.html",
        spec=spec,
        run=run,
        waiting=waiting,
        can_score=can_score,
        results=_by_track(run),
        earlier={
            track.name: [r for r in run.page.results if r.track == track.name and not r.active]
            for track in spec.tracks
        },
        drawn=drawn,
        figure=figure(plot),
        has_resource=has_resource,
        button=ActionForm(formdata=None),
    )


@blueprint.get("/topics.<ending>")
@allow(OWN_TEAM)
def topics(task: str, run_id: int, ending: str) -> Response:
    """The plot by topics as SVG, PDF or CSV."""
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        drawn = _drawn(spec, run)
        plot = _topics(session, spec, run, drawn)
    return download(plot, ending, f"{spec.name}-run-{run_id}-topics-{drawn.track.name if drawn else ''}")


@blueprint.get("/compare/<int(max=2147483647):other_id>")
@allow(OWN_TEAM)
def compare(task: str, run_id: int, other_id: int) -> Response:
    """Two runs of the team beside each other."""
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        _, other = _found(session, task, other_id)
        has_resource = is_published(session, spec)
    drawn = _drawn(spec, run)
    return _page(
        "team_runs/compare.html",
        spec=spec,
        run=run,
        other=other,
        results=[_by_track(each) for each in (run, other)],
        drawn=drawn,
        figure=figure(_differences(run, other, drawn)),
        has_resource=has_resource,
    )


@blueprint.get("/compare")
@allow(OWN_TEAM)
def choose_other(task: str, run_id: int) -> AnyResponse:
    """From the list of runs to compare with, to the comparison."""
    other = request.args.get("with", "")
    if not (other.isascii() and other.isdigit() and len(other) < 10):
        abort(404)
    return redirect(url_for("team_runs.compare", task=task, run_id=run_id, other_id=int(other)))


@blueprint.get("/compare/<int(max=2147483647):other_id>/topics.<ending>")
@allow(OWN_TEAM)
def differences(task: str, run_id: int, other_id: int, ending: str) -> Response:
    """The plot of the differences as SVG, PDF or CSV."""
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        _, other = _found(session, task, other_id)
    plot = _differences(run, other, _drawn(spec, run))
    return download(plot, ending, f"{spec.name}-runs-{run_id}-{other_id}")


@blueprint.get("/file")
@allow(OWN_TEAM)
def file(task: str, run_id: int) -> Response:
    """The file as it was sent."""
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        path = run_pages.path_of(session, site().files, spec, run_id)
    return kept_file(path, run.page.file_name, run.page.summary.file_hash, PRIVATE)


@blueprint.get("/edit")
@allow(OWN_TEAM)
def edit(task: str, run_id: int) -> Response:
    """The form for a run's words."""
    with site().database.reading() as session:
        _, run = _found(session, task, run_id)
    form = EditForm(
        formdata=None,
        name=run.page.summary.name,
        description=run.page.description,
        obj=run.page.method,
    )
    return _edit_page(task, run_id, form)


@blueprint.post("/edit")
@allow(OWN_TEAM)
def save(task: str, run_id: int) -> AnyResponse:
    """Gives a run other words."""
    form = EditForm()
    if not form.validate_on_submit():
        return _edit_page(task, run_id, form, 422)
    try:
        with site().database.writing() as session:
            spec = public_task(session, task)
            run_actions.describe(session, spec, own_team().team_id, run_id, form.wanted)
    except MethodRefused as error:
        form.form_errors.append(told(error.message))
        return _edit_page(task, run_id, form, 422)
    flash(gettext("Saved."), "success")
    return redirect(url_for("team_runs.show", task=task, run_id=run_id), 303)


@blueprint.post(
    "/<any('set-aside', withdraw, restore, choose, unchoose, count, 'put-forward', 'hold-back'):action>"
)
@allow(OWN_TEAM)
def act(task: str, run_id: int, action: str) -> AnyResponse:
    """Does what moves the ranking, while that is allowed."""
    do, done = _actions()[action]

    def change(session: Session, spec: TaskSpec) -> None:
        version = site().scorer(spec).VERSION
        do(session, spec, version, own_team().team_id, run_id, uploads.arrived_at())

    return _do(task, run_id, change, done)


@blueprint.post("/score-again")
@allow(OWN_TEAM)
def score_again(task: str, run_id: int) -> AnyResponse:
    """Has a run scored once more whose scoring failed."""

    def change(session: Session, spec: TaskSpec) -> None:
        now = utc_now()
        run_actions.score_again(session, spec, own_team().team_id, run_id, now)
        scoring_jobs.request(session, spec.name, run_id, now, site().jobs.deliver)

    return _do(task, run_id, change, gettext("The run waits to be scored again."))


def _actions() -> Mapping[str, tuple[Callable[..., None], str]]:
    return {
        "withdraw": (run_actions.withdraw, gettext("The run is withdrawn. You can restore it.")),
        "restore": (run_actions.restore, gettext("The run is back.")),
        "choose": (run_actions.choose, gettext("This run counts for your team now.")),
        "unchoose": (run_actions.unchoose, gettext("The last submitted run counts for your team now.")),
        "count": (run_actions.count, gettext("The run counts for the ranking now.")),
        "put-forward": (run_actions.put_forward, gettext("This run is put forward for the final standing.")),
        "hold-back": (run_actions.hold_back, gettext("This run is held back from the final standing.")),
        "set-aside": (run_actions.compare, gettext("The run is for comparison only now.")),
    }


def _do(task: str, run_id: int, change: Callable[[Session, TaskSpec], None], done: str) -> AnyResponse:
    try:
        with site().database.writing() as session:
            change(session, public_task(session, task))
    except UnknownRun:
        abort(404)
    except ServiceError as error:
        flash(told(error.message), "error")
    else:
        flash(done, "success")
    return redirect(url_for("team_runs.show", task=task, run_id=run_id), 303)


def _found(session: Session, task: str, run_id: int) -> tuple[TaskSpec, TeamRun]:
    spec = public_task(session, task)
    return spec, team_runs.show(session, spec, own_team().team_id, run_id, utc_now())


def _drawn(spec: TaskSpec, run: TeamRun) -> Drawn | None:
    tracks = tuple(track for track in spec.tracks if track.name in run.per_topic)
    if not tracks:
        return None
    names = [track.name for track in tracks]
    name = request.args.get("track", names[0])
    if name not in names:
        abort(404)
    track = spec.track(name)
    measures = tuple(m for m in track.measures if m in run.per_topic[name].values)
    measure = request.args.get("measure", track.primary if track.primary in measures else measures[0])
    if measure not in measures:
        abort(404)
    return Drawn(track, measure, measures, tracks)


def _topics(session: Session, spec: TaskSpec, run: TeamRun, drawn: Drawn | None) -> Plot | None:
    if drawn is None:
        return None
    field = team_runs.topic_field(session, spec, run, drawn.track, drawn.measure)
    own = run.per_topic[drawn.track.name]
    return run_plots.topics(drawn.track, drawn.measure, own, field, run.page.summary.name)


def _differences(run: TeamRun, other: TeamRun, drawn: Drawn | None) -> Plot | None:
    if drawn is None or drawn.track.name not in other.per_topic:
        return None
    pair: tuple[PerTopic, PerTopic] = (run.per_topic[drawn.track.name], other.per_topic[drawn.track.name])
    names = (run.page.summary.name, other.page.summary.name)
    if names[0] == names[1]:
        names = (f"{names[0]} ({run.page.summary.run_id})", f"{names[1]} ({other.page.summary.run_id})")
    return run_plots.differences(drawn.track, drawn.measure, *pair, names)


def _by_track(run: TeamRun) -> dict[str, TrackResult]:
    return {result.track: result for result in run.page.results if result.active}


def _edit_page(task: str, run_id: int, form: EditForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        spec, run = _found(session, task, run_id)
        has_resource = is_published(session, spec)
    return _page("team_runs/edit.html", code, spec=spec, run=run, form=form, has_resource=has_resource)


def _page(template: str, code: int = 200, **context: object) -> Response:
    response = make_response(render_template(template, team=own_team(), now=utc_now(), **context), code)
    response.headers["Cache-Control"] = "no-store"
    return response
