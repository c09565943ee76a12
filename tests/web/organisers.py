"""People who organise tasks, or the whole site, through the pages."""

from __future__ import annotations

from flask import Flask

from leaderboard.services import roles
from leaderboard.services.audit import SHELL
from leaderboard.services.roles import Right
from leaderboard.site import utc_now
from tests.web.browser import BROWSERS, Browser, site_of


def give(app: Flask, name: str, right: Right, task: str | None) -> None:
    """Gives a right to who is registered by that name; with new rights people sign in anew."""
    with site_of(app).database.writing() as session:
        roles.give(session, f"{name}@example.org", right, task, SHELL, utc_now())
    browser: Browser | None = app.extensions.get(BROWSERS, {}).get(name)
    if browser is not None:
        browser.sign_in(name)


class Organiser(Browser):
    """A person who is signed in and organises a task."""

    def __init__(self, app: Flask, name: str = "olga", task: str = "russe") -> None:
        super().__init__(app)
        self.task = task
        self.register(name)
        give(app, name, "organiser", task)

    def at(self, page: str) -> str:
        """The address of a page of the organisers."""
        return f"/tasks/{self.task}/organise/{page}"


class Administrator(Browser):
    """A person who is signed in and administers the site."""

    def __init__(self, app: Flask, name: str = "ada") -> None:
        super().__init__(app)
        self.register(name)
        give(app, name, "administrator", None)
