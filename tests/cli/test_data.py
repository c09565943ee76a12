from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Settings

DECLARATION = """
name = "toy"
title.en = "A toy"
summary.en = "Nothing."
[[inputs]]
name = "words"
file = "words.txt"
title.en = "Words"
[[inputs]]
name = "sounds"
file = "sounds.txt"
title.en = "Sounds"
[[tracks]]
name = "main"
title.en = "Main"
gold = "gold.txt"
measures = ["AP"]
[[sources]]
kind = "input"
file = "words.txt"
url = "https://example.org/list.txt"
sha256 = "{sum}"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    digest = hashlib.sha256(b"words").hexdigest()
    (folder / "task.toml").write_text(DECLARATION.format(sum=digest))
    (folder / "scorer.py").touch()
    (tmp_path / "downloads").mkdir()
    return folder


def fetch(toy: Path, *arguments: str) -> Result:
    settings = Settings(tasks=(toy,), data=toy.parent / "data")
    return CliRunner().invoke(main, ["data", "fetch", "toy", *arguments], obj=settings)


def test_files_go_to_the_data_folder_of_the_task(toy: Path) -> None:
    (toy.parent / "downloads" / "list.txt").write_bytes(b"words")
    result = fetch(toy, "--from", str(toy.parent / "downloads"))
    assert result.exit_code == 0, result.output
    place = toy.parent / "data" / "toy" / "inputs" / "words.txt"
    assert f"fetched   {place}" in result.stdout
    assert "sounds.txt: no published home is declared" in result.stdout
    assert place.read_bytes() == b"words"


def test_another_place_can_be_named(toy: Path) -> None:
    (toy.parent / "downloads" / "words.txt").write_bytes(b"words")
    result = fetch(toy, "--from", str(toy.parent / "downloads"), "--to", str(toy.parent / "here"))
    assert result.exit_code == 0, result.output
    assert (toy.parent / "here" / "inputs" / "words.txt").is_file()


def test_a_file_that_cannot_be_had_has_exit_code_one(toy: Path) -> None:
    result = fetch(toy, "--from", str(toy.parent / "downloads"))
    assert result.exit_code == 1
    assert "holds no list.txt / words.txt" in result.stderr


def test_an_origin_that_is_neither_folder_nor_address_is_wrong_usage(toy: Path) -> None:
    result = fetch(toy, "--from", "ftp://example.org")
    assert result.exit_code == 2
    assert "neither a folder nor an address" in result.stderr
