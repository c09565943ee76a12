"""What machines ask of a web process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from leaderboard.app import create_app
from leaderboard.config import Settings, inside
from leaderboard.services import queue, rescoring
from leaderboard.site import utc_now
from leaderboard.telemetry import meters, stopping
from tests.web.browser import SECRET, make_app, site_of

TOKEN = "0123456789-ABCDEFGHIJ-abcdefghij-x"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = make_app(tmp_path, public_url="https://tasks.example.org", secret_key=SECRET, metrics_token=TOKEN)
    yield made
    meters.put_behind(None)
    site_of(made).close()


def test_they_are_answered_for_any_host_and_leave_no_cookie(app: Flask) -> None:
    reader = app.test_client()
    for address in ("/healthz", "/readyz"):
        answer = reader.get(address, headers={"Host": "10.0.0.7:8000"})
        assert (answer.status_code, answer.mimetype) == (200, "application/json")
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in answer.headers
        assert reader.head(address).data == b""
        assert reader.post(address).status_code == 405


def test_a_process_that_works_is_alive_and_ready(app: Flask) -> None:
    assert app.test_client().get("/healthz").json == {"alive": True}
    parts = {"database": "ok", "storage": "ok", "queue": "ok"}
    assert app.test_client().get("/readyz").json == {"ready": True, "stopping": False, "parts": parts}


def failing(app: Flask) -> set[str]:
    answer = app.test_client().get("/readyz")
    assert answer.json is not None
    assert answer.status_code == (200 if answer.json["ready"] else 503)
    return {part for part, word in answer.json["parts"].items() if word != "ok"}


def test_a_database_of_another_version_is_not_ready_but_alive(app: Flask) -> None:
    with site_of(app).database.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
    assert failing(app) == {"database"}
    assert app.test_client().get("/healthz").status_code == 200


def test_files_that_cannot_be_written_are_not_ready(app: Flask) -> None:
    instance = site_of(app).settings.instance
    assert failing(app) == set()
    shutil.rmtree(instance / "files")
    (instance / "files").write_text("a file in the place of the folder")
    assert failing(app) == {"storage"}


def test_servers_that_do_not_answer_are_named_without_a_word_of_where_they_are(tmp_path: Path) -> None:
    nobody = "postgresql+psycopg://somebody:hush@127.0.0.1:1/none"
    settings = replace(
        inside(tmp_path, Settings()), database_url=nobody, queue_url="redis://:hush@127.0.0.1:1/0"
    )
    app = create_app(settings)
    answer = app.test_client().get("/readyz")
    site_of(app).close()
    assert answer.status_code == 503
    assert failing(app) == {"database", "queue"}
    assert "127.0.0.1" not in answer.text
    assert "hush" not in answer.text


def test_who_is_about_to_stop_is_not_ready(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(stopping.VARIABLE, str(tmp_path / "stopping"))
    assert app.test_client().get("/readyz").status_code == 200
    (tmp_path / "stopping").touch()
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["stopping"]
    assert app.test_client().get("/healthz").status_code == 200


def test_metrics_are_for_who_shows_the_token(app: Flask) -> None:
    reader = app.test_client()
    assert reader.get("/metrics").status_code == 401
    assert reader.get("/metrics", headers={"Authorization": "Bearer guessed"}).status_code == 401
    answer = reader.get("/metrics", headers=SHOWN)
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"


def test_without_a_token_there_are_no_metrics_for_anybody(samples_app: Flask) -> None:
    for headers in ({}, {"Authorization": "Bearer "}):
        answer = samples_app.test_client().get("/metrics", headers=headers)
        assert answer.status_code == 404
        assert b"leaderboard_" not in answer.data


def test_the_queue_is_as_the_database_says_at_that_moment(app: Flask) -> None:
    site = site_of(app)
    shown = app.test_client().get("/metrics", headers=SHOWN).text
    assert 'leaderboard_queue_jobs{state="waiting",task="russe"} 0.0' in shown
    with site.database.writing() as session:
        queue.enqueue(session, rescoring.JOB, "russe", {}, utc_now())
    shown = app.test_client().get("/metrics", headers=SHOWN).text
    assert 'leaderboard_queue_jobs{state="waiting",task="russe"} 1.0' in shown
    assert "leaderboard_consumers 0.0" in shown


def test_what_a_process_counts_is_told_without_its_database_too(tmp_path: Path) -> None:
    nobody = "postgresql+psycopg://somebody:hush@127.0.0.1:1/none"
    settings = replace(inside(tmp_path, Settings()), database_url=nobody, metrics_token=TOKEN)
    app = create_app(settings)
    answer = app.test_client().get("/metrics", headers=SHOWN)
    meters.put_behind(None)
    site_of(app).close()
    assert answer.status_code == 200
    assert "# TYPE leaderboard_requests_total counter" in answer.text
    assert "leaderboard_queue_jobs" not in answer.text
