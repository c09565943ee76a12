"""Uploads that the storage of the site refuses: said in words, nothing half, and the same works later."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from leaderboard.store.models import Run
from leaderboard.store.objects import files_at
from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
ROOM = 6_000_000


@pytest.fixture
def installation(
    tmp_path: Path, tasks_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Installation]:
    Clock(MORNING).install(monkeypatch)
    made = evaluated(tmp_path, tasks_folder, "russe")
    yield made
    made.site.close()


@contextmanager
def little_room() -> Iterator[None]:
    """No file of this process can grow larger, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def in_little_room(application: Any) -> Any:
    """The server alone has little room; who sends has a file of its own."""

    def answer(environ: Any, start: Any) -> Any:
        with little_room():
            return application(environ, start)

    return answer


def runs_of(member: Member) -> int:
    with site_of(member.app).database.reading() as session:
        return session.scalar(select(func.count()).select_from(Run)) or 0


def kept(member: Member) -> list[Path]:
    return [path for path in site_of(member.app).files.kept.root.rglob("*") if path.is_file()]


def test_where_the_disk_is_full_nothing_is_kept_and_the_sender_is_told(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = Member(app_of(installation), "ann", "Foxes")
    before, files = runs_of(ann), kept(ann)
    with monkeypatch.context() as patched:
        patched.setattr(ann.app, "wsgi_app", in_little_room(ann.app.wsgi_app))
        page = ann.submit(b"word1,word2,sim\n" + b"x" * 2 * ROOM)
    assert ann.last.status_code == 503
    assert "The file could not be kept" in page
    assert "Retry-After" in ann.last.headers
    assert (runs_of(ann), kept(ann)) == (before, files)
    sample = installation.spec("russe").folder / "sample" / "runs" / "embeddings.csv"
    assert "The file is accepted." in ann.submit(sample)


def test_where_the_object_store_does_not_answer_too(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("s3fs", reason="needs s3fs (requirements-dev.txt)")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    ann = Member(app_of(installation), "ann", "Foxes")
    site = site_of(ann.app)
    before = runs_of(ann)
    away = files_at("s3://nowhere/at-all", tmp_path / "copies")
    object.__setattr__(site, "files", type(site.files)(kept=away.kept, gold=site.files.gold))
    sample = installation.spec("russe").folder / "sample" / "runs" / "embeddings.csv"
    page = ann.submit(sample)
    assert ann.last.status_code == 503
    assert "The file could not be kept" in page
    assert runs_of(ann) == before
    assert [path for path in away.kept.root.rglob("*") if path.is_file()] == []
