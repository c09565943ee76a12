"""The pages of one's own account. Registering and signing in are Flask-Security's (`identity`)."""

from __future__ import annotations

import json

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask import session as cookie
from flask.typing import ResponseReturnValue
from flask_babel import gettext
from flask_security import logout_user
from flask_security.confirmable import confirm_email_token_status
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import accounts, personal_data, sign_ins
from leaderboard.services.accounts import Person
from leaderboard.services.sign_ins import UnknownSignIn
from leaderboard.site import utc_now
from leaderboard.web import letters
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.forms.accounts import Confirm, Delete, Profile
from leaderboard.web.identity import BLUEPRINT, knows_password, sign_in_token, viewer
from leaderboard.web.identity_rules import AFTER_SIGN_IN, SIGNED_IN, init_identity_rules
from leaderboard.web.installation import site
from leaderboard.web.preferences import LANGUAGES, language, remember_language
from leaderboard.web.throttling import init_throttling

blueprint = Blueprint("accounts", __name__)


def init_accounts(app: Flask) -> None:
    """Says who may use Flask-Security's routes and how often, and puts a button before what links in letters
    do, since programs that look into mail open them too."""
    init_identity_rules(app)
    init_throttling(app)
    endpoint = f"{BLUEPRINT}.confirm_email"
    confirm = app.view_functions[endpoint]

    def ask_first(token: str) -> ResponseReturnValue:
        expired, invalid, user = confirm_email_token_status(token)
        if request.method == "GET" and user and not (expired or invalid or user.confirmed_at):
            return render_template("accounts/confirm.html", form=Confirm(), token=token)
        answer: ResponseReturnValue = app.ensure_sync(confirm)(token=token)
        return answer

    app.view_functions[endpoint] = ask_first
    code = f"{BLUEPRINT}.two_factor_token_validation"
    check_code = app.view_functions[code]

    def unless_signed_in() -> ResponseReturnValue:
        # The library would sign out whoever only follows a link to this address.
        if viewer() is not None:
            return redirect(url_for("accounts.show"))
        answer: ResponseReturnValue = app.ensure_sync(check_code)()
        return answer

    app.view_functions[code] = unless_signed_in


@blueprint.get("/privacy")
@allow(EVERYBODY)
def privacy() -> Response:
    """What is kept of whom, why, and for how long."""
    return page("accounts/privacy.html", terms=accounts.TERMS, days=sign_ins.LIFETIME.days)


@blueprint.get("/arrive")
@allow(SIGNED_IN)
def arrive() -> AnyResponse:
    """Where signing in leads: to the page that asked for it, or to the tasks."""
    return redirect(_own_path(cookie.pop(AFTER_SIGN_IN, None)) or url_for("tasks.index"))


@blueprint.get("/account")
@allow(SIGNED_IN)
def show() -> Response:
    """Name, password, second factor, sign-ins, one's data."""
    person = _person()
    form = Profile(name=person.name, locale=person.locale or language())
    return _account(person, form)


@blueprint.post("/account")
@allow(SIGNED_IN)
def change() -> AnyResponse:
    """Takes another name and language."""
    person, form = _person(), Profile()
    if not form.validate_on_submit():
        return _account(person, form, 422)
    with site().database.writing() as session:
        accounts.change(session, person.user_id, form.name.data or "", form.locale.data)
    flash(gettext("Saved."), "success")
    return remember_language(redirect(url_for("accounts.show")), form.locale.data)


@blueprint.get("/account/sign-ins")
@allow(SIGNED_IN)
def list_sign_ins() -> Response:
    """The browsers in which the person is signed in."""
    with site().database.reading() as session:
        found = sign_ins.listing(session, _person().user_id, sign_in_token(), utc_now())
    return page("accounts/sign_ins.html", sign_ins=found, days=sign_ins.LIFETIME.days, form=Confirm())


@blueprint.post("/account/sign-ins/<int(max=2147483647):sign_in_id>/end")
@allow(SIGNED_IN)
def end_sign_in(sign_in_id: int) -> AnyResponse:
    """Signs one browser out."""
    try:
        with site().database.writing() as session:
            sign_ins.end(session, _person().user_id, sign_in_id, utc_now())
    except UnknownSignIn:
        flash(gettext("This browser is signed out already."), "info")
    else:
        flash(gettext("That browser is signed out."), "success")
    return redirect(url_for("accounts.list_sign_ins"))


@blueprint.post("/account/sign-ins/end-others")
@allow(SIGNED_IN)
def end_other_sign_ins() -> AnyResponse:
    """Signs out everywhere but here."""
    with site().database.writing() as session:
        sign_ins.end_all(session, _person().user_id, utc_now(), but=sign_in_token())
    flash(gettext("You are signed out everywhere else."), "success")
    return redirect(url_for("accounts.list_sign_ins"))


@blueprint.get("/account/data")
@allow(SIGNED_IN)
def data() -> Response:
    """Everything that is stored about the person, as a file."""
    with site().database.reading() as session:
        found = personal_data.of_person(session, _person().user_id)
    text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    response = make_response(text)
    response.mimetype = "application/json"
    response.headers["Content-Disposition"] = "attachment; filename=leaderboard-my-data.json"
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/account/delete")
@allow(SIGNED_IN)
def ask_delete() -> Response:
    """What deleting does, and the form for it."""
    return _private("accounts/delete.html", form=Delete())


@blueprint.post("/account/delete")
@allow(SIGNED_IN)
def delete() -> AnyResponse:
    """Removes the person, for who knows the password."""
    person, form = _person(), Delete()
    if form.validate_on_submit() and not knows_password(form.password.data or ""):
        form.password.errors = [gettext("This is not your password.")]
    if form.errors:
        return _private("accounts/delete.html", 422, form=form)
    with site().database.writing() as session:
        for heir in accounts.delete(session, person.user_id, utc_now()):
            letters.captaincy_passed_on(session, heir)
    logout_user()
    flash(gettext("Your account is deleted. Thank you for having taken part."), "success")
    current_app.logger.info("account %s was deleted by its owner", person.user_id)
    return redirect(url_for("tasks.index"))


def _own_path(address: object) -> str | None:
    """An address that stays on this site, None for any other."""
    path = address if isinstance(address, str) else ""
    # Browsers take //host and /\\host for another host, and drop control characters from between.
    safe = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if safe else None


def _person() -> Person:
    person = viewer()
    if person is None:
        raise RuntimeError("the rule of this view lets only people through who are signed in")
    return person


def _account(person: Person, form: Profile, code: int = 200) -> Response:
    return _private("accounts/show.html", code, person=person, form=form, languages=LANGUAGES)


def _private(template: str, code: int = 200, **context: object) -> Response:
    response = make_response(render_template(template, **context), code)
    response.headers["Cache-Control"] = "no-store"
    return response
