"""Studies of measures through the command line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.installation import CommandLine, Installation


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / name).read_text(encoding="utf-8"), newline="")))


def test_stored_runs_are_studied(toy: Installation, tmp_path: Path) -> None:
    toy.submit("good", 0.1, 0.5, 0.8)
    toy.submit("poor", 0.9, 0.9, 0.2)

    printed = toy.done("study", "toy", "--measures", "near:closeness", "--output", tmp_path / "out")

    assert "2 runs, 1 pair of them" in printed
    (line,) = table(tmp_path / "out", "measures.csv")
    assert (line["measure"], line["units"], line["pairs"], line["tau_b"]) == ("closeness", "3", "1", "1.0")
    runs = {row["run"]: row for row in table(tmp_path / "out", "runs.csv")}
    good = [float(runs["good"][f"near:closeness{end}"]) for end in (" from", "", " to")]
    assert good == sorted(good)
    assert good[1] == pytest.approx(1 - 0.1 / 3)


def test_what_runs_cannot_be_compared_by_is_left_out_and_named(toy: Installation, tmp_path: Path) -> None:
    toy.submit("good", 0.1, 0.5, 0.8)
    toy.submit("poor", 0.9, 0.9, 0.2)

    result = toy.run("study", "toy", "--output", tmp_path / "out")

    assert result.exit_code == 0
    assert "correlation on same" in result.stderr
    assert [row["measure"] for row in table(tmp_path / "out", "measures.csv")] == ["closeness"]


def test_single_runs_are_chosen_by_name_or_number(toy: Installation, tmp_path: Path) -> None:
    for name, first in (("a", 0.1), ("b", 0.4), ("c", 0.7), ("c", 0.8)):
        toy.submit(name, first, 0.5, 0.8)
    out = tmp_path / "out"

    toy.done("study", "toy", "--measures", "near:closeness", "--run", "b", "--run", "3", "--output", out)

    assert [row["run"] for row in table(out, "runs.csv")] == ["b", "c"]
    for run, why in (("d", "has the name or number d"), ("c", "name one by its number: 3, 4")):
        assert why in toy.refused("study", "toy", "--run", "a", "--run", run, "--output", out)
    assert toy.run("study", "toy", "--run", "a", "--all-runs", "--output", out).exit_code == 2


def test_one_run_is_too_few(toy: Installation, tmp_path: Path) -> None:
    toy.submit("only", 0.1, 0.5, 0.8)

    assert "at least two are needed" in toy.refused("study", "toy", "--output", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("far:closeness", "has no track far"),
        ("nDCG@3", "No track of toy has the measure nDCG@3"),
        ("near:?", "is not a measure"),
    ],
)
def test_a_measure_that_there_is_not_is_refused(
    toy: Installation, tmp_path: Path, measure: str, why: str
) -> None:
    assert why in toy.refused("study", "toy", "--measures", measure, "--output", tmp_path / "out")


def test_gold_without_runs_is_wrong_usage(toy: Installation, tmp_path: Path) -> None:
    result = toy.run("study", "toy", "--gold", toy.folder / "gold", "--output", tmp_path / "out")

    assert result.exit_code == 2


def test_a_folder_needs_no_database_and_files_that_are_no_runs_are_named(
    bare: Installation, tmp_path: Path
) -> None:
    bare.write("runs/a.txt", 0.1, 0.5, 0.8)
    bare.write("runs/b.txt", 0.9, 0.9, 0.2)
    bare.write("runs/notes.md", "hello")
    bare.write("runs/.hidden", "hello")

    result = bare.run(
        "study",
        "toy",
        "--gold",
        bare.folder / "gold",
        "--runs",
        bare.folder / "runs",
        "--output",
        tmp_path / "out",
    )

    assert result.exit_code == 0, result.output
    assert "notes.md: left out" in result.stderr
    assert ".hidden" not in result.stderr
    assert [row["run"] for row in table(tmp_path / "out", "runs.csv")] == ["a", "b"]


def test_single_files_of_a_folder_are_chosen(bare: Installation, tmp_path: Path) -> None:
    for name, first in (("a.txt", 0.1), ("b.txt", 0.4), ("c.txt", 0.7)):
        bare.write(f"runs/{name}", first, 0.5, 0.8)
    folders = ("--gold", bare.folder / "gold", "--runs", bare.folder / "runs", "--output", tmp_path / "out")

    bare.done("study", "toy", *folders, "--run", "a", "--run", "c.txt")

    assert [row["run"] for row in table(tmp_path / "out", "runs.csv")] == ["a", "c"]
    assert "There is no run d in" in bare.refused("study", "toy", *folders, "--run", "d")


@pytest.fixture(scope="module")
def real_study(
    tmp_path_factory: pytest.TempPathFactory, shared_data: Path, tasks_folder: Path
) -> tuple[Path, str]:
    """The folder of a study of the 17 real CAsT 2019 runs, and what was printed."""
    folder = tmp_path_factory.mktemp("study")
    data = shared_data / "cast2019"
    printed = CommandLine(folder, tasks_folder).done(
        "study", "cast", "--gold", data / "gold", "--runs", data / "runs", "--output", folder / "out"
    )
    return folder / "out", printed


def test_the_real_runs_give_the_known_table(real_study: tuple[Path, str]) -> None:
    folder, printed = real_study

    rows = table(folder, "measures.csv")

    assert [(row["track"], row["measure"]) for row in rows] == [
        ("graded", "nDCG@3"),
        *((track, "compat(p=0.8)") for track in ("graded", "combined", "top5", "best")),
    ]
    assert [f"{100 * float(row['p<.05']):.1f}" for row in rows] == ["76.5", "75.7", "77.9", "76.5", "65.4"]
    assert [f"{float(row['tau_b']):.3f}" for row in rows] == ["1.000", "0.838", "0.721", "0.691", "0.632"]
    assert "17 runs, 136 pairs" in printed


def test_tables_and_figures_are_fit_for_a_paper(real_study: tuple[Path, str]) -> None:
    folder, _ = real_study

    assert r"combined & compat(p=0.8) & 173 & 77.9" in (folder / "measures.tex").read_text()
    assert r"decaf2019\_12 & 0.5233 (0.47" in (folder / "runs.tex").read_text()
    figures = sorted(path.name for path in folder.glob("*.svg"))
    assert "runs-graded-nDCG@3.svg" in figures
    assert "against-best-compat-p=0.8.svg" in figures
    assert len(figures) == 5 + 4
    for figure in figures:
        assert table(folder, figure.removesuffix("svg") + "csv")
        assert (
            (folder / figure).with_name(figure.removesuffix("svg") + "pdf").read_bytes().startswith(b"%PDF-")
        )
    assert "decaf2019_12: 0.5233 (0.47" in (folder / "runs-graded-nDCG@3.svg").read_text()
