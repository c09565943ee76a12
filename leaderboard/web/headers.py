"""What browsers are told not to do on our pages."""

from __future__ import annotations

from flask import Flask, Response

from leaderboard.config import Settings
from leaderboard.web.proxies import init_proxies

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        # Bootstrap draws the marks of its form fields from addresses that hold the picture itself.
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


TLS_ONLY = "max-age=31536000"
"""For a year browsers ask this host by https alone. Other hosts of the domain are not ours to bind."""


def init_headers(app: Flask, settings: Settings) -> None:
    """Puts the headers on every answer, error pages too, and says which headers of requests are believed."""
    init_proxies(app, settings)
    headers = {**HEADERS, "Strict-Transport-Security": TLS_ONLY} if settings.behind_tls else HEADERS

    def protect(response: Response) -> Response:
        # Looked through once, for this is done to every answer.
        there = {name.lower() for name, _ in response.headers}
        response.headers.extend((name, value) for name, value in headers.items() if name.lower() not in there)
        return response

    app.after_request(protect)
