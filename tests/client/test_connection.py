"""What a server may answer, and what the client makes of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from leaderboard.client import downloads, submitting
from leaderboard.client.connection import BadServer, Broken, ClientError, Refused, Server
from leaderboard.client.submitting import NotAllowedNow, Sending

DONE = {"run": {"id": 1, "state": "scored"}, "again": False}


@dataclass
class Scripted:
    """A server that gives prepared answers in order, and notes what it was asked."""

    answers: list[tuple[int, Any, Mapping[str, str]]]
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def scripted(*answers: tuple[int, Any, Mapping[str, str]]) -> Iterator[Scripted]:
    script = Scripted(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.asked.append((self.path, dict(self.headers)))
            status, body, headers = script.answers.pop(0)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the library calls it so

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()


def problem(slug: str, status: int, **more: Any) -> tuple[int, Any, Mapping[str, str]]:
    wait = more.pop("wait", None)
    document = {"type": f"/api#{slug}", "title": "No", "status": status, "detail": f"No: {slug}.", **more}
    return status, document, {} if wait is None else {"Retry-After": str(wait)}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    file = tmp_path / "run.csv"
    file.write_text("word1,word2,sim\n")
    return file


def submit(script: Scripted, run: Path) -> tuple[submitting.Sent, list[float]]:
    pauses: list[float] = []
    sent = submitting.submit(
        Server(script.url, "t"), Sending("russe", run, {}), lambda *_: None, pauses.append
    )
    return sent, pauses


def test_a_token_is_not_carried_on_to_another_server() -> None:
    with scripted() as other, scripted((302, b"", {"Location": f"{other.url}/api/v1/me"})) as first:
        with pytest.raises(BadServer, match="name that server itself"):
            Server(first.url, "secret").get("me")
        assert first.asked[0][1]["Authorization"] == "Bearer secret"
        assert other.asked == []


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((200, b"<html>", {}), BadServer),
        ((404, b"<html>", {}), BadServer),
        ((502, b"<html>", {}), Broken),
        ((200, b"{}", {"Content-Length": "10"}), Broken),
        ((418, b"[]", {}), BadServer),
        (problem("not-found", 404), Refused),
    ],
)
def test_every_answer_ends_in_a_sentence(answer: Any, error: type[ClientError]) -> None:
    with scripted(answer) as script, pytest.raises(error) as raised:
        Server(script.url, patience=5).get("tasks")
    assert str(raised.value)


def test_a_busy_server_is_asked_again_under_the_same_key(run: Path) -> None:
    answers: list[tuple[int, Any, Mapping[str, str]]] = [
        problem("busy", 409, wait=2),
        problem("too-many-requests", 429, wait=30),
        (502, b"<html>", {}),
        (201, DONE, {}),
    ]
    with scripted(*answers) as script:
        sent, pauses = submit(script, run)
        assert len({headers["Idempotency-Key"] for _, headers in script.asked}) == 1
    assert sent.run["id"] == 1
    assert pauses == [2.0, 30.0, 4.0]


def test_two_files_have_two_keys(run: Path) -> None:
    with scripted((201, DONE, {}), (201, DONE, {})) as script:
        submit(script, run)
        submit(script, run)
        assert len({headers["Idempotency-Key"] for _, headers in script.asked}) == 2


def test_a_refusal_for_good_is_not_repeated(run: Path) -> None:
    with scripted(problem("quota-reached", 429, next_slot="2026-03-03T00:00:00Z")) as script:
        with pytest.raises(NotAllowedNow) as raised:
            submit(script, run)
        assert raised.value.next_slot == "2026-03-03T00:00:00Z"
    with scripted(problem("faulty-file", 422, faults=[])) as script:
        with pytest.raises(Refused, match="No: faulty-file"):
            submit(script, run)
        assert len(script.asked) == 1


def test_a_run_is_asked_for_until_it_has_its_scores() -> None:
    waiting, scored = ({"id": 1, "state": state} for state in ("received", "scored"))
    pauses: list[float] = []
    with scripted((200, waiting, {}), (502, b"", {}), (200, waiting, {}), (200, scored, {})) as script:
        found = submitting.wait(Server(script.url), "russe", waiting, pauses.append, seconds=600)
    assert found == scored
    with scripted(*((200, waiting, {}) for _ in range(20))) as script:
        found = submitting.wait(Server(script.url), "russe", waiting, pauses.append, seconds=3)
    assert found == waiting


def test_a_public_file_stays_in_its_folder_and_is_what_was_said(tmp_path: Path) -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    listed = {"name": "pairs", "file_name": "../../evil.csv", "sha256": digest, "size": 4}
    page = {"items": [listed], "total": 1}
    folder = tmp_path / "a" / "b"
    with scripted((200, page, {}), (200, b"te", {"Content-Length": "4"}), (200, b"test", {})) as script:
        (brought,) = downloads.bring(Server(script.url, patience=5), "russe", folder, lambda _: None)
    assert brought.path == folder / "evil.csv"
    assert brought.path.read_bytes() == b"test"
    brought.path.unlink()
    with (
        scripted((200, page, {}), (200, b"tset", {})) as script,
        pytest.raises(ClientError, match="otherwise"),
    ):
        downloads.bring(Server(script.url), "russe", folder, lambda _: None)
    assert list(folder.iterdir()) == []
