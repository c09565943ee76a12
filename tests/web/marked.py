"""A site with a bit of everything, whose gold is marked with words and a value that stand nowhere else."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from flask import Flask
from sqlalchemy import MetaData, select
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from leaderboard.store.models import User
from tests.web.api.scripts import Script, token
from tests.web.browser import Browser, site_of
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.organisers import Administrator, Organiser
from tests.web.test_teams import invite, join

WORDS = ("канареечник", "желтопузик", "CANARY_4711")
VALUE = "0.123454321"
OWN_RUN = "a-run-of-the-foxes"

_LINES = {
    "hj-test.csv": f"{WORDS[0]},{WORDS[1]},{VALUE}",
    "rt-test.csv": f"{WORDS[0]},{WORDS[1]},1",
    "ae2-test.csv": f"{WORDS[0]},{WORDS[1]},1",
}


@dataclass
class Marked:
    """The site, its people, and the number of the run of Carla's team, the Foxes. Lea has left that team,
    Mark is in it, Fred too, but his account is frozen; Bob leads another one."""

    installation: Installation
    app: Flask
    carla: Member
    mark: Browser
    lea: Browser
    fred: Browser
    bob: Member
    olga: Organiser
    ada: Administrator
    run: int
    secrets: tuple[str, ...]

    @classmethod
    def make(cls, folder: Path, tasks_folder: Path) -> Marked:
        """RUSSE with runs of its sample and of teams, and MJ that is not published; CAsT with a run."""
        made = Installation.make(folder, tasks_folder)
        for task in ("russe", "cast"):
            made.install(task, marked_gold(made, task, folder / f"gold-{task}"))
        made.submit("russe", "embeddings.csv", "Badgers")
        made.submit("cast", "random.run", "Badgers")
        made.build_mj(publish=False)
        app = app_of(made)
        carla, bob = Member(app, "carla", "Foxes"), Member(app, "bob", "Owls")
        run = _sent(carla, made, "thesaurus.csv", OWN_RUN)
        _sent(bob, made, "random.csv", "a-run-of-the-owls")
        mark, lea, fred = Browser(app), Browser(app), Browser(app)
        link = invite(carla)
        for browser, name in ((mark, "mark"), (lea, "lea"), (fred, "fred")):
            browser.register(name)
            join(browser, link)
        lea.open("/tasks/russe/team")
        lea.send("/tasks/russe/team/leave")
        olga, ada = Organiser(app, "olga"), Administrator(app, "ada")
        site_of(app).jobs.drain()
        hashes = [path.name for path in (made.settings.instance / "gold").rglob("*") if len(path.name) == 64]
        return cls(made, app, carla, mark, lea, fred, bob, olga, ada, run, (*WORDS, VALUE, *hashes))

    def token_of(self, browser: Browser) -> str:
        """The secret of a token of who is signed in there."""
        data = browser.client.get("/account/data", headers=browser.headers).json
        assert data is not None
        address = data["account"]["email"]
        with site_of(self.app).database.reading() as session:
            user_id = session.scalars(select(User.id).where(User.email == address)).one()
        return token(site_of(self.app), user_id)

    def script_of(self, browser: Browser) -> Script:
        return Script(self.app, self.token_of(browser))

    def told(self, answer: TestResponse) -> list[str]:
        """The secrets that an answer holds, in its body or its headers."""
        return [secret for secret in self.secrets if any(secret in text for text in texts_of(answer))]

    def values_of(self, rule: Rule) -> Iterator[Mapping[str, object]]:
        """What may stand in the open parts of an address: real things first."""
        known: Mapping[str, tuple[object, ...]] = {
            "task": ("russe",),
            "run_id": (self.run, 1),
            "other_id": (1,),
            "ending": ("csv", "json", "svg"),
            "name": ("pairs", "training"),
            "number": (1,),
        }
        values: dict[str, object] = dict(rule.defaults or {})
        for name in rule.arguments - set(values):
            converter = rule._converters[name]
            items = getattr(converter, "items", None)
            if items is not None:
                values[name] = sorted(items)[0]
            else:
                values[name] = known.get(name, (1 if "Integer" in type(converter).__name__ else "x",))[0]
        yield values
        for name in sorted(rule.arguments & set(known)):
            allowed = getattr(rule._converters.get(name), "items", known[name])
            for other in known[name][1:]:
                if other in allowed:
                    yield {**values, name: other}

    def addresses(self, method: str = "GET") -> Iterator[tuple[str, str]]:
        """Every route that takes a method, and real addresses of it."""
        bound = self.app.url_map.bind("localhost")
        for rule in sorted(self.app.url_map.iter_rules(), key=str):
            if method in (rule.methods or ()):
                for values in self.values_of(rule):
                    yield rule.endpoint, bound.build(rule.endpoint, values, method=method)


def marked_gold(installation: Installation, task: str, folder: Path) -> Path:
    """The sample's gold with one more line in each file."""
    copied = installation.copied_gold(task, folder)
    for path in copied.iterdir():
        line = _LINES.get(path.name)
        if line is None and path.suffix == ".qrels":
            line = f"{path.read_text('utf-8').split()[0]} 0 {WORDS[2]} 1"
        if line is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
    return copied


def _sent(member: Member, made: Installation, sample: str, name: str) -> int:
    page = member.submit(made.spec("russe").folder / "sample" / "runs" / sample, name=name)
    assert name in page
    return member.run


def texts_of(answer: TestResponse) -> Iterator[str]:
    """Everything that an answer says, whatever it is packed into or escaped by."""
    yield unquote(str(answer.headers))
    for content in _unpacked(answer.get_data()):
        text = content.decode("utf-8", errors="replace")
        yield html.unescape(text)
        if "\\u" in text or "%" in text:
            yield unquote(re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text))


def _unpacked(content: bytes) -> Iterable[bytes]:
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield from _unpacked(archive.read(name))
    elif content.startswith(b"\x1f\x8b"):
        yield from _unpacked(gzip.decompress(content))
    else:
        yield content


def crawl(browser: Browser, start: str, most: int) -> Iterator[tuple[str, TestResponse]]:
    """Whatever links lead to from an address, downloads too: one of each kind of address and query."""
    waiting, seen = [start], {start}
    while waiting and most:
        address = waiting.pop(0)
        answer = browser.client.get(address, headers=browser.headers, buffered=True)
        most -= 1
        yield address, answer
        found = re.findall(r'(?:href|src)="([^"]+)"', answer.text) if answer.mimetype == "text/html" else []
        for link in [answer.headers.get("Location", ""), *map(html.unescape, found)]:
            target = urljoin(address, link)
            parts = urlsplit(target)
            asked = sorted(each.partition("=")[0] for each in parts.query.split("&"))
            kind = re.sub(r"\d+", "N", parts.path) + "?" + "&".join(asked)
            passed = parts.netloc or parts.scheme or {"lang", "theme"} & set(asked) or "/assets/" in kind
            if link and not passed and kind not in seen:
                seen.add(kind)
                waiting.append(f"{quote(parts.path)}?{parts.query}" if parts.query else quote(parts.path))


def dump_of(installation: Installation) -> dict[str, list[str]]:
    """Every row of every table, but for when browsers and tokens were seen last."""
    kept: dict[str, list[str]] = {}
    with installation.site.database.reading() as session:
        tables = MetaData()
        tables.reflect(session.connection())
        for name, table in tables.tables.items():
            columns = [each for each in table.columns if each.name not in ("last_seen_at", "last_used_at")]
            rows = session.execute(select(*columns))
            kept[name] = sorted(json.dumps([repr(value) for value in row]) for row in rows)
    return kept
