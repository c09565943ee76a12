from __future__ import annotations

from tests.cli.installation import Installation


def test_published_results_stand_below_the_line_with_their_source(toy: Installation) -> None:
    declaration = toy.tasks / "toy" / "task.toml"
    text = declaration.read_text().replace('primary = "closeness"', 'primary = "P@1"')
    declaration.write_text(text)
    toy.submit("a", 0.1, 0.5, 0.9)
    file = toy.write("published.csv", "run,participant,P_1", "theirs,them,0.25")
    arguments = ("references", "import", "toy", file, "--track", "near", "--source", "A paper, 2015")
    assert toy.done(*arguments) == "1 published result.\n"
    printed = toy.done("board", "toy", "--track", "near")
    assert "    –  them  theirs  0.2500" in printed
    assert "Below the line, published results of others: A paper, 2015" in printed


def test_results_without_the_measure_that_ranks_are_counted(toy: Installation) -> None:
    file = toy.write("published.csv", "run,P_1", "theirs,0.25")
    toy.done("references", "import", "toy", file, "--source", "A paper")
    printed = toy.done("board", "toy", "--track", "near")
    assert "1 published result has no closeness; csv and json have its values." in printed


def test_a_file_without_runs_is_refused(toy: Installation) -> None:
    file = toy.write("published.csv", "team,P_1", "theirs,0.25")
    assert "published.csv: line 1" in toy.refused("references", "import", "toy", file, "--source", "x")
    file = toy.write("published.csv", "run,P_1", "theirs,much")
    assert "published.csv: line 2, column 2" in toy.refused(
        "references", "import", "toy", file, "--source", "x"
    )
