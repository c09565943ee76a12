"""New gold that is looked at before it counts, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.installation import Installation


@pytest.fixture
def turned(toy: Installation) -> Path:
    """Two runs, and a folder with gold that turns their order round."""
    toy.submit("a", 0.1, 0.5, 0.9)
    toy.submit("b", 0.9, 0.5, 0.1)
    return toy.write("new/near.txt", 0.9, 0.5, 0.1).parent


def test_a_draft_says_what_would_change_and_changes_nothing(toy: Installation, turned: Path) -> None:
    printed = toy.done("gold", "draft", "toy", turned, "--note", "fifty again")
    assert "Draft 1 of toy: ready. near 1 → 2" in printed
    assert "open, near: 2 of 2 places change; 2 of 2 values change" in printed
    moves = [line.split() for line in printed.splitlines() if "→" in line]
    assert ["b", "2", "→", "1", "0.4667", "1.0000"] in moves
    assert "open, same: nothing changes" in printed
    assert toy.lines("near") == [("a", 1), ("b", 2)]
    (line,) = toy.done("gold", "drafts", "toy").splitlines()[1:]
    assert line.split()[:3] == ["1", "ready", "gold"]
    assert line.endswith("fifty again")


def test_applying_makes_it_count_and_is_done_once(toy: Installation, turned: Path) -> None:
    toy.done("gold", "draft", "toy", turned)
    toy.submit("c", 0.9, 0.5, 0.2)
    printed = toy.done("gold", "apply", "toy", "1")
    assert "1 run has yet to be scored on this draft." in printed
    assert "Draft 1 of toy: applied." in printed
    assert toy.lines("near") == [("b", 1), ("c", 2), ("a", 3)]
    assert "applied already" in toy.refused("gold", "apply", "toy", "1")
    assert "applied already" in toy.refused("gold", "discard", "toy", "1")


def test_discarding_gives_it_up(toy: Installation, turned: Path) -> None:
    toy.done("gold", "draft", "toy", turned)
    assert "Draft 1 is discarded." in toy.done("gold", "discard", "toy", "1")
    assert "discarded" in toy.refused("gold", "apply", "toy", "1")
    assert toy.lines("near") == [("a", 1), ("b", 2)]


def test_a_draft_of_nothing_new_and_of_no_files_is_refused(toy: Installation) -> None:
    assert "nothing to change" in toy.refused("gold", "draft", "toy", toy.folder / "gold")
    assert "scorer already" in toy.refused("gold", "draft", "toy", "--scorer")
    assert "There is no draft 7." in toy.refused("gold", "apply", "toy", "7")
    assert toy.run("gold", "draft", "toy").exit_code == 2
    assert "There is no draft; `gold draft toy DIR` makes one." in toy.done("gold", "drafts", "toy")
