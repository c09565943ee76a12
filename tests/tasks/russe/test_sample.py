"""The sample of RUSSE: pairs, values and runs of the project's own."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tasks.russe import baselines
from tasks.russe.sample import make_runs
from tests.tasks.samples import SAMPLES, TASKS, as_bytes, best_of, pairs, rows, scored


def russe(path: str) -> Path:
    return SAMPLES["russe"] / path


def test_the_pair_list_holds_500_different_pairs_without_values() -> None:
    listed = rows(russe("inputs/pairs.csv"))
    assert len({(row["word1"], row["word2"]) for row in listed}) == len(listed) == 500
    assert {row["sim"] for row in listed} == {""}


def test_words_are_lower_case_and_cyrillic() -> None:
    words = {word for pair in pairs(russe("inputs/pairs.csv")) for word in pair}
    assert [word for word in words if not re.fullmatch("[а-яё]+", word)] == []


def test_no_word_is_paired_with_itself() -> None:
    assert [pair for pair in pairs(russe("inputs/pairs.csv")) if pair[0] == pair[1]] == []


@pytest.mark.parametrize(
    "name", ["gold/hj-test.csv", "gold/rt-test.csv", "gold/ae2-test.csv", "inputs/hj-train.csv"]
)
def test_every_pair_with_a_value_is_on_the_list_and_stands_once_in_its_file(name: str) -> None:
    valued = pairs(russe(name))
    assert len(set(valued)) == len(valued)
    assert set(valued) <= set(pairs(russe("inputs/pairs.csv")))


def test_distractors_are_on_the_list_too() -> None:
    gold = {pair for path in russe("gold").iterdir() for pair in pairs(path)}
    assert len(set(pairs(russe("inputs/pairs.csv"))) - gold) >= 100


def test_training_pairs_are_not_scored() -> None:
    assert not set(pairs(russe("inputs/hj-train.csv"))) & set(pairs(russe("gold/hj-test.csv")))


def test_human_judgments_are_eighteenths_between_0_and_1() -> None:
    values = [float(row["sim"]) * 18 for row in rows(russe("gold/hj-test.csv"))]
    assert len(values) == 66
    assert values == pytest.approx([round(value) for value in values], abs=1e-4)
    assert (min(values), max(values)) == pytest.approx((0, 18))


@pytest.mark.parametrize(("name", "count"), [("rt-test.csv", 200), ("ae2-test.csv", 120)])
def test_each_word_has_as_many_related_as_unrelated_pairs(name: str, count: int) -> None:
    listed = rows(russe(f"gold/{name}"))
    assert len(listed) == count
    by_word: dict[str, Counter[str]] = defaultdict(Counter)
    for row in listed:
        by_word[row["word1"]][row["sim"]] += 1
    assert {tuple(sorted(values.items())) for values in by_word.values()} == {(("0", 4), ("1", 4))}


def test_some_pairs_stand_on_two_tracks() -> None:
    assert set(pairs(russe("gold/rt-test.csv"))) & set(pairs(russe("gold/ae2-test.csv")))


def test_the_runs_of_russe_are_made_again_byte_for_byte() -> None:
    made = baselines.baselines(russe("inputs")) | make_runs.made_runs()
    shipped = {path.stem: path.read_bytes() for path in russe("runs").iterdir()}
    assert {name: as_bytes(lines) for name, lines in made.items()} == shipped


def test_different_runs_are_best_on_different_tracks_of_russe() -> None:
    assert {track: best_of("russe", track) for track in ("hj", "rt", "ae")} == {
        "hj": "embeddings",
        "rt": "thesaurus",
        "ae": "associations",
    }


def test_the_constant_run_has_no_rank_correlation_and_a_reason() -> None:
    hj = scored("russe", russe("runs/constant.csv"))["hj"]
    assert math.isnan(hj.values["spearman"])
    assert str(hj.undefined["spearman"])


def test_no_human_judgment_of_the_sample_is_a_real_one(shared_data: Path) -> None:
    real = {pair for path in (shared_data / "russe" / "full").glob("hj*.csv") for pair in pairs(path)}
    own = [*pairs(russe("gold/hj-test.csv")), *pairs(russe("inputs/hj-train.csv"))]
    assert [pair for pair in own if pair in real or pair[::-1] in real] == []


def test_hardly_a_pair_of_the_sample_is_on_the_real_list(shared_data: Path) -> None:
    # Common pairs such as зима and снег come to anybody's mind.
    shared = set(pairs(russe("inputs/pairs.csv"))) & set(pairs(shared_data / "russe" / "pairs.csv"))
    assert len(shared) < 20


@pytest.mark.parametrize("language", ["README.md", "README.ru.md"])
def test_the_public_page_of_russe_names_no_pair_of_the_real_list(shared_data: Path, language: str) -> None:
    real = set(pairs(shared_data / "russe" / "pairs.csv"))
    page = (TASKS / "russe" / language).read_text(encoding="utf-8")
    examples = [tuple(match) for match in re.findall(r"^([а-яё]+),([а-яё]+),", page, flags=re.MULTILINE)]
    assert examples
    assert not {pair for pair in examples if pair in real or pair[::-1] in real}
