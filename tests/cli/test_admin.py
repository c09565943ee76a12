"""``admin``: the first administrator is made on the machine itself."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from leaderboard.app import create_app
from leaderboard.cli import main
from leaderboard.config import Settings, inside
from tests.databases import fresh_sqlite
from tests.web.browser import PASSWORD, Browser


def run(settings: Settings, *words: str, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(main, words, obj=settings, input=typed)
    return result.exit_code, result.output


def begun(folder: Path) -> Settings:
    settings = inside(folder / "instance", Settings())
    fresh_sqlite(settings.instance)
    assert run(settings, "init")[0] == 0
    return settings


def test_the_new_administrator_signs_in_on_the_pages(tmp_path: Path) -> None:
    settings = begun(tmp_path)
    code, said = run(
        settings, "admin", "create", "ada@example.org", "--name", "Ada", typed=f"{PASSWORD}\n{PASSWORD}\n"
    )
    assert (code, "is an administrator now" in said) == (0, True)
    browser = Browser(create_app(settings))
    assert "ada@example.org" in browser.sign_in("ada")
    assert "People" in browser.open("/tasks/russe/organise/people")
    assert "ada@example.org  Ada" in run(settings, "admin", "list")[1]


def test_a_short_password_makes_no_account(tmp_path: Path) -> None:
    settings = begun(tmp_path)
    words = ("admin", "create", "ada@example.org", "--password-stdin")
    code, said = run(settings, *words, typed="short\n")
    assert (code, "at least 10 characters" in said) == (1, True)
    assert "no administrator yet" in run(settings, "admin", "list")[1]


def test_the_last_administrator_is_not_removed(tmp_path: Path) -> None:
    settings = begun(tmp_path)
    run(settings, "admin", "create", "ada@example.org", "--password-stdin", typed=f"{PASSWORD}\n")
    code, said = run(settings, "admin", "remove", "ada@example.org")
    assert (code, "last administrator" in said) == (1, True)
