from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli.installation import Installation


def test_the_overall_ranking_is_meant_where_a_task_has_one(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    assert toy.done("board", "toy").startswith("Toy · overall\n")
    assert toy.done("board", "toy") == toy.done("board", "toy", "--overall")


def test_the_first_track_is_meant_where_a_task_has_no_overall_ranking(toy: Installation) -> None:
    declaration = toy.tasks / "toy" / "task.toml"
    declaration.write_text(declaration.read_text().replace('overall = "mean rank"\n', ""))
    assert toy.done("board", "toy").startswith("Toy · Near\n")
    assert "The task toy has no overall ranking." in toy.refused("board", "toy", "--overall")


@pytest.mark.parametrize("wanted", ["text", "csv", "json", "latex", "markdown"])
@pytest.mark.parametrize("track", [("--overall",), ("--track", "near"), ("--track", "same")])
def test_every_board_is_printed_in_every_format(
    toy: Installation, wanted: str, track: tuple[str, ...]
) -> None:
    toy.submit("Юго-Запад", 0.1, 0.5, 0.9)
    toy.submit("constant", 0.5, 0.5, 0.5)
    printed = toy.done("board", "toy", *track, "--format", wanted)
    assert "Юго-Запад" in printed
    assert printed.endswith("\n")


def test_csv_and_json_have_full_precision(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.4)
    value = 1 - 0.5 / 3
    document = json.loads(toy.done("board", "toy", "--track", "near", "--format", "json"))
    assert document["rows"][0]["value"] == value
    assert document["gold_versions"] == {"near": 1, "same": 1}
    printed = toy.done("board", "toy", "--track", "near", "--format", "csv")
    row = next(csv.DictReader(io.StringIO(printed)))
    assert float(row["near closeness"]) == value
    assert (row["near place"], row["scorer_version"]) == ("1", "1")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--track", "far"), "The task toy has no track far; it has near, same."),
        (("--phase", "final"), "The task toy has no phase final."),
    ],
)
def test_a_board_that_does_not_exist_is_named(
    toy: Installation, arguments: tuple[str, ...], why: str
) -> None:
    assert why in toy.refused("board", "toy", *arguments)


def test_without_gold_there_is_no_board(bare: Installation) -> None:
    bare.begin()
    assert "There is no ranking yet" in bare.refused("board", "toy")


def test_track_and_overall_exclude_each_other(toy: Installation) -> None:
    assert toy.run("board", "toy", "--track", "near", "--overall").exit_code == 2
