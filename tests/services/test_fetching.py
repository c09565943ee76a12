from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from leaderboard.catalog import Catalog
from leaderboard.contract import InputSpec, SourceSpec, TaskSpec, Text
from leaderboard.services.downloading import Progress
from leaderboard.services.fetching import fetch_task, from_folder, from_home, from_mirror


@contextmanager
def unwatched(_source: SourceSpec) -> Iterator[Progress]:
    yield lambda _have, _total: None


def source(file: str, content: bytes, url: str, kind: str = "input") -> SourceSpec:
    digest = hashlib.sha256(content).hexdigest()
    return SourceSpec(url, file, digest, "gold" if kind == "gold" else "input")


def task(folder: Path, *sources: SourceSpec, inputs: tuple[str, ...] = ()) -> TaskSpec:
    text = Text({"en": "T"})
    return TaskSpec(
        name="toy",
        folder=folder,
        scorer=folder / "scorer.py",
        title=text,
        summary=text,
        tracks=(),
        inputs=tuple(InputSpec(f"input{n}", file, text) for n, file in enumerate(inputs)),
        sources=sources,
    )


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder served by a web server, and its address."""
    folder = tmp_path / "published"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 (the base class calls it so)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_files_get_the_names_and_folders_that_the_task_expects(
    published: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = published
    (folder / "test.csv").write_bytes(b"pairs")
    (folder / "2019qrels.txt").write_bytes(b"qrels")
    spec = task(
        tmp_path,
        source("pairs.csv", b"pairs", f"{address}/test.csv"),
        source("graded.qrels", b"qrels", f"{address}/2019qrels.txt", "gold"),
    )
    fetched = fetch_task(spec, tmp_path / "to", from_home, unwatched)
    assert [arrival.how for arrival in fetched.arrivals] == ["fetched", "fetched"]
    assert (tmp_path / "to" / "inputs" / "pairs.csv").read_bytes() == b"pairs"
    assert (tmp_path / "to" / "gold" / "graded.qrels").read_bytes() == b"qrels"


def test_what_is_there_is_left_alone_and_what_was_altered_is_replaced(
    published: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = published
    (folder / "a").write_bytes(b"a")
    spec = task(tmp_path, source("a", b"a", f"{address}/a"))
    fetch_task(spec, tmp_path / "to", from_home, unwatched)
    again = fetch_task(spec, tmp_path / "to", from_home, unwatched)
    assert [arrival.how for arrival in again.arrivals] == ["present"]
    (tmp_path / "to" / "inputs" / "a").write_bytes(b"altered")
    mended = fetch_task(spec, tmp_path / "to", from_home, unwatched)
    assert [arrival.how for arrival in mended.arrivals] == ["fetched"]
    assert (tmp_path / "to" / "inputs" / "a").read_bytes() == b"a"


def test_one_failure_does_not_stop_the_rest(published: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = published
    (folder / "b").write_bytes(b"b")
    spec = task(tmp_path, source("a", b"a", f"{address}/a"), source("b", b"b", f"{address}/b"))
    fetched = fetch_task(spec, tmp_path / "to", from_home, unwatched)
    assert [arrival.file.name for arrival in fetched.arrivals] == ["b"]
    assert len(fetched.failures) == 1
    assert "404" in str(fetched.failures[0])


@pytest.mark.parametrize("name", ["test.csv", "pairs.csv"])
def test_a_mirror_may_use_the_published_or_the_expected_name(
    published: tuple[Path, str], tmp_path: Path, name: str
) -> None:
    folder, address = published
    (folder / name).write_bytes(b"pairs")
    spec = task(tmp_path, source("pairs.csv", b"pairs", "https://example.org/test.csv"))
    fetched = fetch_task(spec, tmp_path / "to", from_mirror(address + "/"), unwatched)
    assert fetched.failures == ()
    assert (tmp_path / "to" / "inputs" / "pairs.csv").read_bytes() == b"pairs"


def test_a_mirror_without_the_file_is_named(published: tuple[Path, str], tmp_path: Path) -> None:
    spec = task(tmp_path, source("pairs.csv", b"pairs", "https://example.org/test.csv"))
    fetched = fetch_task(spec, tmp_path / "to", from_mirror(published[1]), unwatched)
    assert f"{published[1]}/test.csv, {published[1]}/pairs.csv" in str(fetched.failures[0])


def test_a_folder_is_searched_for_the_file_of_the_right_sum(tmp_path: Path) -> None:
    for year, content in (("2019", b"nineteen"), ("2020", b"twenty")):
        (tmp_path / "from" / year).mkdir(parents=True)
        (tmp_path / "from" / year / "graded.qrels").write_bytes(content)
    spec = task(tmp_path, source("graded.qrels", b"twenty", "https://example.org/2020qrels.txt", "gold"))
    fetched = fetch_task(spec, tmp_path / "to", from_folder(tmp_path / "from"), unwatched)
    assert fetched.failures == ()
    assert (tmp_path / "to" / "gold" / "graded.qrels").read_bytes() == b"twenty"


def test_a_folder_with_a_file_of_another_sum_says_so(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "a").write_bytes(b"altered")
    spec = task(
        tmp_path, source("a", b"a", "https://example.org/a"), source("b", b"b", "https://example.org/b")
    )
    fetched = fetch_task(spec, tmp_path / "to", from_folder(tmp_path / "from"), unwatched)
    assert "1 file named a, but its SHA-256 is not the expected" in str(fetched.failures[0])
    assert "holds no b" in str(fetched.failures[1])


def test_an_input_of_the_task_itself_that_cannot_be_copied_is_one_more_failure(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("How to")
    (tmp_path / "to").write_text("a file where a folder is to be")
    spec = task(tmp_path, source("a.txt", b"a", "https://example.org/a.txt"), inputs=("README.md", "a.txt"))
    fetched = fetch_task(spec, tmp_path / "to", from_folder(tmp_path / "gold"), unwatched)
    assert [str(failure).partition(" holds ")[2] for failure in fetched.failures] == ["no a.txt.", ""]
    assert "cannot be written" in str(fetched.failures[1])


def test_inputs_of_the_task_itself_are_copied_and_others_left_to_hands(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Instructions")
    spec = task(tmp_path, inputs=("README.md", "topics.json"))
    fetched = fetch_task(spec, tmp_path / "to", from_home, unwatched)
    assert (tmp_path / "to" / "inputs" / "README.md").read_text() == "# Instructions"
    assert [each.file for each in fetched.by_hand] == ["topics.json"]


@pytest.mark.parametrize("name", ["russe", "cast", "cast2020"])
def test_the_real_files_are_found_in_a_folder(
    shared_data: Path, tasks_folder: Path, tmp_path: Path, name: str
) -> None:
    spec = Catalog([tasks_folder]).find(name)
    fetched = fetch_task(spec, tmp_path, from_folder(shared_data), unwatched)
    assert fetched.failures == ()
    assert all((tmp_path / "gold" / track.gold).is_file() for track in spec.tracks)
