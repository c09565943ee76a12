from __future__ import annotations

from tests.cli.installation import Installation


def test_installing_gold_makes_a_version_of_each_track(bare: Installation) -> None:
    bare.begin()
    printed = bare.done("gold", "install", "toy", bare.folder / "gold", "--note", "the first")
    assert "near: version 1 scores from now on." in printed
    assert "same: version 1 scores from now on." in printed
    header, near, same = bare.done("gold", "list", "toy").splitlines()
    assert header.split()[:3] == ["track", "version", "state"]
    assert near.split()[:3] == ["near", "1", "active"]
    assert near.endswith("the first")
    assert same.split()[:3] == ["same", "1", "active"]


def test_a_track_whose_file_is_missing_or_the_same_is_named(toy: Installation) -> None:
    (toy.folder / "gold" / "same.txt").unlink()
    printed = toy.done("gold", "install", "toy", toy.folder / "gold")
    assert "near: as before." in printed
    assert f"same: no file in {toy.folder / 'gold'}." in printed


def test_new_gold_scores_the_runs_that_are_here(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    toy.submit("b", 0.9, 0.5, 0.1)
    assert toy.lines("near") == [("a", 1), ("b", 2)]
    toy.write("gold/near.txt", 0.9, 0.5, 0.1)
    printed = toy.done("gold", "install", "toy", toy.folder / "gold")
    assert "near: version 2 scores from now on." in printed
    assert "2 runs were scored." in printed
    assert toy.lines("near") == [("b", 1), ("a", 2)]


def test_gold_scores_the_runs_that_waited_for_it(bare: Installation) -> None:
    bare.begin()
    assert "The run is kept, and will be scored then." in bare.submit("a", 0.1, 0.5, 0.9)
    bare.done("gold", "install", "toy", bare.folder / "gold")
    assert bare.lines("near") == [("a", 1)]


def test_of_bad_gold_nothing_is_installed(toy: Installation) -> None:
    toy.write("gold/near.txt", 0.3)
    toy.write("gold/same.txt", "x")
    assert toy.refused("gold", "install", "toy", toy.folder / "gold").startswith("same.txt: line 1: ")
    assert "version 2" not in toy.done("gold", "list", "toy")
    assert toy.done("gold", "list", "toy").count("active") == 2


def test_a_folder_without_gold_is_refused(toy: Installation) -> None:
    assert "near.txt, same.txt" in toy.refused("gold", "install", "toy", toy.folder / "inputs")


def test_without_gold_the_list_says_how_to_install_some(bare: Installation) -> None:
    bare.begin()
    assert "install one with `gold install toy DIR`" in bare.done("gold", "list", "toy")
