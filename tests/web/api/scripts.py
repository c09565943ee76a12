"""People whose scripts show a token to the API."""

from __future__ import annotations

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from leaderboard.services import teams, tokens
from leaderboard.services.teams import Named
from leaderboard.services.tokens import Scope
from leaderboard.site import Site, utc_now
from leaderboard.store.models import User

ROOT = "/api/v1"
SAMPLES = Path(__file__).resolve().parents[3] / "tasks"


def person(site: Site, name: str = "Ann") -> int:
    """A confirmed account."""
    now = utc_now()
    with site.database.writing() as session:
        user = User(
            email=f"{uuid.uuid4().hex}@example.org",
            name=name,
            fs_uniquifier=uuid.uuid4().hex,
            created_at=now,
            confirmed_at=now,
        )
        session.add(user)
        session.flush()
        return user.id


def token(site: Site, user_id: int, scope: Scope = "submit", age: timedelta = timedelta(0)) -> str:
    """The secret of a token for a week, made so long ago."""
    with site.database.writing() as session:
        return tokens.make(session, user_id, "cluster", scope, 7, utc_now() - age)


def team(site: Site, user_id: int, task: str, name: str) -> None:
    """Puts a person into a new team."""
    with site.database.writing() as session:
        teams.found(session, site.catalog.find(task), user_id, Named(name), utc_now())


class Script:
    """Asks the API of an application with a token."""

    def __init__(self, app: Flask, secret: str | None) -> None:
        self.client = app.test_client()
        self.headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}

    def ask(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = self.headers | options.pop("headers", {})
        address = path if path.startswith("/api") else ROOT + path
        return self.client.open(address, method=method, headers=headers, **options)

    def get(self, path: str, **parameters: Any) -> Any:
        """The document at an address that must be there."""
        answer = self.ask("GET", path, query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    def send(self, task: str, content: bytes | Path, **options: Any) -> TestResponse:
        """Sends a file as the body."""
        body = content.read_bytes() if isinstance(content, Path) else content
        words = options.pop("words", {})
        return self.ask("POST", f"/tasks/{task}/runs", data=body, query_string=words, **options)

    def refused(self, answer: TestResponse, status: int, slug: str) -> Any:
        """The problem document of an answer that must be one."""
        assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), answer.text
        document = answer.json
        assert document is not None
        assert (document["status"], document["type"]) == (status, f"/api#{slug}")
        return document


def member(app: Flask, site: Site, task: str = "russe", name: str = "Foxes") -> Script:
    """The script of somebody in a new team."""
    user_id = person(site)
    team(site, user_id, task, name)
    return Script(app, token(site, user_id))


def sample(task: str, name: str) -> Path:
    """A run of a sample."""
    return SAMPLES / task / "sample" / "runs" / name
