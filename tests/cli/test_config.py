"""``config check`` says what is wrong with the settings, in plain words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Guards, LogSettings, MailSettings, Settings
from tests.cli.installation import Installation

LONG = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"


def check(settings: Settings) -> Result:
    return CliRunner().invoke(main, ["config", "check"], obj=settings)


def test_settings_that_work_are_said_to(toy: Installation) -> None:
    result = check(replace(toy.settings, public_url="https://tasks.example.org", secret_key=LONG))
    assert result.exit_code == 0, result.output
    assert "ok     DATABASE_URL: SQLite answers and is of the right version" in result.output
    assert "ok     STORAGE_URL: Files can be written and read." in result.output
    assert "look   MAIL_SERVER: It is not set" in result.output
    assert "look   TRUSTED_PROXIES: It is 0: behind the proxy with TLS" in result.output
    assert "ok     LOG_FORMAT: Log lines are text in a terminal, else JSON." in result.output
    assert "ok     METRICS_TOKEN: It is not set: there are no metrics at /metrics." in result.output
    assert "The site can work with these settings." in result.output


def test_what_is_set_of_logs_and_metrics_is_said(toy: Installation) -> None:
    settings = replace(
        toy.settings,
        metrics_token=LONG,
        log=LogSettings("json", "debug"),
        guards=Guards(trusted_proxies=1),
    )
    result = check(settings)
    assert "ok     TRUSTED_PROXIES: 1 proxy is believed." in result.output
    assert "ok     LOG_FORMAT: Log lines are JSON." in result.output
    assert "ok     METRICS_TOKEN: Metrics are at /metrics, for who shows it." in result.output
    assert LONG not in result.output


def test_a_variable_that_is_nearly_a_setting_is_named(
    toy: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KYE", LONG)
    monkeypatch.setenv("LEADERBOARD_KILLS", "1")
    result = check(toy.settings)
    assert result.exit_code == 0
    assert "look   SECRET_KYE: It is no setting. Is SECRET_KEY meant?" in result.output
    assert "LEADERBOARD_KILLS" not in result.output


def test_a_file_is_not_left_by_the_check(toy: Installation) -> None:
    before = {path for path in (toy.folder / "instance" / "files").rglob("*") if path.is_file()}
    assert check(toy.settings).exit_code == 0
    assert {path for path in (toy.folder / "instance" / "files").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/none"},
            "WRONG  DATABASE_URL: The database at postgresql+psycopg://nobody@127.0.0.1:1/none cannot be",
        ),
        (
            {"queue_url": "redis://127.0.0.1:1/0"},
            "WRONG  QUEUE_URL: The queue does not answer: ConnectionError",
        ),
        (
            {"queue_url": "postgresql://nobody@127.0.0.1:1/none"},
            "WRONG  QUEUE_URL: The queue does not answer: connection failed",
        ),
        (
            {"rate_limit_storage_url": "redis://127.0.0.1:1/0"},
            "WRONG  RATELIMIT_STORAGE_URL: It does not answer: nothing is counted or limited.",
        ),
        (
            {"mail": MailSettings("127.0.0.1", 1)},
            "WRONG  MAIL_SERVER: 127.0.0.1:1 takes no letters: [Errno 111] Connection refused",
        ),
        (
            {"tasks": (Path("nowhere"),)},
            "WRONG  LEADERBOARD_TASKS: There is no task in any of its folders.",
        ),
        (
            {"public_url": "https://tasks.example.org", "secret_key": "change-me"},
            "WRONG  SECRET_KEY: It is short or easy to guess",
        ),
        (
            {"guards": Guards(trusted_proxies=1), "secret_key": "change-me"},
            "WRONG  SECRET_KEY: It is short or easy to guess",
        ),
        (
            {"public_url": "https://tasks.example.org"},
            "WRONG  SECRET_KEY: It is not set; a public site needs a long random one.",
        ),
    ],
)
def test_what_is_wrong_is_named(toy: Installation, changes: dict[str, object], words: str) -> None:
    result = check(replace(toy.settings, **changes))  # type: ignore[arg-type]  # settings of several types
    assert result.exit_code == 1
    assert words in result.output
    assert "1 setting is wrong." in result.output


def test_a_database_that_needs_init_is_said_to(tmp_path: Path) -> None:
    result = check(Installation(tmp_path).settings)
    assert result.exit_code == 1
    assert "run `python -m leaderboard init` first" in result.output


def test_a_storage_that_nobody_knows_is_refused(toy: Installation) -> None:
    result = check(replace(toy.settings, storage_url="ftp://host/folder"))
    assert result.exit_code == 1
    assert "STORAGE_URL cannot be used: it is written as s3://BUCKET/PREFIX" in result.output
