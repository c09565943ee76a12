"""What is believed of a request: what proxies add to it, and which host it says it is for."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask_babel import gettext
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import host_is_trusted

from leaderboard.config import Settings

OWN_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""What a proxy on the machine may call it."""


def init_proxies(app: Flask, settings: Settings) -> None:
    """Believes as many proxies as there are, and no other host than the site's own where that is known."""
    proxies = settings.guards.trusted_proxies
    if proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies)  # type: ignore[method-assign]
    host = urlsplit(settings.public_url).hostname
    if host:
        app.before_request(lambda: _refuse_unless([host, *OWN_HOSTS]))


def _refuse_unless(hosts: list[str]) -> Response | None:
    """No page is made for another host: its links would lead there, and caches would keep them."""
    if host_is_trusted(request.host, hosts):
        return None
    text = gettext("This is not the address of this site.") + "\n"
    return Response(text, 400, content_type="text/plain; charset=utf-8")
