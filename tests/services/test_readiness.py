from __future__ import annotations

from pathlib import Path

from leaderboard.jobs import make_queue, queue_at
from leaderboard.services.readiness import Readiness
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy

ALL = {"database": True, "storage": True, "queue": True}


def of(toy: Toy, tmp_path: Path) -> Readiness:
    return Readiness(toy.database, toy.files, make_queue(tmp_path / "queue.db").pending_count)


def test_on_both_databases_all_parts_work(toy: Toy, tmp_path: Path) -> None:
    assert of(toy, tmp_path).parts(NOON) == ALL
    assert [path for path in toy.folder.rglob("incoming/*") if path.is_file()] == []


def test_a_database_without_tables_does_not(tmp_path: Path, toy: Toy) -> None:
    empty = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    ready = Readiness(empty, toy.files, make_queue(tmp_path / "queue.db").pending_count)
    assert ready.parts(NOON) == {**ALL, "database": False}


def test_a_queue_that_nobody_serves_does_not(toy: Toy) -> None:
    ready = Readiness(toy.database, toy.files, queue_at("redis://127.0.0.1:1/0").pending_count)
    assert ready.parts(NOON) == {**ALL, "queue": False}
