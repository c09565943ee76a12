"""A person's team in a task."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, flash, make_response, redirect, render_template, url_for
from flask import session as cookie
from flask_babel import gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import invitations, memberships, notices, teams
from leaderboard.services.errors import ServiceError
from leaderboard.services.runs import NameRefused
from leaderboard.services.teams import NameTaken, TeamPage
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.teams import InvitationForm, TeamForm
from leaderboard.web.identity import viewer
from leaderboard.web.identity_rules import CAPTAIN, MEMBER, SIGNED_IN
from leaderboard.web.installation import public_task, site
from leaderboard.web.letters import public
from leaderboard.web.resources import is_published

blueprint = Blueprint("teams", __name__, url_prefix="/tasks/<task>/team")

_FRESH = "fresh_invitation"
"""Where the cookie keeps the link of a new invitation until it has been shown, once."""


@blueprint.get("")
@allow(SIGNED_IN)
def show(task: str) -> Response:
    """The team, or the form that makes one."""
    with site().database.reading() as session:
        team = teams.of_person(session, public_task(session, task), _me(), utc_now())
    form = TeamForm(obj=team) if team else TeamForm()
    return _page(task, form, InvitationForm())


@blueprint.post("")
@allow(SIGNED_IN)
def found(task: str) -> AnyResponse:
    """Makes a team."""
    form = TeamForm()
    if _fill(form, task, lambda session, spec: teams.found(session, spec, _me(), form.named, utc_now())):
        flash(gettext("Your team is ready. Invite the others by a link."), "success")
        return redirect(url_for("teams.show", task=task))
    return _page(task, form, InvitationForm(formdata=None), 422)


@blueprint.post("/name")
@allow(CAPTAIN)
def rename(task: str) -> AnyResponse:
    """Takes another name, affiliation or alias."""
    form = TeamForm()
    if _fill(form, task, lambda session, spec: teams.change(session, spec, _me(), form.named)):
        flash(gettext("Saved."), "success")
        return redirect(url_for("teams.show", task=task))
    return _page(task, form, InvitationForm(formdata=None), 422)


@blueprint.post("/leave")
@allow(MEMBER)
def leave(task: str) -> AnyResponse:
    """Leaves the team."""
    return _do(
        task,
        lambda session, spec: memberships.leave(session, spec, _me(), utc_now()),
        gettext("You have left the team. Its runs stay with it."),
    )


@blueprint.post("/members/<int(max=2147483647):user_id>/remove")
@allow(CAPTAIN)
def remove(task: str, user_id: int) -> AnyResponse:
    """Takes somebody out of the team."""
    return _do(
        task,
        lambda session, spec: memberships.remove(session, spec, _me(), user_id, utc_now()),
        gettext("This person is no longer in your team."),
    )


@blueprint.post("/members/<int(max=2147483647):user_id>/captain")
@allow(CAPTAIN)
def hand_over(task: str, user_id: int) -> AnyResponse:
    """Makes another member the captain."""
    return _do(
        task,
        lambda session, spec: memberships.hand_over(session, spec, _me(), user_id),
        gettext("The team has a new captain; you are a member now."),
    )


@blueprint.post("/invitations")
@allow(CAPTAIN)
def invite(task: str) -> AnyResponse:
    """Makes a link by which others join."""
    form = InvitationForm()
    if not form.validate_on_submit():
        return _page(task, None, form, 422)

    def make(session: Session, spec: TaskSpec) -> None:
        cookie[_FRESH] = invitations.make(
            session, spec, _me(), utc_now(), most_uses=form.people.data or 1, lifetime=form.lifetime
        )

    return _do(task, make, "", anchor="invitations")


@blueprint.post("/invitations/<int(max=2147483647):invitation_id>/withdraw")
@allow(CAPTAIN)
def withdraw(task: str, invitation_id: int) -> AnyResponse:
    """Makes a link useless."""
    return _do(
        task,
        lambda session, spec: invitations.withdraw(session, spec, _me(), invitation_id, utc_now()),
        gettext("The invitation is withdrawn. Its link works no more."),
    )


@blueprint.post("/notices")
@allow(MEMBER)
def ask_for_notices(task: str) -> AnyResponse:
    """Has the person told by mail when the team is overtaken."""
    return _choose_notices(task, gettext("We will tell you."), told=True)


@blueprint.post("/notices/end")
@allow(MEMBER)
def end_notices(task: str) -> AnyResponse:
    """Sends the person no such letters any more."""
    return _choose_notices(task, gettext("You get no such letters any more."), told=False)


def _choose_notices(task: str, done: str, *, told: bool) -> AnyResponse:
    return _do(
        task,
        lambda session, spec: notices.choose(session, spec, _me(), told=told),
        done,
        anchor="notices",
    )


def _me() -> int:
    person = viewer()
    if person is None:
        raise RuntimeError("the rule of this view lets only people through who are signed in")
    return person.user_id


def _do(
    task: str, act: Callable[[Session, TaskSpec], None], done: str, anchor: str | None = None
) -> AnyResponse:
    """Does what a button stands for, and says on the team's page what came of it."""
    try:
        with site().database.writing() as session:
            act(session, public_task(session, task))
    except ServiceError as error:
        flash(told(error.message), "error")
    else:
        if done:
            flash(done, "success")
    return redirect(url_for("teams.show", task=task, _anchor=anchor))


def _fill(form: TeamForm, task: str, act: Callable[[Session, TaskSpec], object]) -> bool:
    """Does what a form asks for; puts what is wrong beside its fields and returns False."""
    if not form.validate_on_submit():
        return False
    try:
        with site().database.writing() as session:
            act(session, public_task(session, task))
    except (NameTaken, NameRefused) as error:
        about_alias = error.message.values.get("name") not in (None, _clean(form.name.data))
        field = form.alias if about_alias else form.name
        field.errors = [told(error.message)]
        return False
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return False
    return True


def _clean(name: str | None) -> str:
    return " ".join((name or "").split())


def _page(task: str, form: TeamForm | None, invitation: InvitationForm, code: int = 200) -> Response:
    now = utc_now()
    with site().database.reading() as session:
        spec = public_task(session, task)
        team = teams.of_person(session, spec, _me(), now)
        offers = invitations.listing(session, team.team_id, now) if team and team.leads else ()
        told = notices.wanted(session, spec, _me())
        has_resource = is_published(session, spec)
    response = make_response(
        render_template(
            "teams/show.html" if team else "teams/new.html",
            spec=spec,
            team=team,
            me=_me(),
            form=form or _as_it_is(team),
            invitation=invitation,
            button=Confirm(formdata=None),
            offers=offers,
            told=told,
            fresh=_fresh_link(),
            has_resource=has_resource,
        ),
        code,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _as_it_is(team: TeamPage | None) -> TeamForm:
    return TeamForm(formdata=None, obj=team)


def _fresh_link() -> str | None:
    token = cookie.pop(_FRESH, None)
    return public(url_for("invitations.show", token=token, _external=True)) if token else None
