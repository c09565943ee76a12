"""Real runs through the command line alone, from a manifest to the board."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.installation import CommandLine


@pytest.fixture
def site(tmp_path: Path, tasks_folder: Path) -> CommandLine:
    made = CommandLine(tmp_path, tasks_folder)
    made.begin()
    return made


def test_word_pairs_have_the_values_of_scipy_and_scikit_learn(site: CommandLine, shared_data: Path) -> None:
    site.done("gold", "install", "russe", shared_data / "russe" / "gold")
    runs = sorted((shared_data / "russe" / "runs").glob("*.csv"))
    assert len(runs) == 13
    site.done("submit", "russe", "--manifest", site.manifest(*((run, run.stem) for run in runs)))
    with (shared_data / "reference" / "russe_runs.csv").open() as stream:
        expected = {row["run"]: row for row in csv.DictReader(stream)}
    for track, column in (("hj", "hj_spearman"), ("rt", "rt_avep"), ("ae", "ae_avep")):
        values = {row["team"]: row["value"] for row in site.rows("russe", track)}
        assert set(values) == {run.stem for run in runs}
        for team, value in values.items():
            if (team, track) == ("zeros", "hj"):
                assert value is None
            else:
                assert value == pytest.approx(float(expected[team][column]), abs=1e-12)
    last = site.rows("russe", "hj")[-1]
    assert (last["team"], last["place"]) == ("zeros", None)
    assert "a constant cannot be correlated" in last["reason"]


def test_retrieval_runs_stand_in_the_reference_order(site: CommandLine, shared_data: Path) -> None:
    site.done("gold", "install", "cast", shared_data / "cast2019" / "gold")
    runs = [run for run in sorted((shared_data / "cast2019" / "runs").iterdir()) if run.suffix != ".txt"]
    lines = ((run, run.name.partition(".")[0]) for run in runs)
    site.done("submit", "cast", "--manifest", site.manifest(*lines))
    rows = site.rows("cast", "graded")
    assert [row["place"] for row in rows] == list(range(1, 18))
    shown = [(row["team"], f"{row['value']:.4f}") for row in rows]
    assert shown[0] == ("decaf2019_12", "0.5233")
    assert shown[3] == ("cqr_bert_base_run_rule_based_cv", "0.4950")
    assert shown[16] == ("decaf2019_01", "0.1422")
