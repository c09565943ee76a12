from __future__ import annotations

from tests.cli.installation import Installation


def test_inputs_are_installed_once(bare: Installation) -> None:
    bare.begin()
    folder = bare.folder / "inputs"
    assert bare.done("inputs", "install", "toy", folder) == "topics: installed.\n"
    assert bare.done("inputs", "install", "toy", folder) == "topics: as before.\n"


def test_a_folder_without_inputs_is_refused(bare: Installation) -> None:
    bare.begin()
    assert "topics.txt" in bare.refused("inputs", "install", "toy", bare.folder / "gold")
