"""gunicorn's lines, in the one pipe; ``--logger-class leaderboard.telemetry.gunicorn_logs.Lines``.

A line of the access log names the pattern of the address and numbers in it, never the address itself: links
in letters and invitations would open what they lead to for whoever reads the log.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger

from leaderboard.config import from_environment
from leaderboard.telemetry import context, logs

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""They are asked for every few seconds."""


class Lines(Logger):
    """A logger for gunicorn without handlers of its own."""

    def setup(self, cfg: Any) -> None:
        """What gunicorn calls when it starts and when it reads its settings anew."""
        self.cfg = cfg
        logs.set_up(from_environment().log)
        logs.write_nothing_else()
        self.loglevel = self.LOG_LEVELS.get(cfg.loglevel.lower(), logging.INFO)
        self.error_log.setLevel(self.loglevel)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True
        self._access_log_enabled = self.access_log.isEnabledFor(logging.INFO)

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """An error beside the application. Of its words, those in front of an address are kept."""
        words = str(msg).partition("%s")[0].strip() if args else type(msg).__name__
        if not isinstance(msg, BaseException):
            words = words or "Error handling request"
        self.error_log.exception(words, **kwargs)

    def warning(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Something is odd. Of a request that is none, what was wrong with it may be quoted: left out."""
        words = str(msg)
        if words.startswith("Invalid request"):
            # No more do they belong to the request that the thread had before.
            context.begin({})
            words = words.partition(":")[0]
        self.error_log.warning(words, *args, **kwargs)

    def access(self, resp: Any, _req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """A request was answered."""
        path, status = environ.get("PATH_INFO", ""), str(resp.status)[:3]
        if not self._access_log_enabled or (path in PROBES and status == "200"):
            return
        method = environ.get("REQUEST_METHOD", "")
        route = path if path in PROBES else environ.get("leaderboard.route", "(none)")
        fields = {
            "method": method,
            "route": route,
            "status": int(status) if status.isdigit() else 0,
            "bytes": getattr(resp, "sent", 0) or 0,
            "seconds": round(request_time.total_seconds(), 6),
            "address": environ.get("REMOTE_ADDR") or "",
        }
        if "leaderboard.request_id" in environ:
            fields["request"] = environ["leaderboard.request_id"]
        self.access_log.info("%s %s %s", method, route, status, extra=fields)
