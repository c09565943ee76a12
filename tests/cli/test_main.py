from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from leaderboard.cli import PLACES, main

SOURCES = Path(__file__).resolve().parents[2] / "leaderboard" / "cli"


def test_help_lists_every_command() -> None:
    printed = CliRunner().invoke(main, ["--help"]).stdout
    for name, (_, line) in PLACES.items():
        assert f"  {name} " in printed
        assert line in printed


@pytest.mark.parametrize("name", PLACES)
def test_every_command_is_where_the_list_says_and_explains_itself(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert command.help


def test_no_file_of_the_command_line_is_left_out_of_the_list() -> None:
    commands = {
        path.stem
        for path in SOURCES.glob("*.py")
        if "@click.command" in path.read_text()
        or ("\n@click.group(" in path.read_text() and path.stem != "__init__")
    }
    # These are commands of the groups `gold` and `judging`.
    commands -= {"gold_drafts", "judging_import"}
    assert commands == {place.partition(":")[0].rpartition(".")[2] for place, _ in PLACES.values()}


def test_help_needs_neither_numpy_nor_a_database() -> None:
    program = (
        "import sys\n"
        "from leaderboard.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(*sorted({'numpy', 'sqlalchemy', 'flask', 'scipy'} & set(sys.modules)), 'loaded')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["loaded"]


def test_an_unknown_command_is_wrong_usage() -> None:
    assert CliRunner().invoke(main, ["chek"]).exit_code == 2
