"""All runs of a task, for its organisers: the list, one run, and what is done to them."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import moderation, organiser_runs, phases
from leaderboard.services.errors import ServiceError
from leaderboard.services.moderation import Done, Order
from leaderboard.services.organiser_runs import KINDS, MARKS, STATES, Mark, Wanted
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.moderation import WORDS, BulkForm, OrderForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.kept_files import PRIVATE, kept_file
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor
from leaderboard.web.preferences import address_with

blueprint = Blueprint("organiser_runs", __name__, url_prefix=f"{ORGANISE}/runs")

_ONE = "/<int(max=2147483647):run_id>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The runs that the address asks for, and the form that does something to them."""
    return _listing(task_named(task), BulkForm(formdata=None))


@blueprint.post("")
@allow(ORGANISER)
def act_on_many(task: str) -> AnyResponse:
    """Does one thing to the runs that are ticked, or to all that match what the address asks for."""
    spec, form = task_named(task), BulkForm()
    if not form.validate_on_submit():
        return _listing(spec, form, 422)
    try:
        done = _order(spec, form, _ticked(spec, form))
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _listing(spec, form, 422)
    _tell(done)
    return redirect(address_with(), 303)


@blueprint.get(_ONE)
@allow(ORGANISER)
def one(task: str, run_id: int) -> Response:
    """Everything about a run."""
    return _one(task_named(task), run_id, OrderForm(formdata=None))


@blueprint.post(_ONE)
@allow(ORGANISER)
def act(task: str, run_id: int) -> AnyResponse:
    """Does one thing to a run."""
    spec, form = task_named(task), OrderForm()
    if not form.validate_on_submit():
        return _one(spec, run_id, form, 422)
    try:
        done = _order(spec, form, (run_id,))
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _one(spec, run_id, form, 422)
    if done.changed:
        flash(gettext("Done, and written to the log."), "success")
    else:
        flash(gettext("Nothing was changed: the run was so already, or this does not fit it."), "info")
    return redirect(url_for("organiser_runs.one", task=task, run_id=run_id), 303)


@blueprint.get(f"{_ONE}/file")
@allow(ORGANISER)
def file(task: str, run_id: int) -> Response:
    """The file as it was sent."""
    spec = task_named(task)
    with site().database.reading() as session:
        run = organiser_runs.show(session, spec, run_id, utc_now())
        path = organiser_runs.path_of(session, site().files, spec, run_id)
    return kept_file(path, run.page.file_name, run.page.summary.file_hash, PRIVATE)


def _order(spec: TaskSpec, form: OrderForm, run_ids: tuple[int, ...]) -> Done:
    order = Order(form.wanted, actor(), form.reason.data or "")
    version = site().scorer(spec).VERSION
    with site().database.writing() as session:
        return moderation.carry_out(session, spec, version, run_ids, order, utc_now(), site().jobs.deliver)


def _ticked(spec: TaskSpec, form: BulkForm) -> tuple[int, ...]:
    """The runs that are meant. Raises ServiceError where that is not clear."""
    if form.everything.data:
        with site().database.reading() as session:
            found = organiser_runs.matching(session, spec, _wanted(spec))
        moderation.require_number(found, form.matching.data or "")
        return found
    ticked = request.form.getlist("run")
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in ticked):
        abort(400)
    return moderation.require_some(tuple(int(number) for number in ticked))


def _tell(done: Done) -> None:
    if done.changed:
        flash(
            ngettext(
                "%(num)s run changed, and written to the log.",
                "%(num)s runs changed, and written to the log.",
                len(done.changed),
            ),
            "success",
        )
    if done.unchanged:
        flash(
            ngettext(
                "%(num)s run stays as it was: it was so already, or this does not fit it.",
                "%(num)s runs stay as they were: they were so already, or this does not fit them.",
                len(done.unchanged),
            ),
            "info",
        )


def _listing(spec: TaskSpec, form: BulkForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        found = organiser_runs.listing(session, spec, _wanted(spec))
        views = phases.listing(session, spec, utc_now())
    form.matching.data = str(found.total)
    return organise_page(
        "organise/runs/index.html",
        spec,
        code,
        form=form,
        listing=found,
        wanted=found.wanted,
        phases=views,
        states=STATES,
        kinds=KINDS,
        marks=MARKS,
        ticked=request.form.getlist("run"),
    )


def _one(spec: TaskSpec, run_id: int, form: OrderForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        run = organiser_runs.show(session, spec, run_id, utc_now())
        views = phases.listing(session, spec, utc_now())
    phase = next(view for view in views if view.name == run.page.summary.phase)
    return organise_page("organise/runs/one.html", spec, code, run=run, phase=phase, form=form, words=WORDS)


def _wanted(spec: TaskSpec) -> Wanted:
    """What the address asks for; a word it may not hold is not found."""
    asked = request.args
    state, kind, mark = asked.get("state", ""), asked.get("kind", ""), asked.get("mark", "")
    sort, order = asked.get("sort", "submitted"), asked.get("order", "desc")
    team, page = asked.get("team", ""), asked.get("page", "1")
    known = (
        state in ("", *STATES)
        and kind in ("", *KINDS)
        and mark in MARKS
        and sort in organiser_runs.sorts(spec)
        and order in ("asc", "desc")
        and all(word.isascii() and word.isdigit() and len(word) < 10 for word in (team or "0", page))
    )
    if not known:
        abort(404)
    return Wanted(
        team=int(team) if team else None,
        phase=asked.get("phase", ""),
        state=state,
        kind=kind,
        mark=cast(Mark, mark),
        text=asked.get("text", ""),
        sort=sort,
        descending=order == "desc",
        page=max(1, int(page)),
    )
