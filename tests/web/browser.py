"""A person at a browser without JavaScript: opens pages, fills in their forms, reads the letters."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient
from flask_security import hash_password
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.test import TestResponse

from leaderboard.app import create_app
from leaderboard.config import Guards, Settings, inside
from leaderboard.services import accounts, installation
from leaderboard.site import Site, opened, utc_now
from leaderboard.store.models import User
from tests.copies import copied


class _Compiled(BytecodeCache):
    """Templates as they were compiled, kept in this process."""

    def __init__(self) -> None:
        self._found: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._found:
            bucket.bytecode_from_string(self._found[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._found[bucket.key] = bucket.bytecode_to_string()


TEMPLATES = _Compiled()
PASSWORD = "four unrelated words here"
SECRET = "kept-by-nobody-but-these-tests-0123456789"

OFTEN = Guards(account_limit="10000 per day", address_limit="10000 per day", letter_limit="10000 per day")
"""Tests are many people at one address."""


BROWSERS = "tests.browsers"
"""Where an application under test notes by name who signed in last, and by which browser."""


def make_app(folder: Path, **settings: object) -> Flask:
    """An application whose database has the project's own tasks and nobody."""
    chosen = replace(inside(folder / "instance", Settings(guards=OFTEN)), **settings)  # type: ignore[arg-type]
    if "database_url" in settings:
        _initialise(chosen)
    else:
        copied("own tasks", folder, lambda original: _initialise(inside(original / "instance", Settings())))
    return quick(create_app(chosen))


def _initialise(settings: Settings) -> None:
    with opened(settings) as site:
        installation.initialise(site.database, site.catalog.tasks(), utc_now())


def quick(app: Flask) -> Flask:
    """The application with what a test need not wait for made cheap."""
    app.testing = True
    # The same hash at a thousandth of the work: tests sign in often, and nobody attacks them.
    app.extensions["security"].pwd_context.update(argon2__time_cost=1, argon2__memory_cost=64)
    # Templates are compiled once, not once an application.
    app.jinja_env.bytecode_cache = TEMPLATES
    return app


def site_of(app: Flask) -> Site:
    found: Site = app.extensions["leaderboard.site"]
    return found


@dataclass
class Form:
    """A form of a page as it would be sent."""

    action: str
    values: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.found.append(Form(given.get("action", "")))
        elif tag == "input" and self.found and given.get("type") not in ("checkbox", "submit"):
            self.found[-1].values[given.get("name", "")] = given.get("value", "")


class Browser:
    """One browser with its cookies."""

    def __init__(self, app: Flask, agent: str = "Test browser") -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()
        self.headers = {"User-Agent": agent}
        self.last: TestResponse

    def open(self, address: str, **options: object) -> str:
        """The page at an address, after redirections."""
        parts = urlsplit(address)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        self.last = self.client.get(
            path, headers=self.headers, follow_redirects=True, buffered=True, **options
        )
        return self.last.text

    def forms(self) -> list[Form]:
        parser = _Forms()
        parser.feed(self.last.text)
        return parser.found

    def send(self, action: str, /, **values: str) -> str:
        """Fills in and sends the form of this page with that address, or the first whose address begins so;
        returns the page that comes."""
        forms = sorted(self.forms(), key=lambda form: form.action != action)
        form = next((form for form in forms if form.action.startswith(action)), None)
        assert form is not None, f"no form for {action} in {[form.action for form in self.forms()]}"
        self.last = self.client.post(
            form.action,
            data={**form.values, **values},
            headers=self.headers,
            follow_redirects=True,
            buffered=True,
        )
        return self.last.text

    def letters(self) -> list[EmailMessage]:
        """All letters in the outbox, the oldest first."""
        folder = site_of(self.app).settings.instance / "outbox"
        messages = [
            message_from_bytes(file.read_bytes(), policy=policy.default)
            for file in sorted(folder.glob("*.eml"))
        ]
        return [message for message in messages if isinstance(message, EmailMessage)]

    def link(self) -> str:
        """The first address in the newest letter."""
        found = re.search(r"https?://\S+", self.letters()[-1].get_content())
        assert found is not None
        return found.group()

    def fill_register(self, who: str, password: str = PASSWORD, **changes: str) -> str:
        self.open("/register")
        filled = {
            "name": who.title(),
            "email": f"{who}@example.org",
            "password": password,
            "password_confirm": password,
            "consent": "y",
        }
        return self.send("/register", **(filled | changes))

    def register(self, name: str) -> None:
        """Registers, confirms from the letter, and signs in."""
        self.fill_register(name)
        self.open(self.link())
        self.send("/confirm")
        self.sign_in(name)
        assert f"{name}@example.org" in self.last.text

    def arrive(self, name: str) -> None:
        """Signs in with a confirmed account that was not made by the pages which make one."""
        now = utc_now()
        with self.app.app_context(), site_of(self.app).database.writing() as session:
            user = User(email=f"{name}@example.org", name=name.title(), password=hash_password(PASSWORD))
            user.fs_uniquifier = uuid.uuid4().hex
            user.created_at = user.confirmed_at = user.consented_at = now
            user.consent_version = accounts.TERMS
            session.add(user)
        self.sign_in(name)
        assert f"{name}@example.org" in self.last.text

    def sign_in(self, name: str, password: str = PASSWORD) -> str:
        self.app.extensions.setdefault(BROWSERS, {})[name] = self
        self.open("/sign-in")
        return self.send("/sign-in", email=f"{name}@example.org", password=password)

    def sign_out(self) -> str:
        return self.send("/sign-out")
