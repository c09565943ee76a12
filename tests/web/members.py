"""People in teams who send runs through the pages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask

from tests.web.browser import Browser
from tests.web.installation import Installation


class Clock:
    """The clock of the site, which stands still until it is moved."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def install(self, patch: pytest.MonkeyPatch) -> Clock:
        clock = self

        class Stopped(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
                return clock.moment.astimezone(UTC)

        # What every part asks is `utc_now`, and that asks this.
        patch.setattr("leaderboard.site.datetime", Stopped)
        return self

    def move(self, **span: float) -> None:
        self.moment += timedelta(**span)


def app_of(installation: Installation) -> Flask:
    return installation.app()


class Member(Browser):
    """A person who has made a team in a task and sends runs for it."""

    def __init__(self, app: Flask, name: str, team: str, task: str = "russe") -> None:
        super().__init__(app)
        self.arrive(name)
        self.found(team, task)

    def found(self, team: str, task: str) -> None:
        self.task = task
        self.open(f"/tasks/{task}/team")
        self.send(f"/tasks/{task}/team", name=team, affiliation="", alias="")

    def submit(self, content: bytes | Path, file_name: str = "run.csv", **values: str) -> str:
        """Sends a file by the form; returns the page that comes."""
        if isinstance(content, Path):
            file_name, content = content.name, content.read_bytes()
        self.open(f"/tasks/{self.task}/submit")
        filled = {"kind": "ordinary", "manner": "", **values}
        return self.send(f"/tasks/{self.task}/submit", file=(BytesIO(content), file_name), **filled)  # type: ignore[arg-type]

    @property
    def run(self) -> int:
        """The number of the run whose page this is."""
        found = re.search(r"/team/runs/(\d+)", self.last.request.path)
        assert found is not None, self.last.request.path
        return int(found.group(1))

    def act(self, run: int, action: str) -> str:
        address = f"/tasks/{self.task}/team/runs/{run}"
        self.open(address)
        return self.send(f"{address}/{action}")
