"""Teams that send runs by the client that participants have, and go on until each is acknowledged."""

from __future__ import annotations

import hashlib
import random
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

from leaderboard.client import submitting
from leaderboard.client.connection import Broken, Refused, Server
from leaderboard.client.submitting import NotAllowedNow, Sending
from tests.faults.running import RUNS, Running
from tests.web.api.scripts import person, team, token

SENDERS = 2
"""So many scripts of a team send at once; together they have more than the team may send."""

LARGE = 8_000_100
"""A file of so many bytes is left to consumers."""

EARLY = 0.3
"""The fault comes before so large a part of all files has been sent."""

AGAIN = 60
"""So often a file is sent anew at most."""

LONGEST_PAUSE = 0.5


class Counting(Server):
    """Counts what it is answered."""

    answers: Counter[str]

    def open(self, method: str, *path: object, **options: Any) -> HTTPResponse:
        try:
            answer = super().open(method, *path, **options)
        except Broken:
            self.answers["broken"] += 1
            raise
        except Refused as refused:
            self.answers[refused.slug] += 1
            raise
        self.answers[str(answer.status)] += 1
        return answer


@dataclass
class Team:
    """`acknowledged`: the hashes of files that the server has said it has, with the numbers of their runs."""

    name: str
    secret: str
    acknowledged: dict[str, int] = field(default_factory=dict)
    refused: int = 0


@dataclass
class Wave:
    """Teams that send at once. `moment` comes when they have sent a certain part of all they have."""

    site: Running
    chance: random.Random
    number: int
    folder: Path
    teams: list[Team] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.moment = threading.Event()
        self._lock = threading.Lock()
        self._sent = 0.0
        self._pause = threading.Event()
        self._pool = ThreadPoolExecutor()
        self._all: list[Future[None]] = []

    def begin(self, teams: int) -> None:
        """Has new teams send."""
        work = []
        site = self.site.open()
        for name in (f"team {self.number}-{number}" for number in range(teams)):
            someone = person(site)
            team(site, someone, "toy", name)
            self.teams.append(Team(name, token(site, someone)))
            work += [(self.teams[-1], [self._file() for _ in range(RUNS)]) for _ in range(SENDERS)]
        site.close()
        # So early that much is still to come.
        self._threshold = self.chance.uniform(0.0, EARLY * teams * SENDERS * RUNS)
        self._all = [self._pool.submit(self._send_all, *each) for each in work]

    def end(self) -> None:
        """Waits until all is sent."""
        try:
            for each in self._all:
                each.result()
        finally:
            self.moment.set()
            self._pool.shutdown()

    def _file(self) -> Path:
        path = self.folder / f"{self.number}-{self.chance.getrandbits(40)}.txt"
        text = "\n".join(str(round(self.chance.random(), 9)) for _ in range(3))
        path.write_text(text.ljust(LARGE if self.chance.random() < 0.4 else 0) + "\n")
        return path

    def _send_all(self, whose: Team, files: list[Path]) -> None:
        server = Counting(self.site.url, whose.secret, patience=60.0)
        server.answers = self.answers
        for file in files:
            self._send(server, whose, file)
            file.unlink()

    def _send(self, server: Server, whose: Team, file: Path) -> None:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        sending = Sending("toy", file, {})
        for _ in range(AGAIN):
            seen = [0.0]

            def count(done: int, size: int, seen: list[float] = seen) -> None:
                self._count(done / size - seen[0])
                seen[0] = done / size

            try:
                sent = submitting.submit(server, sending, count, self._wait, attempts=3)
            except NotAllowedNow:
                whose.refused += 1
                return
            except (Broken, Refused) as error:
                self._say_if_it_may_not_be(error)
            else:
                assert sent.run["sha256"] == digest
                whose.acknowledged[digest] = int(sent.run["id"])
                return
            self._wait(LONGEST_PAUSE)
        raise AssertionError(f"{file} could not be sent: {self.answers}")

    def _count(self, sent: float) -> None:
        with self._lock:
            self._sent += max(sent, 0.0)
            if self._sent >= self._threshold:
                self.moment.set()

    @staticmethod
    def _say_if_it_may_not_be(error: Broken | Refused) -> None:
        if isinstance(error, Refused) and error.slug not in ("busy", "unavailable"):
            raise error

    def _wait(self, seconds: float) -> None:
        self._pause.wait(min(seconds, LONGEST_PAUSE))


class Readers:
    """Somebody who looks at pages all the time. `statuses` counts what they got, 0 for no answer."""

    PAGES = ("/", "/tasks/toy/board?track=near", "/api/v1/tasks/toy", "/sign-in")

    def __init__(self, site: Running) -> None:
        self.statuses: Counter[int] = Counter()
        self._site = site
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        number = 0
        while not self._stopping.wait(0.2):
            self.statuses[self._site.look(self.PAGES[number % len(self.PAGES)])] += 1
            number += 1

    def stop(self) -> Counter[int]:
        self._stopping.set()
        self._thread.join()
        return self.statuses
