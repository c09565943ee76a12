"""The teams of a task, for its organisers."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, abort, flash, redirect, url_for
from flask_babel import gettext, ngettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import team_merging, team_moderation
from leaderboard.services.errors import ServiceError
from leaderboard.services.team_moderation import UnknownTeam
from leaderboard.site import utc_now
from leaderboard.web import letters
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import LetterForm, MergeForm, ReasonForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("organiser_teams", __name__, url_prefix=f"{ORGANISE}/teams")

_ONE = "/<int(max=2147483647):team_id>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """All teams with their members, runs and what they may still send."""
    spec = task_named(task)
    with site().database.reading() as session:
        found = team_moderation.listing(session, spec, utc_now())
    return organise_page("organise/teams/index.html", spec, teams=found)


@blueprint.get(_ONE)
@allow(ORGANISER)
def one(task: str, team_id: int) -> Response:
    """A team, and what can be done to it."""
    return _one(task_named(task), team_id, LetterForm(formdata=None))


@blueprint.post(f"{_ONE}/letter")
@allow(ORGANISER)
def write(task: str, team_id: int) -> AnyResponse:
    """Writes to the members of a team."""
    spec, form = task_named(task), LetterForm()
    if not form.validate_on_submit():
        return _one(spec, team_id, form, 422)
    subject, body = form.subject.data or "", form.letter.data or ""
    try:
        with site().database.writing() as session:
            if form.is_repeated(session):
                flash(gettext("The letter went out already: the form was sent twice."), "info")
                return redirect(url_for("organiser_teams.one", task=task, team_id=team_id), 303)
            people = team_moderation.letter(session, spec, team_id, subject, body, actor(), utc_now())
            letters.to_team(session, spec, people, subject, body)
    except UnknownTeam:
        abort(404)
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _one(spec, team_id, form, 422)
    flash(
        ngettext("The letter goes to %(num)s person.", "The letter goes to %(num)s people.", len(people)),
        "success",
    )
    return redirect(url_for("organiser_teams.one", task=task, team_id=team_id), 303)


@blueprint.post(f"{_ONE}/delete")
@allow(ORGANISER)
def delete(task: str, team_id: int) -> AnyResponse:
    """Deletes a team, which can be undone."""
    reason = ReasonForm().reason.data or ""

    def change(session: Session, spec: TaskSpec, version: str) -> None:
        team_moderation.delete(session, spec, version, team_id, reason, actor(), utc_now())

    return _do(task, team_id, change, gettext("The team is deleted. You can undo that for 30 days."))


@blueprint.post(f"{_ONE}/undelete")
@allow(ORGANISER)
def undelete(task: str, team_id: int) -> AnyResponse:
    """Brings a deleted team back."""

    def change(session: Session, spec: TaskSpec, version: str) -> None:
        stayed = team_moderation.undelete(session, spec, version, team_id, actor(), utc_now())
        if stayed:
            flash(
                ngettext(
                    "%(num)s person is in another team by now, or gone, and did not come back.",
                    "%(num)s people are in another team by now, or gone, and did not come back.",
                    len(stayed),
                ),
                "info",
            )

    return _do(task, team_id, change, gettext("The team is back."))


@blueprint.post(f"{_ONE}/merge")
@allow(ORGANISER)
def merge(task: str, team_id: int) -> AnyResponse:
    """Joins a team to another one."""
    spec = task_named(task)
    with site().database.reading() as session:
        form = MergeForm().offer(_others(session, spec, team_id))
    if not form.validate_on_submit() or not form.sure.data:
        flash(gettext("Choose a team, and tick that you are sure: this is not undone by a button."), "error")
        return redirect(url_for("organiser_teams.one", task=task, team_id=team_id), 303)

    def change(session: Session, spec: TaskSpec, version: str) -> None:
        moved = team_merging.merge(session, spec, version, team_id, form.target.data, actor(), utc_now())
        if moved.left:
            flash(
                ngettext(
                    "%(num)s run stayed behind: the other team had sent the same file.",
                    "%(num)s runs stayed behind: the other team had sent the same files.",
                    len(moved.left),
                ),
                "info",
            )

    return _do(task, form.target.data, change, gettext("The two teams are one now."))


def _do(task: str, team_id: int, change: Callable[[Session, TaskSpec, str], None], done: str) -> AnyResponse:
    """Makes the change; leads to the page of the team."""
    spec = task_named(task)
    version = site().scorer(spec).VERSION
    try:
        with site().database.writing() as session:
            change(session, spec, version)
    except ServiceError as error:
        # Also where the team is gone by now: the button was clicked twice, or somebody else was first.
        flash(told(error.message), "error")
        return redirect(url_for("organiser_teams.show", task=task), 303)
    flash(done, "success")
    return redirect(url_for("organiser_teams.one", task=task, team_id=team_id), 303)


def _others(session: Session, spec: TaskSpec, team_id: int) -> tuple[tuple[int, str], ...]:
    teams = team_moderation.listing(session, spec, utc_now())
    return tuple((team.team_id, team.name) for team in teams if not team.gone and team.team_id != team_id)


def _one(spec: TaskSpec, team_id: int, form: LetterForm, code: int = 200) -> Response:
    try:
        with site().database.reading() as session:
            team, history = team_moderation.one(session, spec, team_id, utc_now())
            others = _others(session, spec, team_id)
    except UnknownTeam:
        abort(404)
    return organise_page(
        "organise/teams/one.html",
        spec,
        code,
        team=team,
        history=history,
        form=form,
        reason=ReasonForm(formdata=None),
        merging=MergeForm(formdata=None).offer(others) if others else None,
    )
