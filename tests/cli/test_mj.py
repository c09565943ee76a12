"""MJ through the command line: from runs to a published file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaderboard.catalog import Catalog
from leaderboard.cli import main
from leaderboard.config import Settings
from leaderboard.services import tasks
from leaderboard.store.session import Database
from tests.databases import fresh_sqlite
from tests.kept import kept
from tests.services.pair_task import GOOD, LISTED, TASKS, PairTask
from tests.services.toy import NOON


@pytest.fixture
def task(tmp_path: Path) -> Iterator[PairTask]:
    """An installation with the runs of two teams."""
    made = PairTask(Database(fresh_sqlite(tmp_path / "instance")), tmp_path)

    def fill() -> None:
        made.install().install_inputs().install_gold()
        made.enter("good", GOOD)
        made.enter("poor", [-value for value in GOOD.values()], 1)

    kept("two teams", made.database, tmp_path, fill)
    yield made
    made.database.close()


def leaderboard(task: PairTask, *arguments: str | Path) -> Result:
    instance = task.folder / "instance"
    settings = Settings(instance=instance, database_url=f"sqlite:///{instance / 'leaderboard.db'}")
    return CliRunner().invoke(main, ["mj", *map(str, arguments)], obj=settings)


def done(task: PairTask, *arguments: str | Path) -> str:
    result = leaderboard(task, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_build_tells_who_counts_with_which_weight(task: PairTask) -> None:
    lines = [line.split() for line in done(task, "build").splitlines()]
    assert ["1", "good", "good", "1.0000", "2", "66.7", "%"] in lines
    assert ["2", "poor", "poor", "-1.0000", "1", "33.3", "%"] in lines


def test_build_prints_no_pair(task: PairTask) -> None:
    output = done(task, "build")
    assert not [word for pair in LISTED for word in pair if word in output.split()]


def test_build_writes_both_files(task: PairTask) -> None:
    done(task, "build", "--output", task.folder / "mj.csv", "--unique", task.folder / "unique.csv")
    with (task.folder / "mj.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 10
    assert len((task.folder / "unique.csv").read_text(encoding="utf-8").splitlines()) == 1 + 9


def test_building_again_says_so(task: PairTask) -> None:
    assert "Kept as MJ 1. Only organisers see it" in done(task, "build")
    assert "It is MJ 1, built before from the same runs." in done(task, "build")


def test_evaluate_prints_table_3(task: PairTask) -> None:
    lines = [line.split() for line in done(task, "evaluate").splitlines()]
    assert lines[0] == ["hj", "spearman", "rt", "AveP", "ae", "AveP"]
    assert lines[1] == ["best", "single", "run", "1.0000", "1.0000", "1.0000"]
    assert [line[:2] for line in lines[2:5]] == [["MJ,", "rank"], ["MJ,", "exp"], ["MJ,", "sqrt"]]


@pytest.mark.parametrize("gold", ["installed", "in a folder"])
def test_evaluate_scores_files(task: PairTask, gold: str) -> None:
    done(task, "build", "--output", task.folder / "mj.csv")
    where = () if gold == "installed" else ("--gold", task.folder / "gold")
    header, line = done(task, "evaluate", *where, task.folder / "mj.csv").splitlines()
    assert header.split()[::2] == ["hj", "rt", "ae"]
    assert line.split()[1:] == ["1.0000", "1.0000", "1.0000"]


def test_evaluate_names_the_line_of_a_faulty_file(task: PairTask) -> None:
    faulty = task.folder / "mj.csv"
    faulty.write_text("word1,word2,mj\na,b,high\n")
    result = leaderboard(task, "evaluate", faulty)
    assert (result.exit_code, result.stderr) == (1, 'mj.csv: line 2, column 3: "high" is not a number.\n')


def test_evaluate_wants_files_with_a_folder_of_gold(task: PairTask) -> None:
    assert leaderboard(task, "evaluate", "--gold", task.folder / "gold").exit_code == 2


def test_a_folder_without_gold_is_named(task: PairTask) -> None:
    done(task, "build", "--output", task.folder / "mj.csv")
    result = leaderboard(task, "evaluate", "--gold", task.folder / "inputs", task.folder / "mj.csv")
    assert result.exit_code == 1
    assert "holds no gold of russe" in result.stderr


def test_publishing_and_withdrawing_show_in_the_list(task: PairTask) -> None:
    assert done(task, "list") == "No MJ of russe has been built yet.\n"
    done(task, "build", "--weights", "sqrt")
    assert done(task, "list").splitlines()[1].split()[:3] == ["1", "sqrt", "open"]
    assert "  –  " in done(task, "list")
    assert done(task, "publish") == "MJ 1 of russe is published.\n"
    assert "  –  " not in done(task, "list")
    assert done(task, "unpublish") == "MJ 1 of russe is no longer published.\n"
    assert "  –  " in done(task, "list")


@pytest.mark.parametrize("command", [["publish"], ["unpublish"], ["related", "дом"]])
def test_before_a_build_the_way_to_one_is_said(task: PairTask, command: list[str]) -> None:
    result = leaderboard(task, *command)
    assert result.exit_code == 1
    assert "`mj build` makes one" in result.stderr


def test_an_unknown_number_is_refused(task: PairTask) -> None:
    result = leaderboard(task, "publish", "7")
    assert (result.exit_code, result.stderr) == (1, "The task russe has no MJ 7.\n")


def test_related_words_are_printed_from_most_to_least(task: PairTask) -> None:
    done(task, "build")
    lines = done(task, "related", "дом", "--most", "1").splitlines()
    assert [line.split()[0] for line in lines] == ["дом", "изба", "…", "вода"]
    assert lines[2].split()[1:] == ["2", "more", "words"]


def test_an_unwritable_target_is_refused_before_the_work(task: PairTask) -> None:
    result = leaderboard(task, "build", "--output", task.folder / "nowhere" / "mj.csv")
    assert result.exit_code == 2
    assert "There is no folder" in result.stderr
    assert done(task, "list") == "No MJ of russe has been built yet.\n"


def test_another_task_has_no_mj(task: PairTask) -> None:
    with task.database.writing() as session:
        tasks.install(session, Catalog((TASKS,)).find("cast"), NOON)
    result = leaderboard(task, "build", "--task", "cast")
    assert result.exit_code == 1
    assert "No MJ belongs to the task cast" in result.stderr


def test_without_a_database_init_is_named(task: PairTask) -> None:
    task.folder = task.folder / "elsewhere"
    result = leaderboard(task, "build")
    assert result.exit_code == 1
    assert "run `python -m leaderboard init` first" in result.stderr


def test_the_papers_table_3_comes_from_the_released_files(task: PairTask, shared_data: Path) -> None:
    released = [shared_data / "russe" / "released_mj" / f"mj-{name}.csv" for name in ("rank", "exp", "sqrt")]
    gold = shared_data / "russe" / "gold"
    _, *lines = done(task, "evaluate", "--gold", gold, *released).splitlines()
    assert [[f"{float(value):.3f}" for value in line.split()[-3:]] for line in lines] == [
        ["0.790", "0.990", "0.992"],
        ["0.772", "0.996", "0.991"],
        ["0.778", "0.983", "0.989"],
    ]
