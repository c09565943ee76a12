"""The page where a team submits a run."""

from __future__ import annotations

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask_babel import gettext
from werkzeug.http import http_date
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import Report
from leaderboard.services import allowances, phases, submissions
from leaderboard.services.errors import ServiceError
from leaderboard.services.runs import NameRefused, RunRemoved, Submission
from leaderboard.services.submissions import Doing, EmptyFile, NoSlot, Upload
from leaderboard.services.teams import NotInTheTeam
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.runs import SubmitForm
from leaderboard.web.installation import public_task, site
from leaderboard.web.own_team import OWN_TEAM, me, own_team
from leaderboard.web.resources import is_published

blueprint = Blueprint("submissions", __name__, url_prefix="/tasks/<task>/submit")

FILE = "file"
"""What the form calls the file."""

OFFERED = ".run,.csv,.tsv,.txt,.gz,.zip"
"""What a browser offers first when a file is chosen; others can be chosen too."""


@blueprint.get("")
@allow(OWN_TEAM)
def new(task: str) -> Response:
    """The form, with what the team may still send."""
    return _page(task, SubmitForm())


@blueprint.post("")
@allow(OWN_TEAM)
def submit(task: str) -> AnyResponse:
    """Takes a run; leads to its page, or says every fault and keeps what was typed."""
    form = SubmitForm()
    draft = uploads.draft_of(request.files.get(FILE))
    if not form.validate_on_submit():
        return _page(task, form, 422)
    if draft is None:
        return _page(task, form, 422, refused=EmptyFile())
    with site().database.reading() as session:
        spec = public_task(session, task)
    name = request.files[FILE].filename or ""
    upload = Upload(draft, name, me().user_id, uploads.arrived_at(), form.details)
    doing = Doing(now=site().jobs.run, later=site().jobs.deliver)
    try:
        submission = submissions.submit(
            site().transactions, site().files, spec, site().scorer(spec), upload, utc_now, doing
        )
    except NoSlot as error:
        return _no_slot(task, form, error)
    except NameRefused as error:
        form.name.errors = [told(error.message)]
        return _page(task, form, 422)
    except (EmptyFile, NotInTheTeam, RunRemoved) as error:
        return _page(task, form, 422, refused=error)
    if submission.state == "rejected":
        return _page(task, form, 422, report=submission.report)
    _tell(submission)
    return redirect(url_for("team_runs.show", task=task, run_id=submission.run_id), 303)


def _tell(submission: Submission) -> None:
    if submission.again and submission.withdrawn:
        flash(
            gettext("Your team sent this very file before and withdrew it. Here it is; you can restore it."),
            "info",
        )
    elif submission.again:
        flash(gettext("Your team sent this very file before. Here is its run; it cost you nothing."), "info")
    elif submission.late:
        flash(
            gettext(
                "The file is accepted. It came after the phase had closed and does not move its ranking."
            ),
            "info",
        )
    else:
        flash(gettext("The file is accepted."), "success")


def _no_slot(task: str, form: SubmitForm, error: NoSlot) -> Response:
    response = _page(task, form, 429, refused=error)
    if error.quota.next_slot is not None:
        response.headers["Retry-After"] = http_date(error.quota.next_slot)
    return response


def _page(
    task: str,
    form: SubmitForm,
    code: int = 200,
    *,
    report: Report | None = None,
    refused: ServiceError | None = None,
) -> Response:
    now = utc_now()
    with site().database.reading() as session:
        spec = public_task(session, task)
        state = submissions.state(session, spec, own_team().team_id, now, me().user_id)
        views = phases.listing(session, spec, now)
        allowed = allowances.listing(session, spec, own_team().team_id)
        has_resource = is_published(session, spec)
    phase = next(view for view in views if view.name == state.quota.phase.name)
    response = make_response(
        render_template(
            "submissions/new.html",
            spec=spec,
            form=form,
            team=own_team(),
            state=state,
            phase=phases.of_team(phase, state.quota.phase, now),
            allowed=[each for each in allowed if each.phase == phase.name],
            report=report,
            refused=refused,
            most=uploads.most(),
            now=now,
            file_field=FILE,
            accepted=OFFERED,
            has_resource=has_resource,
        ),
        code,
    )
    response.headers["Cache-Control"] = "no-store"
    return response
