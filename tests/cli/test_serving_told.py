"""What the real processes tell: log lines, probes, metrics, and what none of them may say."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.config import Guards, Settings, to_environment
from leaderboard.services import queue, rescoring, runs
from leaderboard.services.leases import LEASE
from leaderboard.site import opened, utc_now
from tests.cli.installation import Installation
from tests.conftest import REPOSITORY
from tests.processes import PATIENCE, is_there, until

TOKEN = "canary-of-metrics-0123456789-ABCDEFGH"
SECRET = "canary-of-cookies-0123456789-ABCDEFGH"
GOLD = ("0.918273645", "0.564738291", "0.192837465")
LINK = "canary-0123456789abcdefghijklmnop"

NOISY = """

import sys

_read_gold = read_gold

def read_gold(spec, files):
    for path in files.values():
        print(path.read_text())
        print(path.read_text(), file=sys.stderr)
    return _read_gold(spec, files)

_score = score

def score(spec, run, benchmark):
    if max(run) > 700:
        raise ValueError(f"not what stands there: {benchmark.values}")
    return _score(spec, run, benchmark)
"""


@dataclass
class Told:
    process: subprocess.Popen[bytes]
    url: str
    errors: Path

    def ask(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        request = urllib.request.Request(self.url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode(), dict(answer.headers)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), dict(error.headers)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.errors.read_text().splitlines()]

    def has(self, **fields: object) -> bool:
        return any(all(line.get(name) == value for name, value in fields.items()) for line in self.lines)


@contextmanager
def told(settings: Settings, folder: Path, *options: str) -> Iterator[Told]:
    errors, said = folder / "errors", folder / "said"
    command = [sys.executable, "-m", "leaderboard", "serve", "--port", "0", *options]
    with errors.open("wb") as err, said.open("wb") as out:
        process = subprocess.Popen(
            command,
            env={**os.environ, **to_environment(settings), "PYTHONPATH": str(REPOSITORY)},
            cwd=folder,
            stdout=out,
            stderr=err,
        )
    try:
        assert until(lambda: "http://" in said.read_text() or process.poll() is not None)
        found = re.search(r"(http://\S+)/", said.read_text())
        assert found, errors.read_text()
        yield Told(process, found[1], errors)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


@pytest.fixture
def canaries(bare: Installation) -> Installation:
    """The toy task with a gold like no other, and a scorer that shouts what it reads."""
    scorer = bare.tasks / "toy" / "scorer.py"
    scorer.write_text(scorer.read_text() + NOISY)
    bare.write("gold/near.txt", *GOLD)
    return bare.ready()


def test_processes_tell_what_they_do_in_documents_and_nothing_that_is_hidden(canaries: Installation) -> None:
    settings = replace(
        canaries.settings, metrics_token=TOKEN, secret_key=SECRET, guards=Guards(trusted_proxies=1)
    )
    with opened(canaries.settings) as site:
        spec, scorer = site.task("toy")
        for team, first in (("good", 0.1), ("bad", 777.246813579)):
            path = canaries.write(f"{team}.txt", first, 0.5, 0.123123123)
            with site.database.writing() as session:
                runs.submit(session, site.files, spec, scorer, path, runs.Details(team), utc_now() - LEASE)
    with told(settings, canaries.folder, "--workers", "1", "--drain", "600") as server:
        assert until(lambda: server.has(event="run scored") and server.has(event="run failed"))
        assert until(lambda: server.has(event="job done", kind="score", run=2))
        status, _, headers = server.ask("/tasks/toy", **{"X-Request-ID": "given-by-the-proxy"})
        assert (status, headers["X-Request-ID"]) == (200, "given-by-the-proxy")
        for address in (
            f"/confirm/{LINK}",
            f"/reset/{LINK}",
            f"/invitations/{LINK}",
            f"/none/{LINK}?t={LINK}",
        ):
            server.ask(address, Authorization=f"Bearer {LINK}", Cookie=f"session={LINK}")
        assert server.ask("/readyz")[0] == 200
        assert until(lambda: shown_by_all(server))
        shown = server.ask("/metrics", Authorization=f"Bearer {TOKEN}")[1]
        about_to_stop(server)
        lines, text = server.lines, server.errors.read_text()
    assert [line for line in lines if line["level"] in ("error", "critical")] == []
    by_child = next(line for line in lines if line["event"] == "run failed")
    assert (by_child["task"], by_child["kind"], by_child["run"]) == ("toy", "score", 2)
    assert server.has(event="GET /tasks/<task> 200", task="toy", request="given-by-the-proxy")
    assert server.has(event="GET /confirm/<token> 302")
    for hidden in (*GOLD, TOKEN, SECRET, LINK, "0.123123123", "777.246813579"):
        assert hidden not in text
        assert hidden not in shown


def shown_by_all(server: Told) -> bool:
    """Whether the numbers of the consumer and of the pages are there, which one of these answers with."""
    shown = server.ask("/metrics", Authorization=f"Bearer {TOKEN}")[1]
    return (
        'leaderboard_jobs_total{kind="score",outcome="done",task="toy"} 2.0' in shown
        and 'leaderboard_scoring_seconds_count{outcome="failed",task="toy"} 1.0' in shown
        and 'leaderboard_requests_total{method="GET",route="/tasks/<task>",status="200"} 1.0' in shown
        and "leaderboard_consumers 1.0" in shown
    )


def about_to_stop(server: Told) -> None:
    """Told to stop, it goes on for a while and says that it is about to go; told again, it goes."""
    folder = next(Path("/tmp").glob(f"leaderboard-serve-{server.process.pid}-*"))
    assert list(folder.glob("*.db"))
    server.process.send_signal(signal.SIGTERM)
    assert until(lambda: server.ask("/readyz")[0] == 503)
    assert server.ask("/about")[0] == 200
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0
    assert not folder.exists()


def test_a_consumer_alone_shows_its_metrics_at_a_port_of_its_own(toy: Installation) -> None:
    command = [sys.executable, "-m", "leaderboard", "worker", "--metrics-port", "0"]
    process = subprocess.Popen(
        command,
        env={**os.environ, **to_environment(toy.settings), "PYTHONPATH": str(REPOSITORY)},
        cwd=toy.folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        with opened(toy.settings) as site, site.database.writing() as session:
            queue.enqueue(session, rescoring.JOB, "toy", {}, utc_now(), site.jobs.deliver)
        line = 'leaderboard_jobs_total{kind="rescore",outcome="done",task="toy"} 1.0'

        def shown() -> str:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return str(answer.read().decode())

        assert until(lambda: line in shown())
    finally:
        process.terminate()
        process.wait(PATIENCE)
        if process.stdout is not None:
            process.stdout.close()
    assert not is_there(process.pid)


def test_metrics_of_a_consumer_are_not_for_other_machines_without_a_token(toy: Installation) -> None:
    printed = toy.refused("worker", "--metrics-port", 0, "--metrics-host", "0.0.0.0")
    assert "METRICS_TOKEN is not set, and 0.0.0.0 is reached by others" in printed


def test_a_port_of_metrics_that_is_taken_is_named(toy: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        printed = toy.refused("worker", "--metrics-port", port)
    assert f"Port {port} of 127.0.0.1 cannot be had" in printed


def test_a_secret_that_can_be_guessed_is_not_served_to_other_machines(toy: Installation) -> None:
    settings = replace(toy.settings, secret_key="change-me")
    done = toy.run_with(settings, "serve", "--host", "0.0.0.0", "--port", 0)
    assert done.exit_code == 1
    assert "SECRET_KEY is short or easy to guess, and 0.0.0.0 is reached by others" in done.stderr
