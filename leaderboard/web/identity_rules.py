"""Who may use which route, as far as that depends on who is signed in."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from flask import Flask, Response, abort, flash, redirect, request, url_for
from flask import session as cookie
from flask_babel import gettext

from leaderboard.services import roles, teams
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, Rule, grant
from leaderboard.web.identity import BLUEPRINT, viewer
from leaderboard.web.installation import PREVIEW, is_preview, public_task, site

AFTER_SIGN_IN = "after_sign_in"


def _signed_in() -> bool:
    if viewer() is None:
        remember_place()
        flash(gettext("Sign in to go on."), "info")
        abort(redirect(url_for(f"{BLUEPRINT}.login")))
    return True


def _captain() -> bool:
    if not _signed_in():
        return False
    person = viewer()
    with site().database.reading() as session:
        spec = public_task(session, (request.view_args or {})["task"])
        team = teams.of_person(session, spec, person.user_id, utc_now()) if person else None
    return team is not None and team.leads


def _member() -> bool:
    if not _signed_in():
        return False
    person = viewer()
    with site().database.reading() as session:
        spec = public_task(session, (request.view_args or {})["task"])
        return person is not None and teams.of_person(session, spec, person.user_id, utc_now()) is not None


def _organiser() -> bool:
    return _signed_in() and roles.organises(viewer(), _task_of_the_address()) and _proven()


def _judge() -> bool:
    return _signed_in() and roles.judges(viewer(), _task_of_the_address())


def _administrator() -> bool:
    return _signed_in() and roles.administers(viewer()) and _proven()


def _proven() -> bool:
    """Whoever needs a second factor and has none is led to where one is set up."""
    person = viewer()
    if site().settings.guards.second_factor and person is not None and not person.second_factor:
        flash(gettext("Organisers sign in with a second factor here. Set one up to go on."), "info")
        abort(redirect(url_for(f"{BLUEPRINT}.two_factor_setup")))
    return True


def _task_of_the_address() -> str:
    return str((request.view_args or {})["task"])


SIGNED_IN = Rule("signed in", _signed_in)
MEMBER = Rule("member of the team", _member)
CAPTAIN = Rule("captain of the team", _captain)
JUDGE = Rule("judge of the task", _judge)
ORGANISER = Rule("organiser of the task", _organiser)
ADMINISTRATOR = Rule("administrator", _administrator)
NOBODY = Rule("nobody", lambda: False)

ROUTES: Mapping[str, Rule] = {
    "register": EVERYBODY,
    "send_confirmation": EVERYBODY,
    "confirm_email": EVERYBODY,
    "login": EVERYBODY,
    "logout": EVERYBODY,
    "forgot_password": EVERYBODY,
    "reset_password": EVERYBODY,
    # Both only after the password was right, which they check themselves.
    "two_factor_token_validation": EVERYBODY,
    "mf_recovery": EVERYBODY,
    "change_password": SIGNED_IN,
    "verify": SIGNED_IN,
    "two_factor_setup": SIGNED_IN,
    "two_factor_setup_validate": SIGNED_IN,
    "mf_recovery_codes": SIGNED_IN,
    # There is one kind of second factor, and recovery codes are the way round it.
    "two_factor_rescue": NOBODY,
    "tf_select": NOBODY,
    "static": NOBODY,
}
"""The routes that Flask-Security makes."""


def organises(task: str) -> bool:
    """Whether who is signed in organises the task."""
    return roles.organises(viewer(), task)


def _may_preview(task: str) -> bool:
    """Whether who is signed in may look at a task that is not public; the API takes tokens alone."""
    person = viewer() if not request.path.startswith("/api/") else None
    needs_more = site().settings.guards.second_factor and person is not None and not person.second_factor
    return roles.organises(person, task) and not needs_more


def _keep_no_preview(response: Response) -> Response:
    """No browser or proxy keeps what everybody may not see."""
    if is_preview():
        response.headers["Cache-Control"] = "no-store"
    return response


def init_identity_rules(app: Flask) -> None:
    """Names the rules of Flask-Security's routes, and lets templates ask who organises what."""
    app.extensions[PREVIEW] = _may_preview
    app.after_request(_keep_no_preview)
    app.add_template_global(is_preview)
    app.add_template_global(organises)
    app.add_template_global(lambda: roles.administers(viewer()), "administers")
    for name, rule in ROUTES.items():
        grant(app, f"{BLUEPRINT}.{name}", rule)


def remember_place() -> None:
    """Has the person come back here after signing in, or to the page whose form was sent."""
    came_from = urlsplit(request.referrer or "")
    if request.method == "GET":
        cookie[AFTER_SIGN_IN] = request.path
    elif came_from.netloc == request.host:
        cookie[AFTER_SIGN_IN] = came_from.path
