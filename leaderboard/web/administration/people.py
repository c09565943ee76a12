"""All accounts of the site."""

from __future__ import annotations

from collections.abc import Callable

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import people, roles
from leaderboard.services.errors import ServiceError
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.organising import ReasonForm
from leaderboard.web.identity_rules import ADMINISTRATOR
from leaderboard.web.installation import site
from leaderboard.web.own_team import actor, me

blueprint = Blueprint("people", __name__, url_prefix="/administration/people")

_ONE = "/<int(max=2147483647):user_id>"


@blueprint.get("")
@allow(ADMINISTRATOR)
def show() -> Response:
    """The accounts that the address asks for."""
    page = request.args.get("page", "1")
    if not (page.isascii() and page.isdigit() and len(page) < 10):
        abort(404)
    text, frozen = request.args.get("text", ""), request.args.get("frozen") == "y"
    with site().database.reading() as session:
        found = people.listing(session, text, max(1, int(page)), frozen=frozen)
    body = render_template(
        "administration/people.html",
        listing=found,
        text=text,
        frozen=frozen,
        button=Confirm(),
        reason=ReasonForm(formdata=None),
        me=me().user_id,
    )
    response = make_response(body)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.post(f"{_ONE}/freeze")
@allow(ADMINISTRATOR)
def freeze(user_id: int) -> AnyResponse:
    """Ends all sign-ins of a person, and lets none begin."""
    reason = ReasonForm().reason.data or ""
    return _do(
        lambda session: people.freeze(session, user_id, reason, actor(), utc_now()),
        gettext("The account is frozen: it is signed out everywhere, and its tokens do not work."),
    )


@blueprint.post(f"{_ONE}/unfreeze")
@allow(ADMINISTRATOR)
def unfreeze(user_id: int) -> AnyResponse:
    """Lets a person sign in again."""
    return _do(
        lambda session: people.unfreeze(session, user_id, actor(), utc_now()),
        gettext("The account is not frozen any more."),
    )


@blueprint.post(f"{_ONE}/administrator/give")
@allow(ADMINISTRATOR)
def give(user_id: int) -> AnyResponse:
    """Makes somebody an administrator."""
    return _do(
        lambda session: people.make_administrator(session, user_id, actor(), utc_now()),
        gettext("There is another administrator now."),
    )


@blueprint.post(f"{_ONE}/administrator/take")
@allow(ADMINISTRATOR)
def take(user_id: int) -> AnyResponse:
    """Takes the right of an administrator away."""
    return _do(
        lambda session: roles.take(session, user_id, "administrator", None, actor(), utc_now()),
        gettext("The right is taken away."),
    )


def _do(change: Callable[[Session], object], done: str) -> AnyResponse:
    asked = request.args
    back = url_for("people.show", text=asked.get("text"), page=asked.get("page"))
    try:
        with site().database.writing() as session:
            change(session)
    except ServiceError as error:
        flash(told(error.message), "error")
    else:
        flash(done, "success")
    return redirect(back, 303)
