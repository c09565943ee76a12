"""MJ for a task's organisers: what would go in, builds as jobs, their results, and what the public sees."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse
from wtforms.fields.choices import SelectChoice

from leaderboard.contract import Message, TaskSpec
from leaderboard.rules import phases_of
from leaderboard.services import boards, job_pages, mj, mj_again, mj_pages, mj_plans
from leaderboard.services.errors import ServiceError
from leaderboard.services.job_pages import JobPage, UnknownJob
from leaderboard.services.mj_pages import Mj, UnknownMj
from leaderboard.services.mj_plans import Plan
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import text, told
from leaderboard.web.forms.archives import BuildForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.kept_files import PRIVATE, kept_file
from leaderboard.web.organise.pages import ORGANISE, organise_page, progress_answer, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("organiser_resources", __name__, url_prefix=f"{ORGANISE}/resources")

_ONE = "/<int(max=2147483647):number>"
_KINDS = (mj.JOB, mj_again.JOB)


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """What a build with the weights of the address would take, and what was built."""
    spec = task_named(task)
    form = _form(spec, BuildForm(request.args))
    if form.weights.data not in dict(form.weights.choices):
        form.weights.data = "rank"
    if form.phase.data not in {choice.value for choice in form.phase.choices}:
        abort(404)
    return _page(spec, form)


@blueprint.post("")
@allow(ORGANISER)
def build(task: str) -> AnyResponse:
    """Leaves a build to the queue."""
    spec = task_named(task)
    form = _form(spec, BuildForm())
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    scorer, wanted = site().scorer(spec), mj.Wanted(form.weights.data, form.phase.data)
    try:
        with site().database.writing() as session:
            mj.request(session, spec, scorer, wanted, utc_now(), site().jobs.deliver, actor())
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _page(spec, form, 422)
    flash(gettext("The build has begun."), "success")
    seen = {"weights": form.weights.data, "phase": form.phase.data}
    return redirect(url_for("organiser_resources.show", task=task, **seen), 303)


@blueprint.get(f"/jobs{_ONE}/progress")
@allow(ORGANISER)
def progress(task: str, number: int) -> Response:
    """How far a job is, for the page that watches it."""
    spec = task_named(task)
    try:
        with site().database.reading() as session:
            job = job_pages.show(session, number)
    except UnknownJob:
        abort(404)
    if job.task != spec.name or job.kind not in _KINDS:
        abort(404)
    at_it = _working(job)
    return progress_answer("working" if at_it else job.state, at_it, job.done, job.total)


@blueprint.get(_ONE)
@allow(ORGANISER)
def one(task: str, number: int) -> Response:
    """A build: its line of the paper's Table 3, what went in, and what came of building it again."""
    spec = task_named(task)
    made = _made(spec, number)
    with site().database.reading() as session:
        jobs = job_pages.listing(session, spec.name, kinds=_KINDS)
    repeats = tuple(job for job in jobs if job.kind == mj_again.JOB and job.arguments.get("number") == number)
    return organise_page(
        "organise/resource.html", spec, mj=made, repeats=repeats, under_way=_under_way(repeats)
    )


@blueprint.get(f"{_ONE}/<any(long, unique):kind>.csv")
@allow(ORGANISER)
def download(task: str, number: int, kind: str) -> Response:
    """One of the two files of a build, published or not."""
    made = _made(task_named(task), number)
    kept = made.long if kind == "long" else made.unique
    path = mj_pages.path_of(site().files, kept)
    return kept_file(path, kept.file_name, kept.file_hash, PRIVATE, "text/csv")


@blueprint.post(f"{_ONE}/publish")
@allow(ORGANISER)
def publish(task: str, number: int) -> AnyResponse:
    """Shows a build to everybody."""
    spec = task_named(task)
    _made(spec, number)
    try:
        with site().database.writing() as session:
            mj_pages.publish(session, spec, number, utc_now(), actor())
    except mj_pages.NotPublishable as refused:
        flash(told(refused.message), "error")
    else:
        flash(gettext("MJ %(number)s is published.", number=number), "success")
    return _back(task, number)


@blueprint.post(f"{_ONE}/unpublish")
@allow(ORGANISER)
def unpublish(task: str, number: int) -> AnyResponse:
    """Shows a build to organisers only."""
    spec = task_named(task)
    _made(spec, number)
    with site().database.writing() as session:
        mj_pages.unpublish(session, spec, number, utc_now(), actor())
    flash(gettext("MJ %(number)s is no longer published.", number=number), "success")
    return _back(task, number)


@blueprint.post(f"{_ONE}/again")
@allow(ORGANISER)
def again(task: str, number: int) -> AnyResponse:
    """Has a build made again from the inputs that were noted with it."""
    spec = task_named(task)
    _made(spec, number)
    with site().database.writing() as session:
        mj_again.request(session, spec, number, actor(), utc_now(), site().jobs.deliver)
    flash(gettext("It is being built again."), "success")
    return _back(task, number)


def _back(task: str, number: int) -> AnyResponse:
    return redirect(url_for("organiser_resources.one", task=task, number=number), 303)


def _made(spec: TaskSpec, number: int) -> Mj:
    try:
        with site().database.reading() as session:
            return mj_pages.of_number(session, spec, number)
    except UnknownMj:
        abort(404)


def _working(job: JobPage) -> bool:
    return job.state in ("waiting", "running")


def _under_way(jobs: tuple[JobPage, ...]) -> JobPage | None:
    return next((job for job in jobs if _working(job)), None)


def _form(spec: TaskSpec, form: BuildForm) -> BuildForm:
    """With the phases there are to choose from; the current one where none is named."""
    form.phase.choices = [SelectChoice(phase.name, text(phase.title)) for phase in phases_of(spec)]
    if form.phase.data is None:
        form.phase.data = boards.current_phase(spec, utc_now())
    return form


def _page(spec: TaskSpec, form: BuildForm, code: int = 200) -> Response:
    plan, why_not = _plan(spec, form.weights.data or "rank", form.phase.data)
    with site().database.reading() as session:
        builds = mj_pages.listing(session, spec)
        jobs = job_pages.listing(session, spec.name, kinds=(mj.JOB,))
    failed = jobs[0] if jobs and jobs[0].state == "failed" else None
    return organise_page(
        "organise/resources.html",
        spec,
        code,
        form=form,
        plan=plan,
        why_not=why_not,
        builds=builds,
        under_way=_under_way(jobs),
        failed=failed,
    )


def _plan(spec: TaskSpec, weights: str, phase: str) -> tuple[Plan | None, Message | None]:
    """What a build would take, or why there can be none."""
    try:
        mj_plans.pair_scorer(spec, site().scorer(spec))
        with site().database.reading() as session:
            return mj_plans.preview(session, spec, weights, phase), None
    except ServiceError as error:
        return None, error.message
