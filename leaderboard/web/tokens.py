"""The page of a person's tokens for scripts."""

from __future__ import annotations

from flask import Blueprint, Response, flash, make_response, redirect, render_template, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import tokens
from leaderboard.services.tokens import TooManyTokens, UnknownToken
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.tokens import TokenForm
from leaderboard.web.identity_rules import SIGNED_IN
from leaderboard.web.installation import site
from leaderboard.web.own_team import me

blueprint = Blueprint("tokens", __name__, url_prefix="/account/tokens")


@blueprint.get("")
@allow(SIGNED_IN)
def show() -> Response:
    """The tokens there are, and the form for one more."""
    return _page(TokenForm())


@blueprint.post("")
@allow(SIGNED_IN)
def make() -> Response:
    """Makes a token, and shows its secret this once: it is nowhere else, not even in an address."""
    form = TokenForm()
    if not form.validate_on_submit():
        return _page(form, 422)
    try:
        with site().database.writing() as session:
            secret = tokens.make(
                session, me().user_id, form.name.data or "", form.wanted_scope, form.days.data, utc_now()
            )
    except TooManyTokens as error:
        form.form_errors.append(told(error.message))
        return _page(form, 422)
    return _page(TokenForm(formdata=None), secret=secret)


@blueprint.post("/<int(max=2147483647):token_id>/revoke")
@allow(SIGNED_IN)
def revoke(token_id: int) -> AnyResponse:
    """Makes a token useless."""
    try:
        with site().database.writing() as session:
            tokens.revoke(session, me().user_id, token_id, utc_now())
    except UnknownToken as error:
        flash(told(error.message), "info")
    else:
        flash(gettext("The token is revoked; scripts that use it are refused from now on."), "success")
    return redirect(url_for("tokens.show"), 303)


def _page(form: TokenForm, code: int = 200, secret: str = "") -> Response:
    with site().database.reading() as session:
        found = tokens.listing(session, me().user_id, utc_now())
    response = make_response(
        render_template("accounts/tokens.html", form=form, tokens=found, secret=secret, button=Confirm()),
        code,
    )
    response.headers["Cache-Control"] = "no-store"
    return response
