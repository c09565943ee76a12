"""Passwords of accounts that are made at the command line."""

from __future__ import annotations

from leaderboard.config import Settings


def kept_as(settings: Settings, password: str) -> str:
    """How the site keeps a password. Raises PasswordRefused where it is too short."""
    # The web application knows how passwords are kept; few commands need it, and it takes a while.
    from leaderboard.app import create_app
    from leaderboard.web.identity import hashed

    with create_app(settings).app_context():
        return hashed(password)
