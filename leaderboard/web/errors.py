"""Pages for what goes wrong: what it was, and where to go on from there."""

from __future__ import annotations

from flask import Flask, Response, current_app, make_response, render_template
from flask_babel import gettext
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable

from leaderboard.catalog import CatalogError
from leaderboard.services.errors import ServiceError
from leaderboard.services.storage import cannot_be_kept
from leaderboard.web import uploads

SOON = 5
"""After so many seconds a database may have restarted."""

AGAIN = 60
"""After so many seconds it may be tried again what could not be kept."""


def init_errors(app: Flask) -> None:
    """Answers every error with a page, and what a service refuses with "not found"."""
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(ServiceError, _not_found)
    app.register_error_handler(CatalogError, _not_found)
    app.register_error_handler(OSError, _no_room)


def unavailable(error: Exception) -> Response:
    """For an installation whose database does not answer, or has no tables yet."""
    current_app.logger.error("the database does not answer as it should", exc_info=error)
    return _http_error(ServiceUnavailable(retry_after=SOON))


def _no_room(error: OSError) -> Response:
    """For a file that could not be kept: nothing of it is, and the same may work later."""
    if not cannot_be_kept(error):
        raise error
    current_app.logger.error("a file could not be kept", exc_info=error)
    uploads.read_to_the_end()
    title, advice = (
        gettext("The file could not be kept"),
        gettext(
            "The storage of the site refuses it just now. Nothing of it was kept, and it cost you nothing: "
            "please try again in a few minutes."
        ),
    )
    response = make_response(render_template("errors/show.html", code=503, title=title, advice=advice), 503)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Retry-After"] = str(AGAIN)
    return response


def _not_found(_error: Exception) -> Response:
    # A service's own words may be meant for organisers, so they are not repeated here.
    return _page(404)


def _http_error(error: HTTPException) -> Response:
    if error.code is None or error.code < 400:
        return make_response(error.get_response())
    if isinstance(error, InternalServerError):
        return _page(500)
    response = _page(error.code)
    for name, value in error.get_headers():
        if name not in ("Content-Type", "Content-Length"):
            response.headers[name] = value
    return response


def _page(code: int) -> Response:
    title, advice = _words(code)
    response = make_response(render_template("errors/show.html", code=code, title=title, advice=advice), code)
    response.headers["Cache-Control"] = "no-store"
    return response


def _words(code: int) -> tuple[str, str]:
    if code == 404:
        return gettext("There is no such page"), gettext(
            "The address may be mistyped, or what is there is not public. The list of tasks leads on."
        )
    if code == 403:
        return gettext("This page is not for you"), gettext(
            "You have no access to it. If you think you should, ask the organisers of the task."
        )
    if code == 405:
        return gettext("This cannot be done here"), gettext(
            "The page does not take this kind of request. Go back and try again from the page itself."
        )
    if code == 503:
        return gettext("The site cannot answer just now"), gettext(
            "It is being set up, or its database does not answer. Please try again in a few minutes."
        )
    if code >= 500:
        return gettext("Something went wrong on our side"), gettext(
            "The fault is ours and has been recorded. Nothing you sent before is lost. Please try again."
        )
    return gettext("This request cannot be answered"), gettext(
        "Something about it is not right. Go back and try again from the page itself."
    )
