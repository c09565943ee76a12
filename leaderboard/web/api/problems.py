"""Every refusal of the API as a problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, current_app, json, request
from flask_babel import gettext
from flask_limiter.errors import RateLimitExceeded
from werkzeug.exceptions import HTTPException, InternalServerError, Unauthorized
from werkzeug.http import http_date

from leaderboard.services.boards import NoBoard
from leaderboard.services.errors import ServiceError
from leaderboard.services.inputs import UnknownInput
from leaderboard.services.methods import MethodRefused
from leaderboard.services.outages import is_outage
from leaderboard.services.request_keys import KeyOfAnother, KeyRefused, StillBusy
from leaderboard.services.run_actions import NotAllowed
from leaderboard.services.runs import NameRefused, RunRemoved
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.submissions import EmptyFile, NoSlot
from leaderboard.services.teams import NotInTheTeam
from leaderboard.web import uploads
from leaderboard.web.api.words import later as _
from leaderboard.web.api.words import said
from leaderboard.web.filters import iso

PREFIX = "/api/"
"""Whatever is asked for under this address is answered by a document and not by a page."""

MIMETYPE = "application/problem+json"

BUSY_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its word, as programs know it, its usual status and its title."""

    slug: str
    status: int
    title: str


KINDS: Mapping[str, Kind] = {
    kind.slug: kind
    for kind in (
        Kind("bad-request", 400, _("The request cannot be understood.")),
        Kind("key-refused", 400, _("The Idempotency-Key cannot be used.")),
        Kind("no-token", 401, _("A token is needed, and none that works was shown.")),
        Kind("scope", 403, _("The token may not do this.")),
        Kind("no-team", 403, _("You are in no team of this task.")),
        Kind("not-shown", 403, _("The phase does not show this.")),
        Kind("phase-not-open", 403, _("The phase is not open yet.")),
        Kind("quota-used-up", 403, _("The quota of the phase is used up.")),
        Kind("forbidden", 403, _("This is not for you.")),
        Kind("not-found", 404, _("There is no such thing, or it is not public.")),
        Kind("method", 405, _("This address does not take this method.")),
        Kind("busy", 409, _("The first request with this key is still being answered.")),
        Kind("not-allowed", 409, _("This cannot be done to this run, or not any more.")),
        Kind("too-large", 413, _("The file is too large.")),
        Kind("media-type", 415, _("The body has a form that is not understood here.")),
        Kind("faulty-file", 422, _("The form of the file is not right.")),
        Kind("empty-file", 422, _("No file was sent, or an empty one.")),
        Kind("invalid", 422, _("Something in the request is not as it should be.")),
        Kind("key-of-another", 422, _("The Idempotency-Key was used with another request.")),
        Kind("quota-reached", 429, _("The team has no slot now.")),
        Kind("too-many-requests", 429, _("There were too many requests.")),
        Kind("server-error", 500, _("Something went wrong on our side.")),
        Kind("unavailable", 503, _("The site cannot answer just now.")),
        Kind("other", 400, _("The request cannot be answered.")),
    )
}
"""Every kind of problem there is."""

_BY_STATUS = {
    400: "bad-request",
    401: "no-token",
    403: "forbidden",
    404: "not-found",
    405: "method",
    413: "too-large",
    415: "media-type",
    422: "invalid",
    429: "too-many-requests",
    500: "server-error",
    503: "unavailable",
}

_OF_SERVICES: Mapping[type[ServiceError], str] = {
    NoBoard: "not-found",
    UnknownRun: "not-found",
    UnknownInput: "not-found",
    NotInTheTeam: "no-team",
    NotAllowed: "not-allowed",
    EmptyFile: "empty-file",
    NameRefused: "invalid",
    RunRemoved: "not-allowed",
    MethodRefused: "invalid",
    KeyRefused: "key-refused",
    KeyOfAnother: "key-of-another",
    StillBusy: "busy",
}


