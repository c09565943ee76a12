"""Files in an object store: what holds for a folder holds here, on a real server."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leaderboard.services.readiness import STORAGE, Readiness
from leaderboard.store.files import ContentStore, FileMissing, Files
from leaderboard.store.objects import COPIES_AGE, StorageUnavailable, files_at
from leaderboard.store.session import Database
from tests.store.objects import S3, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    with s3_server() as server, pytest.MonkeyPatch.context() as patched:
        for name, value in server.environment.items():
            patched.setenv(name, value)
        server.make_bucket()
        yield server


@pytest.fixture
def files(s3: S3, tmp_path: Path) -> Files:
    """What one host has; `elsewhere` is another."""
    return files_at(f"s3://{s3.bucket}/{tmp_path.name}", tmp_path / "here")


@pytest.fixture
def elsewhere(s3: S3, tmp_path: Path) -> Files:
    return files_at(f"s3://{s3.bucket}/{tmp_path.name}", tmp_path / "there")


def copies(store: ContentStore) -> list[Path]:
    return [path for path in store.root.rglob("*") if path.is_file()]


def test_what_one_host_keeps_another_reads(files: Files, elsewhere: Files) -> None:
    stored = files.kept.put(io.BytesIO(b"word1,word2,sim\n"))
    assert elsewhere.kept.path(stored.file_hash).read_bytes() == b"word1,word2,sim\n"
    folder = elsewhere.kept.folder({"pairs.csv": stored.file_hash})
    assert (folder / "pairs.csv").read_bytes() == b"word1,word2,sim\n"
    draft = elsewhere.gold.draft()
    draft.write_bytes(b"hidden")
    measured = elsewhere.gold.measured(draft)
    elsewhere.gold.keep(draft, measured)
    there = files.gold.path(measured.file_hash)
    assert (there.read_bytes(), there.stat().st_mode & 0o777) == (b"hidden", 0o600)


def test_a_large_file_comes_whole_in_many_parts(files: Files, elsewhere: Files) -> None:
    content = os.urandom(1 << 20) * 60
    stored = files.kept.put(io.BytesIO(content))
    assert elsewhere.kept.path(stored.file_hash).read_bytes() == content


def test_what_is_removed_is_gone_for_all_and_may_be_removed_twice(files: Files, elsewhere: Files) -> None:
    stored = files.gold.put(io.BytesIO(b"an archive"))
    elsewhere.gold.remove(stored.file_hash)
    files.gold.remove(stored.file_hash)
    for store in (files.gold, elsewhere.gold):
        assert copies(store) == []
        with pytest.raises(FileMissing):
            store.path(stored.file_hash)


def test_what_is_nowhere_is_missing(files: Files) -> None:
    with pytest.raises(FileMissing):
        files.kept.path("0" * 64)
    assert copies(files.kept) == []


def test_a_damaged_object_is_not_taken_for_the_file(s3: S3, files: Files, elsewhere: Files) -> None:
    import fsspec

    stored = files.kept.put(io.BytesIO(b"whole"))
    store = fsspec.filesystem("s3", skip_instance_cache=True)
    (name,) = (path for path in store.find(s3.bucket) if path.endswith(stored.file_hash))
    store.pipe_file(name, b"who")
    with pytest.raises(StorageUnavailable, match="is not what was kept"):
        elsewhere.kept.path(stored.file_hash)
    assert copies(elsewhere.kept) == []
    files.kept.put(io.BytesIO(b"whole"))
    assert elsewhere.kept.path(stored.file_hash).read_bytes() == b"whole"


def test_copies_that_nobody_reads_go_and_are_fetched_again(files: Files) -> None:
    stored = files.kept.put(io.BytesIO(b"rare"))
    written = files.kept.path(stored.file_hash).stat().st_mtime
    assert files.kept.sweep(written + COPIES_AGE - 60) == 0
    assert files.kept.sweep(written + COPIES_AGE + 60) == 1
    assert files.kept.path(stored.file_hash).read_bytes() == b"rare"


def test_a_store_is_asked_now_and_then_whether_it_takes_files(s3: S3, tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'none.db'}")
    lacking = files_at(f"s3://{tmp_path.name.replace('_', '-')}/site", tmp_path / "here")
    ready = Readiness(database, lacking, lambda: None)
    asked = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert ready.parts(asked)["storage"] is False
    replace(s3, bucket=tmp_path.name.replace("_", "-")).make_bucket()
    assert ready.parts(asked + STORAGE)["storage"] is False, "asking writes an object, and costs"
    assert ready.parts(asked + 2 * STORAGE)["storage"] is True


def test_a_store_that_does_not_answer_keeps_nothing_half(files: Files, s3: S3) -> None:
    files.kept.probe()  # type: ignore[attr-defined]  # an object store has one
    s3.process.send_signal(signal.SIGKILL)
    s3.process.wait()
    with pytest.raises(StorageUnavailable):
        files.kept.put(io.BytesIO(b"lost"))
    assert copies(files.kept) == []
    with pytest.raises(StorageUnavailable):
        files.kept.probe()  # type: ignore[attr-defined]


@pytest.mark.parametrize("url", ["s3://", "ftp://host/folder", "file://relative"])
def test_an_address_that_is_no_storage_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="s3://BUCKET/PREFIX"):
        files_at(url, tmp_path)
