"""What single teams are allowed beyond what a phase allows."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse
from wtforms.fields.choices import SelectChoice

from leaderboard.services import allowances, phase_settings
from leaderboard.services.allowances import BadAllowance
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import text, told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.allowances import AllowanceForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, declared_task, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("allowances", __name__, url_prefix=f"{ORGANISE}/allowances")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """What was given to whom, and the form that gives."""
    return _page(task, _form(task))


@blueprint.post("")
@allow(ORGANISER)
def give(task: str) -> AnyResponse:
    """Allows a team something."""
    form = _form(task)
    if not form.validate_on_submit():
        return _page(task, form, 422)
    declared = declared_task(task)
    try:
        with site().database.writing() as session:
            allowances.give(
                session,
                declared,
                site().scorer(declared).VERSION,
                form.team.data,
                form.phase.data,
                form.grant,
                form.reason.data or "",
                actor(),
                utc_now(),
            )
    except BadAllowance as error:
        if error.field in form:
            form[error.field].errors = [told(error.message)]
        else:
            form.form_errors.append(told(error.message))
        return _page(task, form, 422)
    flash(gettext("The team may do that now; it reads so where it submits."), "success")
    return redirect(url_for("allowances.show", task=task), 303)


@blueprint.post("/<int(max=2147483647):allowance_id>/take")
@allow(ORGANISER)
def take(task: str, allowance_id: int) -> AnyResponse:
    """Takes an allowance back."""
    declared = declared_task(task)
    if Confirm().validate_on_submit():
        with site().database.writing() as session:
            version = site().scorer(declared).VERSION
            allowances.take(session, declared, version, allowance_id, actor(), utc_now())
        flash(gettext("The allowance is taken back."), "success")
    return redirect(url_for("allowances.show", task=task), 303)


def _form(task: str) -> AllowanceForm:
    form, spec = AllowanceForm(), task_named(task)
    with site().database.reading() as session:
        teams = allowances.teams(session, spec)
        phases = phase_settings.listing(session, spec)
    form.team.choices = [SelectChoice(str(team_id), name) for team_id, name in teams]
    form.phase.choices = [
        SelectChoice(each.phase.name, text(each.phase.title)) for each in phases if not each.taken_away
    ]
    return form


def _page(task: str, form: AllowanceForm, code: int = 200) -> Response:
    spec = task_named(task)
    with site().database.reading() as session:
        given = allowances.listing(session, spec)
    return organise_page("organise/allowances.html", spec, code, form=form, given=given)
