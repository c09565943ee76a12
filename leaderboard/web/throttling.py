"""How often a password or a code may be tried, how many letters a stranger may have us send, and how many
judges may come from one place.

Tries are counted for the account and for the network address. An account is what was typed: whether there is
one makes no difference, to the count or to the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from time import time
from typing import Any

from flask import Flask, Response, abort, current_app, make_response, render_template, request
from flask import session as cookie
from flask_babel import gettext, ngettext
from flask_security import user_authenticated as signed_in
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from leaderboard.config import Guards
from leaderboard.services.accounts import normal_address
from leaderboard.web.identity import BLUEPRINT, viewer
from leaderboard.web.judges import WORD
from leaderboard.web.networks import network

EXTENSION = "leaderboard.throttle"

CODES_A_DAY = "50 per day"
"""Of codes of six digits, three are right at any time: within a year of this, one in twenty finds one."""

LETTERS_TO_ONE = "6 per hour"
"""So many letters that anybody can ask for go to one mailbox."""

JUDGMENTS = "240 per minute"
"""No person judges faster than this; a page that sends the same again and again does."""

_PASSWORD, _CODE, _LETTER, _ADDRESS = "password", "code", "letter", "address"
_JUDGE, _JUDGMENT = "judge", "judgment"


class Throttled(TooManyRequests):
    """Tried too often; `retry_after` says in how many seconds it may be tried again."""


@dataclass(frozen=True, slots=True)
class Count:
    """What is counted: at most `limit`, of one kind (`purpose`), for one account or address (`whose`)."""

    limit: RateLimitItem
    purpose: str
    whose: str


class Throttle:
    """Counts, in the memory of this process or where all processes do."""

    def __init__(self, storage: str, guards: Guards, secret: str) -> None:
        self._limiter = MovingWindowRateLimiter(storage_from_string(storage, wrap_exceptions=True))
        self._secret = hashlib.sha256(secret.encode()).digest()
        self.account, self.address = parse(guards.account_limit), parse(guards.address_limit)
        self.letters = parse(guards.letter_limit)
        self.judges, self.judgments = parse(guards.judging_limit), parse(JUDGMENTS)
        self.codes_a_day, self.letters_to_one = parse(CODES_A_DAY), parse(LETTERS_TO_ONE)

    def hit(self, counts: Iterator[Count]) -> None:
        """Counts a try. Raises Throttled where there were as many as may be."""
        try:
            for count in counts:
                key = (count.purpose, self._hidden(count.whose))
                if not self._limiter.hit(count.limit, *key):
                    reset = self._limiter.get_window_stats(count.limit, *key).reset_time
                    raise Throttled(retry_after=max(1, ceil(reset - time())))
        except StorageError as error:
            # Where the count cannot be kept, letting people in is better than not.
            current_app.logger.error("tries cannot be counted: %s", error)

    def forget(self, whose: str, *purposes: str) -> None:
        """Begins to count anew for whoever has shown to know the password, or to have the code."""
        try:
            for purpose in purposes:
                self._limiter.clear(self.account, purpose, self._hidden(whose))
        except StorageError as error:
            current_app.logger.error("tries cannot be counted: %s", error)

    def _hidden(self, whose: str) -> str:
        # What counts need not tell who has an account here.
        return hashlib.blake2b(whose.encode(), key=self._secret, digest_size=16).hexdigest()


def init_throttling(app: Flask) -> None:
    """Puts it before the forms that take passwords, codes and addresses; after the check of their tokens, so
    that no other site can use up somebody's tries."""
    installation = app.extensions["leaderboard.site"]
    settings = installation.settings
    app.extensions[EXTENSION] = Throttle(
        settings.rate_limit_storage_url, settings.guards, installation.secret_key
    )
    app.before_request(_count)
    app.after_request(_forgive)
    app.register_error_handler(Throttled, _say)
    signed_in.connect(_begin_anew, app)


def _password_of_typed() -> Iterator[Count]:
    throttle = _throttle()
    yield Count(throttle.address, _ADDRESS, network())
    yield Count(throttle.account, _PASSWORD, _typed())


