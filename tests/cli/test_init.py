from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from leaderboard.cli import main
from leaderboard.config import to_environment
from leaderboard.store.session import Database
from tests.cli.installation import DECLARATION, Installation


def test_init_makes_the_database_and_the_tasks(bare: Installation) -> None:
    assert bare.done("init").splitlines()[1:] == ["toy: installed."]
    assert (bare.folder / "instance" / "leaderboard.db").is_file()


def test_init_may_be_repeated(bare: Installation) -> None:
    bare.done("init")
    assert bare.done("init").splitlines()[1:] == ["toy: as before."]


def test_init_says_which_phases_have_changed(bare: Installation) -> None:
    bare.done("init")
    phase = '[[phases]]\nname = "final"\ntitle.en = "Final"\n'
    (bare.folder / "tasks" / "toy" / "task.toml").write_text(DECLARATION + phase)
    assert bare.done("init").splitlines()[1:] == [
        "toy: new phases final.",
        "toy: phases open are no longer declared; their runs stay.",
    ]


@pytest.mark.parametrize(
    "command",
    [
        ("board", "toy"),
        ("gold", "list", "toy"),
        ("rescore", "toy", "--pending"),
        ("worker",),
        ("serve", "--port", "0"),
    ],
)
def test_before_init_every_command_says_so_and_creates_nothing(
    bare: Installation, command: tuple[str, ...]
) -> None:
    assert "run `python -m leaderboard init` first" in bare.refused(*command)
    assert not (bare.folder / "instance").exists()


def test_a_database_of_another_version_is_left_alone(toy: Installation) -> None:
    database = Database(toy.settings.database_url)
    with database.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")
    database.close()
    assert "is of another version (later, not " in toy.refused("board", "toy")


def test_a_file_that_is_no_database_is_named(bare: Installation) -> None:
    bare.write("instance/leaderboard.db", *["not a database"] * 100)
    assert "leaderboard.db cannot be opened: file is not a database" in bare.refused("board", "toy")


def refused_at(url: str, installation: Installation, *arguments: str) -> str:
    """What a command prints that must end with exit code 1, the database being at `url`."""
    settings = replace(installation.settings, database_url=url)
    result = CliRunner().invoke(main, arguments, obj=settings)
    assert result.exit_code == 1, (result.exit_code, result.output, result.exception)
    return result.stderr


@pytest.mark.parametrize("url", ["no address", "nosuch://host/name"])
@pytest.mark.parametrize("command", [("init",), ("board", "toy")])
def test_an_address_that_names_no_database_is_refused_in_a_sentence(
    bare: Installation, url: str, command: tuple[str, ...]
) -> None:
    assert refused_at(url, bare, *command).startswith("DATABASE_URL cannot be used: ")


@pytest.mark.parametrize("command", [("init",), ("board", "toy")])
def test_a_server_that_does_not_answer_is_named_without_its_password(
    bare: Installation, command: tuple[str, ...]
) -> None:
    pytest.importorskip("psycopg")
    # Nothing listens at port 1.
    url = "postgresql+psycopg://user:hidden@127.0.0.1:1/name"
    said = refused_at(url, bare, *command)
    assert "The database at postgresql+psycopg://user:***@127.0.0.1:1/name cannot be opened: " in said
    assert "hidden" not in said


def test_settings_reach_another_process_whatever_its_folder(bare: Installation) -> None:
    environment = to_environment(bare.settings)
    assert environment["LEADERBOARD_TASKS"] == str(bare.folder / "tasks")
    assert environment["DATABASE_URL"] == f"sqlite:///{bare.folder}/instance/leaderboard.db"
