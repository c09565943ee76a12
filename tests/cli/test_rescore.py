from __future__ import annotations

import pytest

from leaderboard.services import runs
from leaderboard.site import opened, utc_now
from tests.cli.installation import Installation


def leave_unscored(toy: Installation, team: str, *values: object) -> None:
    """What a process leaves that is killed between writing the run down and scoring it."""
    path = toy.write(f"{team}.txt", *values)
    with opened(toy.settings) as site:
        spec, scorer = site.task("toy")
        with site.database.writing() as session:
            runs.submit(session, site.files, spec, scorer, path, runs.Details(team), utc_now())


def test_pending_finishes_what_a_killed_process_left(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    leave_unscored(toy, "b", 0.1, 0.5, 0.8)
    assert toy.lines("near") == [("a", 1)]
    assert toy.done("rescore", "toy", "--pending") == "1 run was scored.\n"
    assert toy.lines("near") == [("a", 1), ("b", 2)]
    assert toy.done("rescore", "toy", "--pending") == "0 runs were scored.\n"


def test_all_runs_are_scored_again_by_the_scorer_of_now(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    toy.submit("b", 0.1, 0.5, 0.8)
    assert toy.done("rescore", "toy") == "2 runs were scored.\n"
    assert toy.lines("near") == [("a", 1), ("b", 2)]


def test_one_failed_run_is_tried_again(toy: Installation) -> None:
    assert toy.run("submit", "toy", toy.write("beast.txt", 666), "--team", "a").exit_code == 1
    result = toy.run("rescore", "toy", "--run", "1")
    assert result.exit_code == 1
    assert "Run 1 could not be scored; `rescore TASK --run 1` tries it again." in result.stdout
    scorer = toy.tasks / "toy" / "scorer.py"
    scorer.write_text(scorer.read_text().replace("if 666 in run", "if 667 in run"))
    # Another process would load the mended scorer; here a copy under another name does.
    mended = scorer.rename(scorer.with_name("mended.py"))
    declaration = toy.tasks / "toy" / "task.toml"
    declaration.write_text(f'scorer = "{mended.name}"\n' + declaration.read_text())
    assert toy.done("rescore", "toy", "--run", "1") == "1 run was scored.\n"
    assert toy.lines("near") == [("a", 1)]


@pytest.mark.parametrize("run", ["7", "0"])
def test_a_run_that_is_not_there_is_named(toy: Installation, run: str) -> None:
    assert f"The task toy has no run {run}." in toy.refused("rescore", "toy", "--run", run)


def test_a_rejected_run_has_nothing_to_score(toy: Installation) -> None:
    toy.refused("submit", "toy", toy.write("bad.txt", "x"), "--team", "a")
    assert "there is nothing to score" in toy.refused("rescore", "toy", "--run", "1")


def test_one_run_and_pending_ones_exclude_each_other(toy: Installation) -> None:
    assert toy.run("rescore", "toy", "--run", "1", "--pending").exit_code == 2


def test_runs_cannot_be_scored_without_gold(bare: Installation) -> None:
    bare.begin()
    bare.submit("a", 0.1, 0.5, 0.9)
    assert "install one with `gold install toy DIR`" in bare.refused("rescore", "toy")
    assert bare.done("rescore", "toy", "--pending") == "0 runs were scored.\n"