class Problem(HTTPException):
    """A refusal: its kind, a sentence on this very case, and members of the document beyond the usual."""

    def __init__(
        self, kind: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        self.kind = KINDS[kind]
        self.code = self.kind.status
        self.members = members
        self.own_headers = dict(headers or {})
        super().__init__(detail)


def of_service(error: ServiceError) -> Problem:
    """What a service refused. One that may speak to organisers is told in general words."""
    if isinstance(error, NoSlot):
        return _no_slot(error)
    kind = next((_OF_SERVICES[each] for each in type(error).__mro__ if each in _OF_SERVICES), None)
    if kind is None:
        return Problem("not-found", gettext(KINDS["not-found"].title))
    headers = {"Retry-After": str(BUSY_SECONDS)} if kind == "busy" else None
    field = getattr(error, "field", None)
    members = {"errors": [{"field": field, "message": said(error.message)}]} if field else {}
    return Problem(kind, said(error.message), headers, **members)


def _no_slot(error: NoSlot) -> Problem:
    used = error.quota
    slot = used.next_slot
    if slot is None:
        return Problem("quota-used-up", said(error.message), next_slot=None)
    kind = "phase-not-open" if used.reached == "not open yet" else "quota-reached"
    return Problem(kind, said(error.message), {"Retry-After": http_date(slot)}, next_slot=iso(slot))


def init_problems(app: Flask) -> None:
    """Answers under the API's address with documents where other addresses get pages.

    Last of all, for it stands before every handler there is, also for what no route of the API takes.
    """
    for handlers in app.error_handler_spec[None].values():
        for error_class, handler in list(handlers.items()):
            handlers[error_class] = _by_address(handler)


def _by_address(handler: Any) -> Any:
    def answer(error: Exception) -> Any:
        return document(error) if request.path.startswith(PREFIX) else handler(error)

    return answer


def document(error: Exception) -> Response:
    """The answer to any error."""
    if isinstance(error, HTTPException) and error.code is not None and error.code < 400:
        return current_app.make_response(error.get_response())
    problem = _problem(error)
    if problem.code == 413:
        uploads.count_too_large()
    body = {
        "type": f"/api#{problem.kind.slug}",
        "title": gettext(problem.kind.title),
        "status": problem.code,
        "detail": problem.description,
        "instance": request.path,
        **problem.members,
    }
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    response = Response(text, status=problem.code, mimetype=MIMETYPE)
    for name, value in problem.own_headers.items():
        response.headers[name] = value
    response.headers["Cache-Control"] = "no-store"
    if request.endpoint in uploads.ENDPOINTS:
        # Where nobody has begun to read the body, it may be longer than a file may be.
        give_up = uploads.read_to_the_end if "stream" in vars(request) else uploads.give_up_body
        give_up()
    return response


def _problem(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, ServiceError):
        return of_service(error)
    if not isinstance(error, HTTPException):
        if isinstance(error, OSError) and not is_outage(error):
            raise error
        # The database, the storage or a task's folder; what exactly is for organisers, and in the log.
        current_app.logger.error("the API could not answer", exc_info=error)
        again = {"Retry-After": str(BUSY_SECONDS)}
        return Problem("unavailable", gettext("Please try again in a few minutes."), again)
    return _of_http(error)


def _of_http(error: HTTPException) -> Problem:
    status = error.code or 500
    slug = _BY_STATUS.get(status, "server-error" if status >= 500 else "other")
    problem = Problem(slug, _detail(error, slug), **_errors(error))
    problem.code = status
    problem.own_headers = {
        name: value
        for name, value in error.get_headers()
        if name.lower() not in ("content-type", "content-length")
    }
    if isinstance(error, Unauthorized):
        problem.own_headers["WWW-Authenticate"] = "Bearer"
    return problem


def _detail(error: HTTPException, slug: str) -> str:
    if isinstance(error, RateLimitExceeded):
        words = gettext("At most %(limit)s are answered; wait a little.", limit=str(error.description))
    elif isinstance(error, InternalServerError):
        words = gettext("The fault is ours and has been recorded. Nothing you sent before is lost.")
    elif slug == "too-large":
        words = gettext(
            "Compress the file with gzip or as a .zip; if it is still larger, ask the organisers."
        )
    elif slug == "not-found":
        words = gettext("The address may be mistyped, or what is there is not public.")
    else:
        words = gettext(KINDS[slug].title)
    return str(words)


def _errors(error: HTTPException) -> dict[str, Any]:
    """What the check of parameters and bodies found, a line for each."""
    messages = getattr(error, "data", {}).get("messages")
    return {"errors": list(_flat(messages, ""))} if messages else {}


def _flat(messages: Any, field: str) -> Any:
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from _flat(inner, f"{field}.{name}" if field else str(name))
        return
    for message in messages if isinstance(messages, list) else [messages]:
        yield {"field": field, "message": str(message)}
