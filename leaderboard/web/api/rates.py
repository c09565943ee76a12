"""How many requests are answered, and how a sender learns what is left."""

from __future__ import annotations

import time

from flask import Flask, Response, current_app, request
from flask_limiter import Limiter

from leaderboard.config import Settings
from leaderboard.web.api.blueprint import NAME, blueprint, grant
from leaderboard.web.api.problems import Problem

EXTENSION = "leaderboard.rates"

_RETRY = "X-RateLimit-Retry-After"


def init_rates(app: Flask, settings: Settings) -> None:
    """Counts the requests to the API, those of one token together, else those of one address.

    Before the rules of access, so that guessing tokens is limited too.
    """
    # Registered first, so that it comes last, after the headers it mends.
    app.after_request(_tell)
    app.config["RATELIMIT_HEADER_RETRY_AFTER"] = _RETRY
    limiter = Limiter(
        key_func=_sender,
        app=app,
        storage_uri=settings.rate_limit_storage_url,
        strategy="moving-window",
        headers_enabled=True,
        # Where the count cannot be kept, answering is better than not.
        swallow_errors=True,
    )
    limiter.limit(settings.api_rate_limit)(blueprint)
    app.extensions[EXTENSION] = limiter


def _sender() -> str:
    try:
        found = grant()
    except Problem:
        # One that does not work counts for the address: else every guess would begin a count of its own.
        found = None
    return f"token {found.token_id}" if found else f"address {request.remote_addr}"


def _tell(response: Response) -> Response:
    """The headers of the IETF's draft; Flask-Limiter sends the older ones."""
    if request.blueprint != NAME:
        return response
    limiter: Limiter = current_app.extensions[EXTENSION]
    current = limiter.current_limit
    if current is not None:
        item = current.limit
        window = item.get_expiry()
        wait = max(0, round(current.reset_at - time.time()))
        # Flask-Limiter would ask everybody to wait, and for its own time where a quota has another.
        retry = response.headers.pop(_RETRY, None)
        if response.status_code == 429 and retry is not None:
            response.headers.setdefault("Retry-After", retry)
        response.headers["RateLimit-Policy"] = f'"api";q={item.amount};w={window}'
        response.headers["RateLimit"] = f'"api";r={max(0, current.remaining)};t={wait}'
    return response