def _password_of_viewer() -> Iterator[Count]:
    person = viewer()
    if person is not None:
        yield Count(_throttle().account, _PASSWORD, person.email)


def _code() -> Iterator[Count]:
    throttle = _throttle()
    yield Count(throttle.address, _ADDRESS, network())
    # After the password was right: whose it was stands in the signed cookie.
    whose = str(cookie.get("tf_user_id", ""))
    if whose:
        yield Count(throttle.account, _CODE, whose)
        yield Count(throttle.codes_a_day, _CODE, whose)


def _letter() -> Iterator[Count]:
    throttle = _throttle()
    yield Count(throttle.letters, _LETTER, network())
    yield Count(throttle.letters_to_one, _LETTER, _typed())


def _link() -> Iterator[Count]:
    yield Count(_throttle().address, _ADDRESS, network())


def _new_judge() -> Iterator[Count]:
    # An account is one person; without one, anybody can be many.
    if viewer() is None:
        yield Count(_throttle().judges, _JUDGE, network())


def _judgment() -> Iterator[Count]:
    person = viewer()
    whose = person.email if person is not None else str(cookie.get(WORD, "")) or network()
    yield Count(_throttle().judgments, _JUDGMENT, whose)


_FORMS: Mapping[str, Callable[[], Iterator[Count]]] = {
    f"{BLUEPRINT}.login": _password_of_typed,
    f"{BLUEPRINT}.verify": _password_of_viewer,
    f"{BLUEPRINT}.change_password": _password_of_viewer,
    "accounts.delete": _password_of_viewer,
    f"{BLUEPRINT}.two_factor_token_validation": _code,
    f"{BLUEPRINT}.mf_recovery": _code,
    f"{BLUEPRINT}.register": _letter,
    f"{BLUEPRINT}.send_confirmation": _letter,
    f"{BLUEPRINT}.forgot_password": _letter,
    f"{BLUEPRINT}.reset_password": _link,
    f"{BLUEPRINT}.confirm_email": _link,
    "judging.join": _new_judge,
    "judging.accept": _new_judge,
    "judging.go_on": _judgment,
    "judging.answer": _judgment,
    "judging.undo": _judgment,
}
"""What counts as a try: sending one of these forms."""


def _count() -> None:
    if request.method != "POST" or request.endpoint is None:
        return
    if request.blueprint == BLUEPRINT and request.is_json:
        # The library would read it, and what is typed in it would not be counted.
        abort(415)
    counts = _FORMS.get(request.endpoint)
    if counts is not None:
        _throttle().hit(counts())


def _forgive(response: Response) -> Response:
    """Whoever has typed the right password again is led on; only a wrong one shows the form once more."""
    person = viewer() if _FORMS.get(request.endpoint or "") is _password_of_viewer else None
    if person is not None and request.method == "POST" and response.status_code in (302, 303):
        _throttle().forget(person.email, _PASSWORD)
    return response


def _begin_anew(_app: Flask, user: Any, **_more: Any) -> None:
    _throttle().forget(user.email or "", _PASSWORD)
    _throttle().forget(user.fs_uniquifier, _CODE)


def _typed() -> str:
    return normal_address(request.form.get("email", ""))


def _throttle() -> Throttle:
    found: Throttle = current_app.extensions[EXTENSION]
    return found


def _say(error: Throttled) -> Response:
    seconds = int(error.retry_after) if isinstance(error.retry_after, int) else 60
    minutes = ceil(seconds / 60)
    body = render_template(
        "errors/show.html",
        code=429,
        title=gettext("Too many tries"),
        advice=ngettext(
            "Please wait %(num)s minute and try again.", "Please wait %(num)s minutes and try again.", minutes
        ),
    )
    current_app.logger.warning("too many tries at %s from %s", request.endpoint, request.remote_addr)
    response = make_response(body, 429)
    response.headers["Retry-After"] = str(seconds)
    response.headers["Cache-Control"] = "no-store"
    return response
