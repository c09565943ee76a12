"""Two servers behind nginx are restarted, and upgraded, while people read and send."""

from __future__ import annotations

import http.client
import os
import random
import socket
import ssl
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import func, select

from leaderboard.config import Guards, Settings
from leaderboard.site import opened
from leaderboard.store import schema
from leaderboard.store.models import Run, Score
from tests.cli.installation import Installation, set_version
from tests.cli.test_serving_told import Told, told
from tests.databases import database_url, postgresql_schema
from tests.operating.pages import of
from tests.operating.proxies import NGINX, certificate, configured
from tests.processes import PATIENCE, listens, until
from tests.web.api.scripts import person, team, token
from tests.web.browser import SECRET

__all__ = ["database_url", "postgresql_schema"]

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
ROUNDS = int(os.environ.get("LEADERBOARD_KILLS", "3" if SOAK else "0"))
HOST = "tasks.example.org"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ROUNDS, reason="takes minutes; make soak does it"),
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed (.ci/run installs it)"),
]


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in found]


@contextmanager
def proxied(folder: Path, ports: dict[str, int]) -> Iterator[None]:
    (text,) = of("docs/operating/server.md", "nginx")
    file = configured(text, folder, certificate(folder), ports)
    process = subprocess.Popen([str(NGINX), "-c", str(file), "-p", str(folder)])
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@dataclass
class Crowd:
    """People who go on asking until the end of the block; what they were answered."""

    port: int
    secret: str
    answered: Counter[str] = field(default_factory=Counter)
    acknowledged: list[int] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        people = [threading.Thread(target=self._go_on, args=(each,)) for each in (self._read, self._send)]
        for each in people:
            each.start()
        try:
            yield
        finally:
            self._ended.set()
            for each in people:
                each.join()

    def _go_on(self, once: object) -> None:
        assert callable(once)
        chance = random.Random(7)
        while not self._ended.is_set():
            try:
                once(chance)
            except OSError as error:
                self.answered[type(error).__name__] += 1

    def _read(self, _chance: random.Random) -> None:
        self.answered[f"read {self._ask('GET', '/tasks/toy').status}"] += 1

    def _send(self, chance: random.Random) -> None:
        body = "".join(f"{chance.random():.6f}\n" for _ in range(3))
        answer = self._ask("POST", "/api/v1/tasks/toy/runs", body)
        self.answered[f"send {answer.status}"] += 1
        if answer.status == 201:
            self.acknowledged.append(int(answer.headers["Location"].rpartition("/")[2]))

    def _ask(self, method: str, path: str, body: str | None = None) -> http.client.HTTPResponse:
        nobody = ssl._create_unverified_context()
        line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=nobody)
        try:
            line.request(method, path, body, {"Host": HOST, "Authorization": f"Bearer {self.secret}"})
            answer = line.getresponse()
            answer.read()
            return answer
        finally:
            line.close()


def ready(server: Told) -> bool:
    return server.ask("/readyz")[0] == 200


@contextmanager
def started(settings: Settings, folder: Path, port: int, *options: str) -> Iterator[Told]:
    folder.mkdir(exist_ok=True)
    with told(settings, folder, "--port", str(port), "--workers", "1", *options) as server:
        assert until(lambda: listens(port) and ready(server))
        yield server


@dataclass
class Behind:
    """Two servers behind nginx, and people who ask it."""

    settings: Settings
    folder: Path
    crowd: Crowd
    servers: dict[int, ExitStack]

    def start(self, port: int, *options: str) -> None:
        """Returns once the server at that port is ready."""
        self.servers[port].enter_context(started(self.settings, self.folder / str(port), port, *options))

    def stop(self, port: int) -> None:
        """Returns once the server at that port has ended."""
        self.servers[port].close()

    def says(self, port: int) -> str:
        """What the server at that port has said of errors."""
        return (self.folder / str(port) / "errors").read_text("utf-8")


class Toy(Installation):
    """The toy task, with its database and its queue at an address."""

    def __init__(self, folder: Path, url: str) -> None:
        self._url = url
        super().__init__(folder)

    @property
    def settings(self) -> Settings:
        settings = replace(super().settings, database_url=self._url)
        return replace(settings, queue_url=self._url) if self._url.startswith("postgresql") else settings


@pytest.fixture
def behind(tmp_path: Path, database_url: str) -> Iterator[Behind]:
    toy = Toy(tmp_path, database_url).ready()
    settings = replace(
        toy.settings,
        public_url=f"https://{HOST}",
        secret_key=SECRET,
        api_rate_limit="100000 per minute",
        guards=Guards(trusted_proxies=1),
    )
    with opened(settings) as site:
        sender = person(site)
        team(site, sender, "toy", "Foxes")
        secret = token(site, sender)
    http_port, https_port, *two = free_ports(4)
    ports = {"80": http_port, "443": https_port, "8001": two[0], "8002": two[1]}
    with ExitStack() as running:
        running.enter_context(proxied(tmp_path, ports))
        servers = {port: running.enter_context(ExitStack()) for port in two}
        pair = Behind(settings, tmp_path, Crowd(https_port, secret), servers)
        for port in servers:
            pair.start(port)
        assert until(lambda: listens(https_port))
        yield pair


def test_restarted_one_after_the_other_they_answer_everybody_and_score_everything_once(
    behind: Behind,
) -> None:
    with behind.crowd.at_work():
        for _ in range(ROUNDS):
            for port in behind.servers:
                behind.stop(port)
                behind.start(port)
    assert_nobody_noticed(behind)


def test_while_the_database_is_upgraded_everybody_waits_and_nobody_is_refused(behind: Behind) -> None:
    with behind.crowd.at_work():
        for _ in range(ROUNDS):
            # As far as these servers can tell, the database is that of an older release.
            set_version(behind.settings, "0001")
            with ThreadPoolExecutor(2) as pool:
                waiting = []
                for port in behind.servers:
                    behind.stop(port)
                    waiting.append(pool.submit(behind.start, port, "--wait", "100"))
                    assert until(partial(listens, port))
                assert until(
                    lambda: all("of another version" in behind.says(port) for port in behind.servers)
                )
                set_version(behind.settings, schema.newest_revision())
                for each in waiting:
                    each.result(PATIENCE)
    assert_nobody_noticed(behind)


def assert_nobody_noticed(behind: Behind) -> None:
    """Everybody was answered, and what was sent is there and scored once."""
    settings, crowd = behind.settings, behind.crowd
    assert until(lambda: all_scored(settings))
    print(dict(crowd.answered))  # noqa: T201 - the counts are what one looks for
    assert set(crowd.answered) == {"read 200", "send 201"}, crowd.answered
    with opened(settings) as site, site.database.reading() as session:
        kept = set(session.scalars(select(Run.id)))
        twice = session.execute(
            select(Score.run_id).group_by(Score.run_id, Score.track, Score.measure).having(func.count() > 1)
        ).all()
    assert kept == set(crowd.acknowledged)
    assert twice == []


def all_scored(settings: Settings) -> bool:
    with opened(settings) as site, site.database.reading() as session:
        return session.scalar(select(func.count()).where(Run.state != "scored")) == 0
