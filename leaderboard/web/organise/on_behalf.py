"""The page where an organiser submits a run for a team."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import Report, TaskSpec
from leaderboard.services import on_behalf, team_moderation
from leaderboard.services.errors import ServiceError
from leaderboard.services.on_behalf import Upload
from leaderboard.services.submissions import Doing, EmptyFile
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import OnBehalfForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("on_behalf", __name__, url_prefix=f"{ORGANISE}/submit")

FILE = "file"
"""What the form calls the file."""


@blueprint.get("")
@allow(ORGANISER)
def new(task: str) -> Response:
    """The form."""
    spec = task_named(task)
    form = _offered(spec, OnBehalfForm(formdata=None))
    team = request.args.get("team", "")
    if team.isascii() and team.isdigit():
        form.team.data = int(team)
    return _page(spec, form)


@blueprint.post("")
@allow(ORGANISER)
def submit(task: str) -> AnyResponse:
    """Takes a run for a team; leads to its page, or says every fault."""
    spec = task_named(task)
    form = _offered(spec, OnBehalfForm())
    draft = uploads.draft_of(request.files.get(FILE))
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    if draft is None:
        form.form_errors.append(told(EmptyFile().message))
        return _page(spec, form, 422)
    upload = Upload(
        draft,
        request.files[FILE].filename or "",
        form.team.data,
        uploads.arrived_at(),
        replace(form.details, submitted_at=form.moment),
        bool(form.within_limits.data),
    )
    doing = Doing(now=site().jobs.run, later=site().jobs.deliver)
    scorer = site().scorer(spec)
    try:
        submission = on_behalf.submit(
            site().transactions, site().files, spec, scorer, upload, actor(), utc_now, doing
        )
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _page(spec, form, 422)
    if submission.state == "rejected":
        return _page(spec, form, 422, submission.report)
    if submission.again:
        flash(gettext("The team had sent this very file before. Here is its run."), "info")
    else:
        flash(gettext("The file is accepted."), "success")
    return redirect(url_for("organiser_runs.one", task=task, run_id=submission.run_id), 303)


def _offered(spec: TaskSpec, form: OnBehalfForm) -> OnBehalfForm:
    with site().database.reading() as session:
        teams = team_moderation.listing(session, spec, utc_now())
    return form.offer(tuple((team.team_id, team.name) for team in teams if not team.gone))


def _page(spec: TaskSpec, form: OnBehalfForm, code: int = 200, report: Report | None = None) -> Response:
    return organise_page(
        "organise/on_behalf.html", spec, code, form=form, report=report, file_field=FILE, most=uploads.most()
    )
