"""The real server, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from leaderboard.config import to_environment
from leaderboard.services import job_pages, queue, rescoring, runs
from leaderboard.services.leases import LEASE
from leaderboard.site import opened, utc_now
from leaderboard.store import schema
from tests.cli.installation import Installation, set_version
from tests.processes import PATIENCE, children_of, free_port, is_there, listens, until

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Server:
    process: subprocess.Popen[str]
    url: str
    greeting: str

    def get(self, path: str = "") -> str:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            text: str = answer.read().decode()
            return text

    def stop(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def answers(self) -> bool:
        port = int(self.url.rstrip("/").rpartition(":")[2])
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return False
        return True


@contextmanager
def serving(toy: Installation, *options: str) -> Iterator[Server]:
    environment = {**os.environ, **to_environment(toy.settings), "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "leaderboard", "serve", "--port", "0", "--workers", "1", *options]
    process = subprocess.Popen(command, env=environment, cwd=toy.folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        greeting = ""
        for line in process.stdout:
            greeting += line
            if found := re.search(r"http://\S+/", line):
                yield Server(process, found[0], greeting)
                break
        else:
            pytest.fail(f"the server ended: {greeting}")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def test_serve_leaves_to_the_queue_what_was_left_shows_pages_and_does_jobs_until_told_to_stop(
    toy: Installation,
) -> None:
    path = toy.write("b.txt", 0.1, 0.5, 0.8)
    with opened(toy.settings) as site:
        spec, scorer = site.task("toy")
        with site.database.writing() as session:
            # A process was killed between the two halves of entering a run.
            runs.submit(session, site.files, spec, scorer, path, runs.Details("b"), utc_now() - LEASE)
    with serving(toy) as server:
        assert "toy: 1 run waits and is left to the queue." in server.greeting
        assert until(lambda: toy.lines("near") == [("b", 1)])
        assert "Toy" in server.get()
        assert state_of_a_job_in_the_end(toy) == "done"
        assert server.stop(signal.SIGTERM) == 0
        assert not server.answers()


def state_of_a_job_in_the_end(toy: Installation) -> str:
    with opened(toy.settings) as site:
        with site.database.writing() as session:
            job_id = queue.enqueue(session, rescoring.JOB, "toy", {}, utc_now(), site.jobs.deliver)

        def is_done() -> bool:
            with site.database.reading() as session:
                return job_pages.show(session, job_id).state == "done"

        return "done" if until(is_done) else "not done"


def test_a_broken_task_is_named_and_does_not_stop_the_server_but_an_interrupt_does(
    toy: Installation, capfd: pytest.CaptureFixture[str]
) -> None:
    (toy.tasks / "toy" / "task.toml").write_text("name = ")
    with serving(toy) as server:
        assert "task.toml" in capfd.readouterr().err
        assert "<h1" in server.get("about")
        assert server.stop(signal.SIGINT) == 0
        assert not server.answers()


def test_a_port_that_is_taken_is_named(toy: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        printed = toy.refused("serve", "--port", port)
    assert printed.startswith(f"Port {port} of 127.0.0.1 cannot be had: Address already in use.")


def test_it_waits_for_a_database_that_is_to_be_upgraded_and_so_does_who_asks(toy: Installation) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/tasks/toy"

    def ask_and_then_upgrade() -> bytes:
        assert until(lambda: listens(port))
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
            line.sendall(f"GET {address} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
            line.settimeout(1)
            with pytest.raises(TimeoutError):
                line.recv(1)
            line.settimeout(PATIENCE)
            set_version(toy.settings, schema.newest_revision())
            return line.recv(100)

    set_version(toy.settings, "0001")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask_and_then_upgrade)
        with serving(toy, "--port", str(port), "--wait", "100") as server:
            assert asked.result(PATIENCE).startswith(b"HTTP/1.0 200 OK")
            assert "Toy" in server.get()


def test_it_does_not_wait_for_a_database_unless_it_is_told_to(toy: Installation) -> None:
    set_version(toy.settings, "0001")
    for command in ("serve", "worker"):
        options = ("--port", free_port()) if command == "serve" else ()
        assert "is of another version" in toy.refused(command, *options)
        waited = toy.refused(command, *options, "--wait", 1)
        assert "is of another version" in waited
        assert "Waiting for that, up to 1 second." in waited


def test_killed_it_leaves_no_process_behind(toy: Installation) -> None:
    with serving(toy) as server:
        assert "Toy" in server.get()
        below = children_of(server.process.pid)
        assert len(below) >= 3, "gunicorn, a process of its own, and the consumer"
        server.process.kill()
        assert until(lambda: not any(is_there(number) for number in below))


def test_an_upload_that_is_under_way_is_finished_before_the_pages_stop(toy: Installation) -> None:
    with serving(toy) as server:
        port = int(server.url.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
            line.sendall(
                b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
                b"Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n"
            )
            assert line.recv(1000).startswith(b"HTTP/1.1 100"), "it is being answered from here on"
            line.sendall(b"a=1&")
            server.process.send_signal(signal.SIGTERM)
            # Time for the signal to reach all processes; where it comes later, the rest holds all the same.
            threading.Event().wait(2.0)
            line.sendall(b"b=234")
            assert line.recv(12).startswith(b"HTTP/1.1 ")
        assert server.process.wait(PATIENCE) == 0
