"""A task in a folder of its own, checked and scored through the command line."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Settings

DECLARATION = """
name = "guess"
title.en = "Guess the number"
summary.en = "One number a line."
[[inputs]]
name = "questions"
file = "questions.txt"
title.en = "Questions"
[[tracks]]
name = "near"
title.en = "How near"
gold = "near.txt"
measures = ["error", "spread"]
direction = "lower"
digits = 2
[[tracks]]
name = "far"
title.en = "How far"
gold = "far.txt"
measures = ["error"]
"""

SCORER = """
from types import SimpleNamespace
import numpy as np
from leaderboard.contract import Fault, FormatError, Report, TrackScores, say

VERSION = "1"

def check(spec, path, inputs):
    faults, numbers = [], []
    for line, text in enumerate(path.read_text().splitlines(), start=1):
        try:
            numbers.append(float(text))
        except ValueError:
            faults.append(Fault(line, 1, say("{text} is not a number.", text=text), "not-a-number"))
    left_out = () if inputs else (say("The questions were not looked at."),)
    run = None if faults else numbers
    return Report(run, tuple(faults[:50]), len(faults), (say("Guessed?"),), (say("Read."),), left_out)

def template(spec, inputs):
    return iter(["1.0", "2.0"])

def read_gold(spec, files):
    gold = {}
    for name, file in files.items():
        try:
            gold[name] = [float(line) for line in file.read_text().split()]
        except ValueError:
            raise FormatError(file.name, (Fault(1, None, say("Not a number."), "not-a-number"),))
    return SimpleNamespace(topics={name: ("1_1", "1_2") for name in gold}, gold=gold)

def score(spec, run, gold):
    found = {}
    for name, right in gold.gold.items():
        errors = np.abs(np.array(run) - np.array(right))
        measures = spec.track(name).measures
        per_topic = {text: errors if text == "error" else np.array([np.nan, 1.0]) for text in measures}
        values = {text: float(errors.mean()) if text == "error" else float("nan") for text in measures}
        undefined = {text: say("One number has no spread.") for text in measures if text == "spread"}
        found[name] = TrackScores(values, undefined, ("1_1", "1_2"), per_topic, 2, 2)
    return found
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks" / "guess"
    (folder / "gold").mkdir(parents=True)
    (folder / "inputs").mkdir()
    (folder / "task.toml").write_text(DECLARATION)
    (folder / "scorer.py").write_text(SCORER)
    (folder / "gold" / "near.txt").write_text("1.0 2.5")
    (folder / "inputs" / "questions.txt").write_text("?")
    (folder / "run.txt").write_text("1.1\n2.0\n")
    return folder


def leaderboard(toy: Path, *arguments: str | Path) -> Result:
    settings = Settings(tasks=(toy.parent,), data=toy / "nothing-fetched")
    return CliRunner().invoke(main, [str(argument) for argument in arguments], obj=settings)


def test_a_task_of_ones_own_is_scored_without_an_edit(toy: Path) -> None:
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "gold", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["tracks"] == {"near": {"error": (abs(1.1 - 1.0) + 0.5) / 2, "spread": None}}
    assert document["per_topic"]["near"] == {
        "error": {"1_1": abs(1.1 - 1.0), "1_2": 0.5},
        "spread": {"1_1": None, "1_2": 1.0},
    }
    assert document["undefined"] == {"near": {"spread": "One number has no spread."}}
    assert document["warnings"] == ["Guessed?"]
    assert document["notes"] == ["Read."]
    assert document["absent"] == ["far"]


def test_a_task_may_be_given_by_its_folder(toy: Path) -> None:
    result = CliRunner().invoke(main, ["check", str(toy), str(toy / "run.txt")], obj=Settings(tasks=()))
    assert result.exit_code == 0, result.output


def test_the_text_is_aligned_and_names_what_is_undefined_or_absent(toy: Path) -> None:
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "gold", "--per-topic")
    assert result.exit_code == 0, result.output
    assert result.stdout == dedent(f"""\
        near: How near
          topics answered 2 of 2
          error        0.30  (ranks this track)
          spread  undefined  One number has no spread.
        near, per topic
          topic  error     spread
          1_1     0.10  undefined
          1_2     0.50       1.00

        far: not scored, for {toy / "gold"} has no far.txt
        warning: Guessed?
        note: Read.
        """)


def test_faults_are_printed_where_editors_find_them(toy: Path) -> None:
    (toy / "run.txt").write_text("1\nx\ny\n")
    result = leaderboard(toy, "check", "guess", toy / "run.txt")
    assert result.exit_code == 1
    assert f"{toy / 'run.txt'}:2:1: x is not a number.\n" in result.stdout
    assert f"{toy / 'run.txt'}: 2 faults.\n" in result.stdout


def test_faults_beyond_the_first_fifty_are_counted(toy: Path) -> None:
    (toy / "run.txt").write_text("x\n" * 60)
    result = leaderboard(toy, "check", "guess", toy / "run.txt")
    assert "60 faults in all; 10 more are not listed." in result.stdout


def test_a_file_with_faults_is_not_scored(toy: Path) -> None:
    (toy / "run.txt").write_text("x\n")
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "gold", "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "run.txt:1:1: x is not a number." in result.stderr


