"""``judging`` through the command line, on small files and on the real ones of 2019."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Settings

QRELS = "1 0 a 3\n1 0 b 2\n1 0 c 2\n1 0 d 0\n2 0 a 1\n3 0 a 0\n"
PREF = "1 a b b\n1 a c a\n1 b c b\n"


def judging(*arguments: str | Path | float) -> Result:
    return CliRunner().invoke(main, ["judging", *map(str, arguments)], obj=Settings())


def done(*arguments: str | Path | float) -> str:
    result = judging(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "graded.qrels").write_text(QRELS)
    (tmp_path / "crowd.pref").write_text(PREF)
    return tmp_path


def test_pool_says_how_many_and_where(folder: Path) -> None:
    output = done("pool", folder / "graded.qrels", "--k", 2)
    assert "4 candidates for the top 2 of 3 topics" in output
    assert "most in a topic: 3 (1)" in output
    assert "topics with fewer than 2: 2 (2, 3)" in output


def test_pool_as_json_has_all_candidates(folder: Path) -> None:
    found = json.loads(done("pool", folder / "graded.qrels", "--k", "2", "--json"))
    assert found["pools"] == {"1": ["a", "b", "c"], "2": ["a"], "3": []}
    assert (found["candidates"], found["most"], found["most_in"]) == (4, 3, ["1"])


def test_pool_of_runs_has_what_is_not_graded(folder: Path) -> None:
    run = folder / "run.txt"
    run.write_text("1 Q0 a 1 9 x\n1 Q0 z 2 8 x\n1 Q0 y 3 7 x\n9 Q0 z 1 9 x\n")
    found = json.loads(done("pool", folder / "graded.qrels", "--run", run, "--depth", 2, "--json"))
    assert found["ungraded"] == {"1": ["z"], "2": [], "3": []}


def test_aggregate_prints_qrels_alone_on_standard_output(folder: Path) -> None:
    output = done("aggregate", folder / "crowd.pref", "--qrels", folder / "graded.qrels", "--k", 2)
    assert output == "1 Q0 a 10\n1 Q0 b 20\n1 Q0 c 2\n1 Q0 d 0\n2 Q0 a 1\n3 Q0 a 0\n"


def test_aggregate_writes_a_file_and_says_what_it_found(folder: Path) -> None:
    target = folder / "combined.qrels"
    arguments = ("aggregate", folder / "crowd.pref", "--qrels", folder / "graded.qrels", "--output", target)
    assert "3 judgments of 3 pairs in 1 topics" in done(*arguments)
    assert "1 Q0 b 50" in target.read_text()
    # Levels are no grades: the file cannot be combined once more.
    again = judging("aggregate", folder / "crowd.pref", "--qrels", target)
    assert again.exit_code == 1
    assert "grades have to be below 10" in again.stderr


def test_a_broken_file_ends_in_a_sentence(folder: Path) -> None:
    (folder / "crowd.pref").write_text("1 a b c\n")
    result = judging("aggregate", folder / "crowd.pref", "--qrels", folder / "graded.qrels")
    assert result.exit_code == 1
    assert "crowd.pref: line 1, column 7: The preferred c is neither of the two items" in result.stderr


def test_fewer_finalists_than_k_is_wrong_usage(folder: Path) -> None:
    result = judging("aggregate", folder / "crowd.pref", "--qrels", folder / "graded.qrels", "--finalists", 3)
    assert result.exit_code == 2


def test_alpha_of_a_table(folder: Path) -> None:
    ratings = folder / "ratings.csv"
    ratings.write_text("item,x,y\na,0,1\nb,1,1\nc,2,2\nd,3,\n")
    found = json.loads(done("alpha", ratings, "--level", "nominal", "--json"))
    # Six values, 0 1 1 1 2 2; one of three units disagrees: 1 - (2/6) / (22/30).
    assert found["alpha"] == pytest.approx(1 - (2 / 6) / (22 / 30))
    assert (found["items"], found["judges"], found["ratings"], found["equal"]) == (4, 2, 7, 2)
    assert "alpha (ordinal): 0." in done("alpha", ratings)


def test_alpha_says_where_it_is_undefined(folder: Path) -> None:
    ratings = folder / "ratings.csv"
    ratings.write_text("item,x\na,0\nb,1\n")
    assert "undefined" in done("alpha", ratings)
    assert json.loads(done("alpha", ratings, "--json"))["alpha"] is None


def test_simulate_writes_the_plots_and_their_numbers(folder: Path) -> None:
    target = folder / "plots"
    output = done("simulate", "--size", 10, "--trials", 3, "--error", 0, "--error", 0.2, "--output", target)
    assert "tournament, 3 judges a pair" in output
    with (target / "simulation.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 6
    assert {row["found"] for row in rows if row["procedure"] == "tournament" and row["error"] == "0.0"} == {
        "1.0"
    }
    for name in ("found.svg", "cost.svg"):
        assert ET.parse(target / name).getroot().tag.endswith("svg")


@pytest.fixture(scope="module")
def cast(shared_data: Path) -> Path:
    return shared_data / "cast2019"


def test_the_bounds_of_table_2(cast: Path) -> None:
    lines = done("bounds", cast / "gold" / "graded.qrels", "--k", 3, "--k", 5, "--k", 10).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["3", "2238", "3456"],
        ["5", "2673", "5429"],
        ["10", "3563", "10691"],
    ]


def test_crowd_and_local_answers_as_in_the_paper(cast: Path) -> None:
    gold = cast / "gold"
    found = json.loads(
        done(
            "agreement",
            gold / "combined.qrels",
            gold / "best.qrels",
            "--grades",
            gold / "graded.qrels",
            "--json",
        )
    )
    assert [len(found[key]) for key in ("at_top", "among", "absent")] == [63, 141, 32]
    assert round(100 * found["crowd"]["share_of_top_with_highest_grade"], 1) == 68.7
    assert round(100 * found["crowd"]["share_of_all_with_highest_grade"], 1) == 61.6


def test_what_is_told_is_drawn_too(cast: Path, tmp_path: Path) -> None:
    gold = cast / "gold"
    done("pool", gold / "graded.qrels", "--plot", tmp_path / "pool.svg")
    sources = ("agreement", gold / "combined.qrels", gold / "best.qrels")
    done(*sources, "--plot", tmp_path / "sources.svg")
    done(*sources, "--grades", gold / "graded.qrels", "--plot", tmp_path / "grades.svg")
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    assert "2673 candidates" in drawn["pool.svg"]
    assert "for 63 topics, among its answers for 141, not among them for 32" in drawn["sources.svg"]
    assert "182 of the top answers and 565 of all chosen answers" in drawn["grades.svg"]


def test_the_judgments_of_the_crowd_are_aggregated(cast: Path, tmp_path: Path) -> None:
    output = done(
        "aggregate",
        cast / "preferences" / "crowd.pref",
        "--qrels",
        cast / "gold" / "graded.qrels",
        "--output",
        tmp_path / "combined.qrels",
    )
    assert "14573 judgments of 12490 pairs in 171 topics" in output
    assert "ranked by wins among all their items: 78 topics" in output
    assert "transitive triples: 84.7 % of 15308; 2340 are cycles" in output
