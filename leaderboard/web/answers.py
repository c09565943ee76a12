"""Pages as answers: rendered in the reader's language, and not sent again to whoever has them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, Response, current_app, make_response, render_template, request, session

from leaderboard.web import assets, preferences
from leaderboard.web.identity import sign_in_token, viewer

_BUILD = "leaderboard.build"


def init_answers(app: Flask, root: Path) -> None:
    """Notes which code and templates pages are made by, since a change of these changes every page."""
    app.extensions[_BUILD] = f"{assets.version_of(app)} {_digest(root)}"


@cache
def _digest(root: Path) -> str:
    """Of the code that runs, read once: a process keeps it whatever becomes of the files."""
    digest = hashlib.sha256()
    for folder, pattern in (("templates", "*.html"), ("leaderboard", "*.py"), ("translations", "*.mo")):
        for path in sorted((root / folder).rglob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def unchanged(*shown: object) -> Response | None:
    """An empty answer where the reader has the page that would be made from the values `shown`.

    Everything on the page must follow from them and from the address. Their ``repr`` must tell all of it.
    """
    response = Response(status=304)
    response.set_etag(_stamp(shown), weak=True)
    _mark(response)
    wanted = request.if_none_match
    return response if wanted and wanted.contains_weak(_stamp(shown)) else None


def page(template: str, *shown: object, **context: object) -> Response:
    """The rendered page. With `shown`, as in `unchanged`; without, it is compared as it was rendered."""
    # Before the page is made, for making it uses up what was to be told once.
    stamp = _stamp(shown)
    response = make_response(render_template(template, **context))
    if shown:
        response.set_etag(stamp, weak=True)
    else:
        response.add_etag(weak=True)
    _mark(response)
    response.make_conditional(request)
    return response


def _stamp(shown: tuple[object, ...]) -> str:
    reader = (preferences.language(), preferences.theme(), request.full_path)
    # A page for somebody holds that person's forms, which are good for one sign-in.
    person = (viewer(), sign_in_token(), session.get("_flashes"))
    parts = repr((current_app.extensions[_BUILD], reader, person, shown))
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def _mark(response: Response) -> None:
    response.headers["Cache-Control"] = "private, no-cache" if viewer() else "no-cache"
    response.vary.update(("Accept-Language", "Cookie"))