def test_a_check_without_inputs_says_what_it_left_out(toy: Path) -> None:
    without = leaderboard(toy, "check", "guess", toy / "run.txt")
    assert "not checked: The questions were not looked at." in without.stdout
    with_them = leaderboard(toy, "check", "guess", toy / "run.txt", "--inputs", toy / "inputs")
    assert "not checked" not in with_them.stdout


def test_fetched_inputs_are_used_unasked(toy: Path) -> None:
    settings = Settings(tasks=(toy.parent,), data=toy / "data")
    (toy / "data" / "guess" / "inputs").mkdir(parents=True)
    (toy / "data" / "guess" / "inputs" / "questions.txt").touch()
    result = CliRunner().invoke(main, ["check", "guess", str(toy / "run.txt")], obj=settings)
    assert "not checked" not in result.stdout


def test_a_folder_beside_the_gold_with_other_inputs_is_passed_over(toy: Path) -> None:
    (toy / "inputs" / "questions.txt").rename(toy / "inputs" / "of-another-task.txt")
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "gold")
    assert result.exit_code == 0, result.output
    assert "not checked: The questions were not looked at." in result.stdout


def test_a_run_may_come_through_standard_input(toy: Path) -> None:
    settings = Settings(tasks=(toy.parent,), data=toy / "nothing-fetched")
    arguments = ["score", "guess", "-", "--gold", str(toy / "gold"), "--json"]
    result = CliRunner().invoke(main, arguments, obj=settings, input="1.1\n2.0\n")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["tracks"]["near"]["error"] == (abs(1.1 - 1.0) + 0.5) / 2
    refused = CliRunner().invoke(main, ["check", "guess", "-"], obj=settings, input="1\nx\n")
    assert "-:2:1: x is not a number." in refused.stdout


def test_a_run_may_come_through_a_named_pipe(toy: Path) -> None:
    pipe = toy / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("1.1\n2.0\n",))
    writer.start()
    result = leaderboard(toy, "check", "guess", pipe)
    writer.join()
    assert result.exit_code == 0, result.output


def test_what_would_steer_a_terminal_is_shown_and_not_obeyed(toy: Path) -> None:
    (toy / "run.txt").write_text("\x1b[2J\u202e\n", encoding="utf-8")
    result = leaderboard(toy, "check", "guess", toy / "run.txt")
    assert r":1:1: \x1b[2J\u202e is not a number." in result.stdout


def test_a_template_can_be_printed(toy: Path) -> None:
    assert leaderboard(toy, "check", "guess", "--template").stdout == "1.0\n2.0\n"


@pytest.mark.parametrize(
    "arguments", [["check", "guess"], ["check", "gues", "f"], ["score", "guess"], ["nonsense"]]
)
def test_wrong_usage_has_exit_code_two(toy: Path, arguments: list[str]) -> None:
    assert leaderboard(toy, *arguments).exit_code == 2


def test_a_folder_without_gold_is_named_with_the_one_meant(toy: Path) -> None:
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy)
    assert result.exit_code == 1
    assert f"did you mean {toy / 'gold'}?" in result.stderr
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "inputs")
    assert "expected is at least one of near.txt, far.txt" in result.stderr


def test_a_folder_without_inputs_is_named(toy: Path) -> None:
    result = leaderboard(toy, "check", "guess", toy / "run.txt", "--inputs", toy / "gold")
    assert result.exit_code == 1
    assert "holds no public input of guess" in result.stderr


def test_broken_gold_ends_in_a_sentence(toy: Path) -> None:
    (toy / "gold" / "near.txt").write_text("one")
    result = leaderboard(toy, "score", "guess", toy / "run.txt", "--gold", toy / "gold")
    assert result.exit_code == 1
    assert result.stderr == "near.txt: line 1: Not a number.\n"


def test_a_broken_declaration_ends_in_a_sentence(toy: Path) -> None:
    (toy / "task.toml").write_text(DECLARATION + "digit = 3\n")
    result = leaderboard(toy, "check", "guess", toy / "run.txt")
    assert result.exit_code == 1
    assert "tracks[2].digit is not known; did you mean digits?" in result.stderr


@pytest.mark.parametrize("command", [[], ["check"], ["score"], ["data"], ["data", "fetch"]])
def test_help_is_everywhere(toy: Path, command: list[str]) -> None:
    result = leaderboard(toy, *command, "--help")
    assert result.exit_code == 0
    assert "python -m leaderboard" in result.output


def test_a_russe_run_has_its_reference_scores(shared_data: Path) -> None:
    run = shared_data / "russe" / "runs" / "navec_cos.csv"
    gold = shared_data / "russe" / "gold"
    result = CliRunner().invoke(main, ["score", "russe", str(run), "--gold", str(gold), "--json"])
    assert result.exit_code == 0, result.output
    reference = (shared_data / "reference" / "russe_runs.csv").read_text().splitlines()
    expected = next(line.split(",") for line in reference if line.startswith("navec_cos"))
    tracks = json.loads(result.stdout)["tracks"]
    found = [tracks["hj"]["spearman"], tracks["rt"]["AveP"], tracks["ae"]["AveP"]]
    assert found == pytest.approx([float(value) for value in expected[1:4]], abs=1e-9)
