"""Files by content."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from pathlib import Path

import pytest

from leaderboard.store.files import ORPHAN_AGE, ContentStore, FileMissing, Files


class Breaking(io.BytesIO):
    """A stream that gives its bytes and then fails, as a lost connection does."""

    def read(self, size: int | None = -1, /) -> bytes:
        got = super().read(size)
        if not got:
            raise ConnectionResetError
        return got


def test_a_file_is_found_by_the_hash_of_its_content(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    stored = store.put(io.BytesIO(b"word1,word2,sim\n"))
    assert stored.file_hash == hashlib.sha256(b"word1,word2,sim\n").hexdigest()
    assert stored.size == 16
    assert store.path(stored.file_hash).read_bytes() == b"word1,word2,sim\n"
    with store.open(stored.file_hash) as stream:
        assert stream.read() == b"word1,word2,sim\n"


def test_keeping_a_file_twice_is_the_same_as_once(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    first = store.put(io.BytesIO(b"x"))
    assert store.put(io.BytesIO(b"x")) == first
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 1


def test_keeping_a_file_again_heals_a_damaged_one(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    stored = store.put(io.BytesIO(b"whole"))
    store.path(stored.file_hash).write_bytes(b"wh")
    store.put(io.BytesIO(b"whole"))
    assert store.path(stored.file_hash).read_bytes() == b"whole"


def test_a_stream_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    with pytest.raises(ConnectionResetError):
        store.put(Breaking(b"half"))
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "F" * 64])
def test_what_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileMissing, match="backup"):
        ContentStore(tmp_path).path(name)


def test_gold_is_for_its_owner_alone(tmp_path: Path) -> None:
    files = Files.under(tmp_path / "instance")
    stored = files.gold.put(io.BytesIO(b"secret"))
    path = files.gold.path(stored.file_hash)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(files.gold.root.stat().st_mode) == 0o700
    with pytest.raises(FileMissing):
        files.kept.path(stored.file_hash)


def test_a_folder_holds_files_under_their_names(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    pairs, topics = store.put(io.BytesIO(b"pairs")), store.put(io.BytesIO(b"topics"))
    names = {"pairs.csv": pairs.file_hash, "topics.json": topics.file_hash}
    folder = store.folder(names)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "pairs.csv": b"pairs",
        "topics.json": b"topics",
    }
    assert store.folder(names) == folder
    assert store.folder({"pairs.csv": topics.file_hash}) != folder


def test_a_sweep_removes_what_a_killed_process_left_and_nothing_young(tmp_path: Path) -> None:
    files = Files.under(tmp_path)
    stored = files.kept.put(io.BytesIO(b"kept"))
    incoming = files.kept.root / "incoming"
    old, young = incoming / "old", incoming / "young"
    for path, modified in ((old, 1_000_000.0), (young, 1_000_000.0 + ORPHAN_AGE)):
        path.write_bytes(b"half")
        os.utime(path, (modified, modified))
    assert files.sweep(1_000_000.0 + ORPHAN_AGE + 1) == 1
    assert [path.name for path in incoming.iterdir()] == ["young"]
    assert files.kept.path(stored.file_hash).read_bytes() == b"kept"
