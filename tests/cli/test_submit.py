from __future__ import annotations

import shutil

import pytest

from tests.cli.installation import Installation

LINES = """\
run 1: "Mine" of a, submitted 2026-03-02 09:00 UTC in the phase open
near: Near
  place 1
  closeness  0.8333  (ranks this track)
  P@1        1.0000
same: Same
  place 1
  correlation  0.72  (ranks this track)
"""


def test_a_run_is_kept_scored_and_placed(toy: Installation) -> None:
    options = ("--name", "Mine", "--submitted-at", "2026-03-02T12:00+03:00")
    assert toy.submit("a", 0.1, 0.5, 0.4, options=options) == LINES


def test_a_run_without_place_says_why(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    printed = toy.submit("b", 0.5, 0.5, 0.5)
    assert "  place 2\n" in printed
    assert "  no place: All values of the run are the same.\n  correlation  undefined" in printed


def test_a_run_that_is_not_the_best_of_its_team_says_so(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    assert "no place: Another run of the team counts on this track." in toy.submit("a", 0.1, 0.4, 0.8)


@pytest.mark.parametrize("kind", ["--baseline", "--contrastive"])
def test_a_baseline_and_a_contrastive_run_have_no_place(toy: Installation, kind: str) -> None:
    toy.submit("a", 0.1, 0.5, 0.9, options=(kind,))
    assert toy.lines("near") == [("a", None)]


def test_warnings_are_printed(toy: Installation) -> None:
    assert "warning: 3 topics are expected.\n" in toy.submit("a", 0.1)


def test_faults_are_printed_where_editors_find_them(toy: Installation) -> None:
    file = toy.write("bad.txt", 0.1, "x", "y")
    printed = toy.refused("submit", "toy", file, "--team", "a")
    assert f'{file}:2:1: "x" is not a number.\n{file}:3:1: "y" is not a number.\n' in printed
    assert "2 faults." in printed
    assert toy.lines("near") == []


def test_the_same_file_is_recognised(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    printed = toy.submit("a", 0.1, 0.5, 0.9)
    assert printed.startswith("run 1: ")
    assert "The team had submitted this very file before; nothing has changed." in printed
    assert toy.lines("near") == [("a", 1)]


def test_the_same_file_of_another_team_is_another_run(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    assert toy.submit("b", 0.1, 0.5, 0.9).startswith("run 2: ")
    assert toy.lines("near") == [("a", 1), ("b", 1)]


def test_a_scorer_that_breaks_leaves_a_failed_run_and_exit_code_1(toy: Installation) -> None:
    result = toy.run("submit", "toy", toy.write("beast.txt", 666), "--team", "a")
    assert result.exit_code == 1
    assert "The scorer broke on this run." in result.stdout
    assert "ArithmeticError" in result.stdout


def test_a_task_that_is_declared_but_not_installed_is_refused(toy: Installation) -> None:
    other = toy.folder / "tasks" / "other"
    shutil.copytree(toy.folder / "tasks" / "toy", other)
    declaration = other / "task.toml"
    declaration.write_text(declaration.read_text().replace('name = "toy"', 'name = "other"'))
    printed = toy.refused("submit", "other", toy.write("a.txt", 1), "--team", "a")
    assert "The task other is not installed here" in printed


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("toy",), "Give a FILE and its --team"),
        (("toy", "gold/near.txt"), "Give a FILE and its --team"),
        (("toy", "--manifest", "gold/near.txt", "--team", "a"), "With --manifest the file says everything"),
        (("toy", "gold/near.txt", "--team", "a", "--submitted-at", "noon"), "write it like 2026-03-02T"),
        (("toys", "gold/near.txt", "--team", "a"), "did you mean toy?"),
    ],
)
def test_wrong_usage_ends_with_exit_code_2(
    toy: Installation, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(toy.folder)
    result = toy.run("submit", *arguments)
    assert result.exit_code == 2
    assert why in result.stderr


def test_a_name_that_cannot_be_used_is_refused(toy: Installation) -> None:
    assert "longer than 100 characters" in toy.refused(
        "submit", "toy", toy.write("a.txt", 1), "--team", "a" * 101
    )
