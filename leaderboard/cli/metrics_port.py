"""The metrics of a consumer at a port of its own, for it serves no pages."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click

from leaderboard.config import BadSetting
from leaderboard.contract import say
from leaderboard.telemetry import exposition

OWN = ("127.0.0.1", "::1", "localhost")
"""What only this machine reaches."""


def serve_metrics(token: str, host: str, port: int) -> int:
    """Answers `GET /metrics` and `/healthz` in the background, with a token to who shows it; returns the port
    (0 takes any).

    Raises BadSetting where others than this machine would reach it without a token, and where the port is
    taken.
    """
    if not token and host not in OWN:
        raise BadSetting(f"METRICS_TOKEN is not set, and {host} is reached by others than this machine.")
    exposition.start()

    class Handler(_Handler):
        shown_token = token

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise BadSetting(
            f"Port {port} of {host} cannot be had: {why}. --metrics-port takes another one."
        ) from error
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    taken = server.server_address[1]
    click.echo(str(say("Metrics are at http://{host}:{port}/metrics", host=host, port=taken)))
    return taken


class _Handler(BaseHTTPRequestHandler):
    shown_token = ""

    def do_GET(self) -> None:
        if self.path == "/healthz":
            self._answer(200, b"")
        elif self.path != "/metrics":
            self._answer(404, b"")
        elif self.shown_token and not exposition.is_shown(
            self.shown_token, self.headers.get("Authorization", "")
        ):
            self._answer(401, b"Show METRICS_TOKEN as a bearer token.\n")
        else:
            self._answer(200, exposition.text())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", exposition.TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """It is asked every few seconds; nothing of that is worth a line."""
