"""The blueprint of the API, and who may use which operation of it.

Only a bearer token tells who asks. No cookie is looked at, so that another site cannot make a browser ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Response, after_this_request, g, request
from flask_babel import gettext
from flask_smorest import Blueprint

from leaderboard.contract import TaskSpec
from leaderboard.services import teams, tokens
from leaderboard.services.teams import NotInTheTeam, TeamPage
from leaderboard.services.tokens import Grant, Scope
from leaderboard.site import utc_now
from leaderboard.web.access import Rule, allow
from leaderboard.web.api.problems import Problem
from leaderboard.web.installation import public_task, site

NAME = "api"
VERSION = "v1"

SCHEME = "token"
"""How the OpenAPI document calls showing a token."""

View = TypeVar("View", bound=Callable[..., Any])

blueprint = Blueprint(NAME, __name__, url_prefix=f"/api/{VERSION}")


def grant() -> Grant | None:
    """What the token of this request allows; None where none was shown. One that does not work is refused,
    also where none is needed: its owner should know."""
    if "grant" not in g:
        g.grant = _recognised()
    found: Grant | None = g.grant
    return found


def holder() -> Grant:
    """The same, behind a rule that asks for a token."""
    found = grant()
    if found is None:
        raise _no_token(gettext("Send the header: Authorization: Bearer TOKEN."))
    return found


def own_team(task: str) -> tuple[TaskSpec, TeamPage]:
    """A task, and the team in it of whose token this is. Raises NotInTheTeam; without such a task, 404."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        team = teams.of_person(session, spec, holder().user_id, utc_now())
    if team is None:
        raise NotInTheTeam
    return spec, team


def _recognised() -> Grant | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, secret = header.strip().partition(" ")
    if scheme.lower() != "bearer":
        raise _no_token(gettext("Only tokens are taken: Authorization: Bearer TOKEN."))
    with site().database.reading() as session:
        found = tokens.recognise(session, secret.strip(), utc_now())
    if found is None:
        raise _no_token(gettext("This token is unknown, expired or revoked. Make a new one on your account."))
    if found.stale:
        _note_used(found.token_id)
    return found


def _no_token(detail: str) -> Problem:
    return Problem("no-token", detail, {"WWW-Authenticate": "Bearer"})


def _note_used(token_id: int) -> None:
    installation = site()

    def note() -> None:
        with installation.database.writing() as session:
            tokens.note_used(session, token_id, utc_now())

    @after_this_request
    def after(response: Response) -> Response:
        response.call_on_close(note)
        return response


def _everybody() -> bool:
    grant()
    return True


def _may(scope: Scope) -> Callable[[], bool]:
    def permits() -> bool:
        if not holder().permits(scope):
            raise Problem(
                "scope",
                gettext('This needs a token with the scope "%(scope)s".', scope=scope),
                {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
            )
        return True

    return permits


EVERYBODY = Rule("api: everybody", _everybody)
READ = Rule("api: token that may read", _may("read"))
SUBMIT = Rule("api: token that may submit", _may("submit"))

_SCOPES = {READ.name: "read", SUBMIT.name: "submit"}


def operation(rule: Rule, summary: str, description: str = "") -> Callable[[View], View]:
    """Names the rule of an operation, and says what it does; nearest to the function."""

    def named(view: View) -> View:
        scope = _SCOPES.get(rule.name)
        documented: View = blueprint.doc(
            operationId=view.__name__,
            summary=summary,
            description=description,
            security=[{SCHEME: [scope]}] if scope else [],
            **{"x-access-rule": rule.name},
        )(allow(rule)(view))
        return documented

    return named
