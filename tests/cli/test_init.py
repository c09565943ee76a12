from __future__ import annotations

import pytest

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


def test_settings_reach_another_process_whatever_its_folder(bare: Installation) -> None:
    environment = to_environment(bare.settings)
    assert environment["LEADERBOARD_TASKS"] == str(bare.folder / "tasks")
    assert environment["DATABASE_URL"] == f"sqlite:///{bare.folder}/instance/leaderboard.db"
