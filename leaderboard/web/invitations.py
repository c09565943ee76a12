"""The page that a link to a team leads to."""

from __future__ import annotations

from flask import Blueprint, Response, flash, make_response, redirect, render_template, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import Message
from leaderboard.services import invitations
from leaderboard.services.errors import ServiceError
from leaderboard.services.invitations import Invited
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.identity import viewer
from leaderboard.web.identity_rules import SIGNED_IN, remember_place
from leaderboard.web.installation import public_task, site

blueprint = Blueprint("invitations", __name__, url_prefix="/invitations")


@blueprint.get("/<token>")
@allow(EVERYBODY)
def show(token: str) -> AnyResponse:
    """Who invites to which team, and the button that accepts."""
    person = viewer()
    if person is None:
        # Whoever registers or signs in from here comes back here.
        remember_place()
    try:
        with site().database.reading() as session:
            invited = invitations.look(session, token, person.user_id if person else None, utc_now())
            spec = public_task(session, invited.task)
    except ServiceError as error:
        return _page(None, error.message, 410)
    if invited.joined:
        return redirect(url_for("teams.show", task=spec.name))
    return _page(invited, None, 200, token=token, spec=spec)


@blueprint.post("/<token>")
@allow(SIGNED_IN)
def accept(token: str) -> AnyResponse:
    """Joins the team."""
    person = viewer()
    if person is None:
        raise RuntimeError("the rule of this view lets only people through who are signed in")
    try:
        with site().database.writing() as session:
            task = invitations.accept(session, token, person.user_id, utc_now())
    except ServiceError as error:
        flash(told(error.message), "error")
        return redirect(url_for("invitations.show", token=token))
    flash(gettext("Welcome to the team."), "success")
    return redirect(url_for("teams.show", task=task))


def _page(invited: Invited | None, closed: Message | None, code: int, **context: object) -> Response:
    text = render_template("teams/invitation.html", invited=invited, closed=closed, form=Confirm(), **context)
    response = make_response(text, code)
    response.headers["Cache-Control"] = "no-store"
    # The address is the key to the team; only our own check of forms may see it.
    response.headers["Referrer-Policy"] = "same-origin"
    return response
