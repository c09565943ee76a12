"""Many runs in one go."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.services import standings
from tests.cli.installation import Installation


def test_every_run_of_a_manifest_is_scored(toy: Installation) -> None:
    for name, value in (("a", 0.9), ("b", 0.8), ("c", 0.7)):
        toy.write(f"runs/{name}.txt", 0.1, 0.5, value)
    manifest = toy.manifest(
        ("runs/a.txt", "A", "First", "2026-03-02T09:00:00Z", "no"),
        ("runs/b.txt", "B", "", "", ""),
        ("runs/c.txt", "Organisers", "", "", "yes"),
        header="file,team,name,submitted_at,baseline",
    )
    printed = toy.done("submit", "toy", "--manifest", manifest)
    assert printed.splitlines()[-1] == "3 runs scored."
    assert toy.lines("near") == [("A", 1), ("B", 2), ("Organisers", None)]
    first = toy.rows("toy", "near")[0]
    assert (first["run_name"], first["submitted_at"]) == ("First", "2026-03-02T09:00:00+00:00")


def test_a_manifest_may_be_submitted_again(toy: Installation) -> None:
    toy.write("a.txt", 0.1, 0.5, 0.9)
    manifest = toy.manifest(("a.txt", "A"))
    toy.done("submit", "toy", "--manifest", manifest)
    printed = toy.done("submit", "toy", "--manifest", manifest)
    assert f"{toy.folder / 'a.txt'}: submitted before, as run 1" in printed
    assert "0 runs scored.\n1 was here before." in printed


def test_of_a_bad_manifest_every_line_is_told_and_no_run_submitted(toy: Installation) -> None:
    toy.write("a.txt", 0.1, 0.5, 0.9)
    manifest = toy.manifest(
        ("a.txt", "A", ""),
        ("missing.txt", "A", ""),
        ("a.txt", "", ""),
        ("a.txt", "A" * 101, ""),
        ("a.txt", "B", "noon"),
        ("a.txt", "A", ""),
        header="file,team,submitted_at",
    )
    printed = toy.refused("submit", "toy", "--manifest", manifest).splitlines()
    assert [line.partition(": ")[2].partition(":")[0] for line in printed] == [
        "line 3",
        "line 4, column 2",
        "line 5",
        "line 6, column 3",
        "line 7",
    ]
    assert "Line 2 names the same file of the same team already." in printed[-1]
    assert toy.lines("near") == []


def test_a_rejected_run_does_not_stop_the_others(toy: Installation) -> None:
    toy.write("a.txt", 0.1, 0.5, 0.9)
    bad = toy.write("bad.txt", "x")
    toy.write("beast.txt", 666)
    toy.write("b.txt", 0.1, 0.5, 0.8)
    lines = (("bad.txt", "B"), ("beast.txt", "B"), ("a.txt", "A"), ("b.txt", "B"))
    result = toy.run("submit", "toy", "--manifest", toy.manifest(*lines))
    assert result.exit_code == 1
    assert f'{bad}:1:1: "x" is not a number.' in result.stderr
    assert result.stdout.endswith("2 runs scored.\n1 was rejected.\nThe scoring of 1 failed.\n")
    assert toy.lines("near") == [("A", 1), ("B", 2)]


def test_without_gold_the_runs_of_a_manifest_wait(bare: Installation) -> None:
    bare.begin()
    bare.write("a.txt", 0.1, 0.5, 0.9)
    printed = bare.done("submit", "toy", "--manifest", bare.manifest(("a.txt", "A")))
    assert "run 1, which waits for a benchmark" in printed
    assert "install one with `gold install toy DIR`" in printed


def test_the_standings_are_computed_once_for_all_runs(
    toy: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = standings.refresh
    computed = []

    def counting(*arguments: Any) -> int:
        computed.append(arguments)
        return refresh(*arguments)

    monkeypatch.setattr(standings, "refresh", counting)
    for number in range(5):
        toy.write(f"{number}.txt", 0.1, 0.5, number / 10)
    toy.done("submit", "toy", "--manifest", toy.manifest(*((f"{n}.txt", "A") for n in range(5))))
    assert len(computed) == 1
