"""The reader's language and appearance: asked for in the address, kept in a cookie, else the browser's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlencode

from flask import Flask, Response, g, request
from flask_babel import Babel
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response as AnyResponse

LANGUAGES = {"en": "English", "ru": "Русский"}
THEMES = ("light", "dark")
SYSTEM = "system"
YEAR = 365 * 24 * 3600


def init_preferences(app: Flask) -> None:
    """Chooses the language of every request and lets templates offer the others."""
    app.config.setdefault("BABEL_DEFAULT_LOCALE", "en")
    app.config.setdefault("BABEL_DEFAULT_TIMEZONE", "UTC")
    Babel(app, locale_selector=language)
    app.after_request(_remember)
    app.add_template_global(address_with, "address_with")
    app.context_processor(lambda: {"language": language(), "theme": theme(), "LANGUAGES": LANGUAGES})


def language() -> str:
    """The language of this answer."""
    if "language" not in g:
        asked = request.args.get("lang")
        mostly, _ = usual(request.cookies, request.headers.get("Accept-Language", ""))
        g.language = asked if asked in LANGUAGES else mostly
    return str(g.language)


def usual(cookies: Mapping[str, str], accepted: str) -> tuple[str, str | None]:
    """Language and appearance of an answer where the address asks for none, by the browser's cookies and by
    its header Accept-Language."""
    chosen, appearance = cookies.get("language"), cookies.get("theme")
    language = chosen if chosen in LANGUAGES else _preferred(accepted)
    return str(language), appearance if appearance in THEMES else None


@lru_cache(maxsize=512)
def _preferred(header: str) -> str:
    """What the browser asks for; most of those that come ask in the same words."""
    return parse_accept_header(header, LanguageAccept).best_match(list(LANGUAGES), "en")


def theme() -> str | None:
    """The appearance the reader has chosen, None for that of the reader's system."""
    chosen = request.args.get("theme") or request.cookies.get("theme")
    return chosen if chosen in THEMES else None


def address_with(**changes: str | int | None) -> str:
    """The address of this page with some parameters changed; None takes one out. Language and appearance
    are not handed on: the cookie has them."""
    parameters = {**request.args.to_dict(), "lang": None, "theme": None, **changes}
    kept = {name: value for name, value in parameters.items() if value is not None}
    return f"{request.path}?{urlencode(kept)}" if kept else request.path


def remember_language(response: AnyResponse, code: str) -> AnyResponse:
    """Has the browser keep a language."""
    if code in LANGUAGES:
        _set(response, "language", code)
    return response


def _remember(response: Response) -> Response:
    if response.mimetype != "text/html":
        return response
    if request.args.get("lang") in LANGUAGES:
        _set(response, "language", request.args["lang"])
    if request.args.get("theme") in THEMES:
        _set(response, "theme", request.args["theme"])
    elif request.args.get("theme") == SYSTEM:
        response.delete_cookie("theme", samesite="Lax")
    return response


def _set(response: AnyResponse, name: str, value: str) -> None:
    # Scripts may read it: the switch of the appearance works without asking the server.
    response.cache_control.private = True
    response.set_cookie(name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure)
