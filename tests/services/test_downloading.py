from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from leaderboard.services import downloading
from leaderboard.services.downloading import FetchError, NotThere, download, part_of

CONTENT = bytes(range(256)) * 4096
SUM = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Server:
    """A web server with one file, `/file`, that can be told to misbehave."""

    address: str = ""
    content: bytes = CONTENT
    cut_after: list[int] = field(default_factory=list)
    """For each answer to come, the bytes after which it breaks off."""
    knows_ranges: bool = True
    says_length: bool = True
    status: int | None = None
    ranges: list[str | None] = field(default_factory=list)
    """The Range header of each request so far."""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.ranges.append(self.headers.get("Range"))
            if state.status is not None or self.path != "/file":
                self.send_error(state.status or 404)
                return
            begin = 0
            asked = self.headers.get("Range")
            if asked and state.knows_ranges:
                begin = int(asked.removeprefix("bytes=").rstrip("-"))
                if begin >= len(state.content):
                    self.send_error(416)
                    return
                self.send_response(206)
                self.send_header(
                    "Content-Range", f"bytes {begin}-{len(state.content) - 1}/{len(state.content)}"
                )
            else:
                self.send_response(200)
            rest = state.content[begin:]
            if state.says_length:
                self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            with suppress(ConnectionError):  # some tests hang up early
                self.wfile.write(rest[: state.cut_after.pop(0)] if state.cut_after else rest)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 (the base class calls it so)

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{running.server_port}/file"
    thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    running.shutdown()
    thread.join()
    running.server_close()


def ignore(_have: int, _total: int | None) -> None:
    """Progress that nobody looks at."""


def test_a_file_arrives_whole_and_leaves_no_part_behind(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    download(server.address, tmp_path / "new" / "f", SUM, lambda have, total: seen.append((have, total)))
    assert (tmp_path / "new" / "f").read_bytes() == CONTENT
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["f"]
    assert seen[0] == (0, len(CONTENT))
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_a_connection_that_breaks_is_resumed_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.cut_after = [100_000, 200_000]
    download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=300000-"]


def test_a_download_given_up_is_resumed_by_the_next_call(server: Server, tmp_path: Path) -> None:
    server.cut_after = [100_000] + [0] * 10
    with pytest.raises(FetchError, match="broke off after 100000 bytes"):
        download(server.address, tmp_path / "f", SUM, ignore)
    assert not (tmp_path / "f").exists()
    server.cut_after = []
    server.ranges.clear()
    download(server.address, tmp_path / "f", SUM, ignore)
    assert server.ranges == ["bytes=100000-"]
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_server_without_ranges_sends_all_of_it_again(server: Server, tmp_path: Path) -> None:
    part_of(tmp_path / "f", SUM).write_bytes(CONTENT[:5000])
    server.knows_ranges = False
    download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_part_that_is_already_whole_is_taken(server: Server, tmp_path: Path) -> None:
    part_of(tmp_path / "f", SUM).write_bytes(CONTENT)
    download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_part_of_another_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    part_of(tmp_path / "f", SUM).write_bytes(b"something else")
    download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert server.ranges == ["bytes=14-", None]


def test_a_length_that_is_not_said_is_no_hindrance(server: Server, tmp_path: Path) -> None:
    server.says_length = False
    download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_file_of_another_sum_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.content = b"altered"
    with pytest.raises(FetchError, match=f"not {SUM}"):
        download(server.address, tmp_path / "f", SUM, ignore)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_file_that_was_there(server: Server, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("before")
    server.content = b"altered"
    with pytest.raises(FetchError):
        download(server.address, tmp_path / "f", SUM, ignore)
    assert (tmp_path / "f").read_text() == "before"


def test_a_missing_file_is_told_apart(server: Server, tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="404"):
        download(server.address + "/nowhere", tmp_path / "f", SUM, ignore)


def test_another_refusal_names_its_code(server: Server, tmp_path: Path) -> None:
    server.status = 503
    with pytest.raises(FetchError, match="503 Service Unavailable"):
        download(server.address, tmp_path / "f", SUM, ignore)


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    closed = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = closed.server_port
    closed.server_close()
    with pytest.raises(FetchError, match="cannot be reached"):
        download(f"http://127.0.0.1:{port}/file", tmp_path / "f", SUM, ignore)


def test_a_full_disk_is_named(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(downloading, "_append", full)
    with pytest.raises(FetchError, match="no room left on the disk"):
        download(server.address, tmp_path / "f", SUM, ignore)


def test_a_place_that_cannot_be_written_is_named(server: Server, tmp_path: Path) -> None:
    (tmp_path / "in-the-way").write_text("a file, not a folder")
    with pytest.raises(FetchError, match="cannot be written"):
        download(server.address, tmp_path / "in-the-way" / "f", SUM, ignore)
