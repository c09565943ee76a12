"""What became of a campaign: its files, and drafts of the benchmark, also from what was judged elsewhere."""

from __future__ import annotations

from flask import Response, abort, redirect, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import FormatError, TaskSpec
from leaderboard.services import judging_releases, judging_results
from leaderboard.services.drafts import Made
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_pages import View
from leaderboard.services.judging_plans import CampaignRefused
from leaderboard.services.judging_results import Results
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.campaigns import ReleaseForm, ResultForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.judging.shared import (
    ONE,
    Sent,
    blueprint,
    campaign,
    campaign_page,
    named,
    plain_file,
    sent_file,
)
from leaderboard.web.organise.pages import organise_page, task_named
from leaderboard.web.own_team import actor


@blueprint.get(f"{ONE}/results")
@allow(ORGANISER)
def results(task: str, number: int) -> Response:
    """The files of a campaign, what was left out and why, and the button that makes a draft."""
    return _page(*campaign(task, number))


@blueprint.get(f"{ONE}/results/<name>")
@allow(ORGANISER)
def result_file(task: str, number: int, name: str) -> Response:
    """One of the files; none that holds grades of the hidden benchmark."""
    spec, _ = campaign(task, number)
    try:
        content = _results(spec, number).open_files.get(name)
    except CampaignRefused:
        content = None
    if content is None:
        abort(404)
    return plain_file(name, content)


@blueprint.post(f"{ONE}/results/draft")
@allow(ORGANISER)
def draft(task: str, number: int) -> AnyResponse:
    """Makes a draft of the benchmark from a file of the campaign, and leads to its review."""
    spec, view = campaign(task, number)
    form = ResultForm().offer(_results(spec, number).gold)
    if not form.validate_on_submit():
        return _page(spec, view, form, 422)
    scorer = site().scorer(spec)
    try:
        with site().database.writing() as session:
            made = judging_results.draft(
                session,
                site().files,
                spec,
                scorer,
                number,
                form.note.data or "",
                actor(),
                utc_now(),
                file=form.file.data,
                deliver=site().jobs.deliver,
            )
    except FormatError as faulty:
        return _page(spec, view, form, 422, faulty)
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _page(spec, view, form, 422)
    return _review(task, made)


@blueprint.get("/release")
@allow(ORGANISER)
def release(task: str) -> Response:
    """The form for what was judged elsewhere."""
    spec = task_named(task)
    return _release_page(spec, ReleaseForm().offer(spec))


@blueprint.post("/release")
@allow(ORGANISER)
def take_release(task: str) -> AnyResponse:
    """Makes a draft of a file of preferences or of a benchmark, and leads to its review."""
    spec = task_named(task)
    form = ReleaseForm().offer(spec)
    if not form.validate_on_submit():
        return _release_page(spec, form, 422)
    sent = sent_file()
    try:
        with site().database.writing() as session:
            made = _draft_of(session, spec, form, sent)
    except FormatError as faulty:
        return _release_page(spec, form, 422, named(faulty, sent))
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _release_page(spec, form, 422)
    return _review(task, made)


def _draft_of(session: Session, spec: TaskSpec, form: ReleaseForm, sent: Sent) -> Made:
    note = form.note.data or sent.name
    parts = (session, site().files, spec, site().scorer(spec), form.track.data)
    now, deliver = utc_now(), site().jobs.deliver
    if form.kind.data == "gold":
        return judging_releases.draft_from_gold(*parts, sent.path, note, actor(), now, deliver)
    numbers = (form.k.data, form.finalists.data)
    return judging_releases.draft_from_preferences(
        *parts, form.graded.data, sent.path, *numbers, note, actor(), now, deliver
    )


def _review(task: str, made: Made) -> AnyResponse:
    return redirect(url_for("benchmarks.draft", task=task, number=made.number), 303)


def _results(spec: TaskSpec, number: int) -> Results:
    with site().database.reading() as session:
        return judging_results.results(session, site().files, spec, number)


def _page(
    spec: TaskSpec,
    view: View,
    form: ResultForm | None = None,
    code: int = 200,
    faulty: FormatError | None = None,
) -> Response:
    found, why_not = None, None
    try:
        found = _results(spec, view.number)
    except CampaignRefused as refused:
        why_not = refused.message
    return campaign_page(
        "results",
        spec,
        view,
        code,
        results=found,
        why_not=why_not,
        form=form or ResultForm(formdata=None).offer(found.gold if found else ()),
        faulty=faulty,
    )


def _release_page(
    spec: TaskSpec, form: ReleaseForm, code: int = 200, faulty: FormatError | None = None
) -> Response:
    return organise_page(
        "organise/judging/release.html", spec, code, form=form, faulty=faulty, most=uploads.most()
    )
