from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard import config
from leaderboard.config import (
    OWN_TASKS,
    BadSetting,
    Limits,
    LogSettings,
    MailSettings,
    Settings,
    from_environment,
    inside,
    to_environment,
)
from tests.conftest import REPOSITORY


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = from_environment({"LEADERBOARD_TASKS": "", "DATABASE_URL": ""})
    assert settings.tasks == (OWN_TASKS,)
    assert settings.data == Path("data")
    assert settings.database_url == "sqlite:///instance/leaderboard.db"
    assert settings == replace(Settings(), scoring=Limits())


def test_several_task_folders_are_separated_as_in_path() -> None:
    assert from_environment({"LEADERBOARD_TASKS": f"a{os.pathsep}b"}).tasks == (Path("a"), Path("b"))


def test_the_database_moves_with_the_instance_folder(tmp_path: Path) -> None:
    settings = from_environment({"LEADERBOARD_INSTANCE": str(tmp_path)})
    assert settings.database_url == f"sqlite:///{tmp_path}/leaderboard.db"


def test_another_process_gets_the_same_settings_whatever_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    again = from_environment(to_environment(Settings()))
    assert again.instance == tmp_path / "instance"
    assert again.database_url == f"sqlite:///{tmp_path}/instance/leaderboard.db"
    assert again.queue_url == f"sqlite:///{tmp_path}/instance/queue.db"
    assert to_environment(again) == to_environment(replace(Settings(), scoring=Limits()))


def test_a_server_is_the_same_from_every_folder() -> None:
    settings = from_environment({"DATABASE_URL": "postgresql+psycopg://db/x", "QUEUE_URL": "redis://queue/0"})
    assert to_environment(settings)["DATABASE_URL"] == "postgresql+psycopg://db/x"
    assert to_environment(settings)["QUEUE_URL"] == "redis://queue/0"


def test_with_postgresql_alone_the_queue_is_there_too() -> None:
    settings = from_environment({"DATABASE_URL": "postgresql+psycopg://db/x"})
    assert settings.queue_url == "postgresql+psycopg://db/x"


@pytest.mark.parametrize("written", ["postgres://db/x", "postgresql://db/x"])
def test_postgresql_as_others_write_it_is_spoken_to_by_the_package_that_we_use(written: str) -> None:
    assert from_environment({"DATABASE_URL": written}).database_url == "postgresql+psycopg://db/x"


def test_a_demo_keeps_to_its_own_folder() -> None:
    settings = inside(Path("demo"), from_environment({"DATABASE_URL": "postgresql://db/x"}))
    assert settings.database_url == "sqlite:///demo/leaderboard.db"
    assert settings.queue_url == "sqlite:///demo/queue.db"


def test_letters_go_by_the_server_that_is_named() -> None:
    environment = {
        "MAIL_SERVER": "mail.example.org",
        "MAIL_ENCRYPTION": "tls",
        "MAIL_USER": "site",
        "MAIL_PASSWORD": "secret",
        "MAIL_FROM": "Tasks <tasks@example.org>",
    }
    settings = from_environment(environment)
    assert settings.mail == MailSettings(
        "mail.example.org", 465, "tls", "site", "secret", "Tasks <tasks@example.org>"
    )
    assert from_environment(to_environment(settings)).mail == settings.mail


def test_what_is_secret_is_not_in_the_text_of_the_settings() -> None:
    text = repr(from_environment({"SECRET_KEY": "a long word", "MAIL_PASSWORD": "another word"}))
    assert "a long word" not in text
    assert "another word" not in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAIL_PORT", "smtp"),
        ("MAIL_PORT", "70000"),
        ("MAIL_ENCRYPTION", "ssl"),
        ("PUBLIC_URL", "example.org"),
        ("API_RATE_LIMIT", "many"),
        ("API_RATE_LIMIT", "0 per minute"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "loud"),
        ("METRICS_TOKEN", "guessed"),
        ("DATABASE_URL", "mysql://db/x"),
        ("DATABASE_URL", "leaderboard"),
        ("RATELIMIT_STORAGE_URL", "127.0.0.1:6379"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        from_environment({name: value})


def test_how_log_lines_look_and_who_reads_metrics_is_handed_on() -> None:
    token = "0123456789-ABCDEFGHIJ-abcdefghij-x"
    settings = from_environment({"LOG_FORMAT": "json", "LOG_LEVEL": "warning", "METRICS_TOKEN": token})
    assert (settings.log, settings.metrics_token) == (LogSettings("json", "warning"), token)
    assert token not in repr(settings)
    again = from_environment(to_environment(settings))
    assert (again.log, again.metrics_token) == (settings.log, token)


def test_every_setting_is_explained_where_it_is_read_and_where_people_look() -> None:
    pages = (config.__doc__ or "", (REPOSITORY / "docs" / "operating.md").read_text("utf-8"))
    for page in pages:
        assert {name for name in to_environment(Settings()) if name not in page} == set()
