"""Style, scripts and fonts, all our own. Every address holds a digest of all of them, so that browsers may
keep what they have for ever and still get what has changed."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it ships no types
import flask_bootstrap
from flask import Blueprint, Flask, Response, abort, current_app, request, send_file, url_for

from leaderboard.web.access import EVERYBODY, allow

blueprint = Blueprint("assets", __name__, url_prefix="/assets")

_BOOTSTRAP = Path(flask_bootstrap.__file__).parent / "static" / "bootstrap5"
_BORROWED = {"css/bootstrap.min.css": _BOOTSTRAP / "css" / "bootstrap.min.css"}
_FOR_EVER = "public, max-age=31536000, immutable"
_TEXT = {".css", ".js", ".svg", ".txt"}

mimetypes.add_type("font/woff2", ".woff2")


class Assets:
    """The files that may be served, found once: no request can name any other."""

    def __init__(self, folder: Path) -> None:
        own = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        self.files: Mapping[str, Path] = {**_BORROWED, **own}

    @cached_property
    def version(self) -> str:
        """A digest of all the files."""
        digest = hashlib.sha256()
        for name, path in sorted(self.files.items()):
            digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()[:12]


def init_assets(app: Flask, folder: Path) -> None:
    """Serves the files of `folder` and gives templates ``asset('css/site.css')``, their address."""
    assets = Assets(folder)
    app.extensions["leaderboard.assets"] = assets
    app.register_blueprint(blueprint)
    app.add_template_global(_address, "asset")


def version_of(app: Flask) -> str:
    """The digest of all the assets of an application."""
    assets: Assets = app.extensions["leaderboard.assets"]
    return assets.version


def _address(name: str) -> str:
    assets: Assets = current_app.extensions["leaderboard.assets"]
    if name not in assets.files:
        raise LookupError(f"there is no asset {name}")
    return url_for("assets.show", version=assets.version, name=name)


@blueprint.get("/<version>/<path:name>")
@allow(EVERYBODY)
def show(version: str, name: str) -> Response:
    """One file. Asked for under another version it is sent as it is now, to be kept for a minute."""
    assets: Assets = current_app.extensions["leaderboard.assets"]
    path = assets.files.get(name)
    if path is None:
        abort(404)
    response = _compressed(path) if path.suffix in _TEXT else send_file(path)
    response.headers["Cache-Control"] = _FOR_EVER if version == assets.version else "public, max-age=60"
    return response


def _compressed(path: Path) -> Response:
    """As small as it gets: it is made once and sent often."""
    accepted = request.accept_encodings
    coding = next((coding for coding in ("br", "gzip") if accepted[coding] > 0), "")
    response = Response(_content(path, coding), mimetype=mimetypes.guess_type(path.name)[0])
    if coding:
        response.headers["Content-Encoding"] = coding
    response.vary.add("Accept-Encoding")
    response.add_etag()
    response.make_conditional(request)
    return response


@lru_cache(maxsize=128)
def _content(path: Path, coding: str) -> bytes:
    content = path.read_bytes()
    if coding == "br":
        compressed: bytes = brotli.compress(content, quality=11)
        return compressed
    return gzip.compress(content, 9, mtime=0) if coding == "gzip" else content
