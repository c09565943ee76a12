"""The campaigns of a task: their list, the form that makes one, and the page of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response, flash
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import judging, judging_imports, judging_pages, judging_previews, judging_tables
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_pages import View
from leaderboard.services.judging_plans import UnknownCampaign
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.campaigns import CampaignForm, FileForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.judging.shared import ONE, back, blueprint, campaign, campaign_page, plain_file
from leaderboard.web.organise.pages import organise_page, progress_answer, task_named
from leaderboard.web.own_team import actor

_STEPS: Mapping[str, Callable[..., None]] = {
    "open": judging.open_,
    "pause": judging.pause,
    "finish": judging.finish,
}


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """All campaigns of the task, with how far each is."""
    spec = task_named(task)
    with site().database.reading() as session:
        found = [
            (view, judging_pages.progress(session, spec, view.number))
            for view in judging_pages.listing(session, spec)
        ]
    return organise_page("organise/judging/index.html", spec, campaigns=found)


@blueprint.get("/new")
@allow(ORGANISER)
def new(task: str) -> Response:
    """The form of a campaign."""
    spec = task_named(task)
    return _form_page(spec, None, CampaignForm().offer(spec))


@blueprint.post("/new")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Makes a campaign, and leads to it."""
    spec = task_named(task)
    form = CampaignForm().offer(spec)
    if not form.validate_on_submit():
        return _form_page(spec, None, form, 422)
    try:
        with site().database.writing() as session:
            number = judging.create(session, spec, form.wanted(), actor(), utc_now())
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _form_page(spec, None, form, 422)
    flash(gettext("The campaign is made. Now it needs something to judge."), "success")
    return back("one", task, number)


@blueprint.get(f"{ONE}/edit")
@allow(ORGANISER)
def edit(task: str, number: int) -> Response:
    """The form of a campaign with what it is now."""
    spec, view = campaign(task, number)
    form = CampaignForm().offer(spec)
    form.fill(view)
    return _form_page(spec, view, form)


@blueprint.post(f"{ONE}/edit")
@allow(ORGANISER)
def change(task: str, number: int) -> AnyResponse:
    """Changes a campaign."""
    spec, view = campaign(task, number)
    form = CampaignForm().offer(spec)
    if not form.validate_on_submit():
        return _form_page(spec, view, form, 422)
    try:
        with site().database.writing() as session:
            judging.change(session, spec, number, form.wanted(), actor(), utc_now())
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _form_page(spec, view, form, 422)
    flash(gettext("The campaign is changed."), "success")
    return back("one", task, number)


@blueprint.get(ONE)
@allow(ORGANISER)
def one(task: str, number: int) -> Response:
    """A campaign: how far it is and what it has cost; before it opens, what it needs and will take."""
    spec, view = campaign(task, number)
    with site().database.reading() as session:
        progress = judging_pages.progress(session, spec, number)
        preview = judging_previews.preview(session, spec, number)
        topics = judging_previews.topics(session, spec, number)
        imports = judging_imports.imports(session, spec, number)
    return campaign_page(
        "one",
        spec,
        view,
        progress=progress,
        preview=preview,
        topics=[topic for topic in topics if topic.name],
        imports=imports,
        form=FileForm(formdata=None),
    )


@blueprint.get(f"{ONE}/progress")
@allow(ORGANISER)
def progress(task: str, number: int) -> Response:
    """How far a campaign is, for the script of its page."""
    spec, view = campaign(task, number)
    with site().database.reading() as session:
        now = judging_pages.progress(session, spec, number)
    return progress_answer(view.state, view.state == "open", now.decisive, now.expected)


@blueprint.get(f"{ONE}/topics.csv")
@allow(ORGANISER)
def topics_file(task: str, number: int) -> Response:
    """How far each topic is, as CSV."""
    spec, _ = campaign(task, number)
    with site().database.reading() as session:
        found = judging_previews.topics(session, spec, number)
    return plain_file(f"campaign-{number}-topics.csv", judging_tables.topics(found))


@blueprint.post(f"{ONE}/<any(open, pause, finish):step>")
@allow(ORGANISER)
def move(task: str, number: int, step: str) -> AnyResponse:
    """Opens, pauses or finishes a campaign."""
    spec = task_named(task)
    try:
        with site().database.writing() as session:
            _STEPS[step](session, spec, number, actor(), utc_now())
    except UnknownCampaign:
        raise
    except ServiceError as refused:
        flash(told(refused.message), "error")
    else:
        words = {
            "open": gettext("The campaign is open: judges can begin."),
            "pause": gettext("The campaign is paused. What judges have may still be answered."),
            "finish": gettext("The campaign is finished."),
        }
        flash(words[step], "success")
    return back("one", task, number)


def _form_page(spec: TaskSpec, view: View | None, form: CampaignForm, code: int = 200) -> Response:
    return organise_page("organise/judging/form.html", spec, code, campaign=view, form=form)
