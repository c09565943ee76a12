"""Who organises a task and who judges for it."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import roles
from leaderboard.services.errors import ServiceError
from leaderboard.services.roles import NobodyThere
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organisers import RightForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("organisers", __name__, url_prefix=f"{ORGANISE}/people")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """Who has which right, and the form that gives one."""
    return _page(task_named(task), RightForm())


@blueprint.post("")
@allow(ORGANISER)
def give(task: str) -> AnyResponse:
    """Gives somebody a right on the task."""
    spec, form = task_named(task), RightForm()
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    try:
        with site().database.writing() as session:
            given = roles.give(session, form.email.data or "", form.wanted, spec.name, actor(), utc_now())
    except NobodyThere as error:
        form.form_errors.append(told(error.message))
        return _page(spec, form, 422)
    flash(gettext("%(name)s has the right now.", name=given.name), "success")
    return redirect(url_for("organisers.show", task=task), 303)


@blueprint.post("/<int(max=2147483647):user_id>/<right>/take")
@allow(ORGANISER)
def take(task: str, user_id: int, right: str) -> AnyResponse:
    """Takes a right on the task away."""
    spec = task_named(task)
    if right not in ("organiser", "judge"):
        abort(404)
    try:
        with site().database.writing() as session:
            roles.take(session, user_id, right, spec.name, actor(), utc_now())  # type: ignore[arg-type] # looked at
    except ServiceError as error:
        flash(told(error.message), "error")
    else:
        flash(gettext("The right is taken away."), "success")
    return redirect(url_for("organisers.show", task=task), 303)


def _page(spec: TaskSpec, form: RightForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        found = roles.holders(session, spec.name)
        administrators = roles.holders(session, None)
    return organise_page(
        "organise/people.html", spec, code, form=form, holders=found, administrators=administrators
    )
