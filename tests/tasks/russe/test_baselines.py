"""The baselines of RUSSE: what they compute, and that they say the same everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.russe import baselines

SIMILARITIES = sorted(baselines.SIMILARITIES.items())
WORDS = st.text(alphabet="абвгд -ё", max_size=12)


def write_pairs(folder: Path, *rows: str) -> Path:
    (folder / "pairs.csv").write_text("\n".join(("word1,word2,sim", *rows)) + "\n", encoding="utf-8")
    return folder


def lines_of(name: str, inputs: Path) -> list[str]:
    return list(baselines.baselines(inputs)[name])


def test_every_baseline_has_a_description_and_a_similarity() -> None:
    assert list(baselines.DESCRIPTIONS) == list(baselines.SIMILARITIES)


@pytest.mark.parametrize(("name", "similarity"), SIMILARITIES)
@given(word1=WORDS, word2=WORDS)
def test_a_similarity_lies_between_0_and_1(
    name: str, similarity: Callable[[str, str], float], word1: str, word2: str
) -> None:
    assert 0 <= similarity(word1, word2) <= 1


@pytest.mark.parametrize(("name", "similarity"), [item for item in SIMILARITIES if item[0] != "random"])
@given(word1=WORDS, word2=WORDS)
def test_letters_are_compared_the_same_way_round_or_turned_round(
    name: str, similarity: Callable[[str, str], float], word1: str, word2: str
) -> None:
    assert similarity(word1, word2) == similarity(word2, word1)


@pytest.mark.parametrize("name", ["char_trigrams", "edit_similarity", "word_length"])
@given(word=WORDS)
def test_a_word_is_most_similar_to_itself(name: str, word: str) -> None:
    assert baselines.SIMILARITIES[name](word, word) == 1


def test_trigrams_mark_the_edges_of_a_word() -> None:
    # ^лес$ has ^ле, лес, ес$ and ^лис$ has ^ли, лис, ис$: nothing in common; ^лесник$ shares ^ле and лес.
    assert baselines.char_trigrams("лес", "лис") == 0
    assert baselines.char_trigrams("лес", "лесник") == pytest.approx(2 * 2 / (3 + 6))


def test_a_trigram_that_comes_twice_counts_twice() -> None:
    # ^ааааа$ has ^аа, ааа three times, аа$; ^аааа$ has ааа twice.
    assert baselines.char_trigrams("ааааа", "аааа") == pytest.approx(2 * 4 / (5 + 4))


def test_the_common_prefix_ends_at_the_first_difference() -> None:
    assert baselines.common_prefix("лесник", "лесной") == pytest.approx(4 / 6)
    assert baselines.common_prefix("снег", "нега") == 0


def test_an_edit_is_an_insertion_a_deletion_or_a_substitution() -> None:
    assert baselines.edit_similarity("кот", "крот") == pytest.approx(3 / 4)
    assert baselines.edit_similarity("крот", "кот") == pytest.approx(3 / 4)
    assert baselines.edit_similarity("кот", "кит") == pytest.approx(2 / 3)
    assert baselines.edit_similarity("кот", "") == 0


def test_a_random_value_does_not_depend_on_the_order_of_the_list(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    write_pairs(first, "кот,дом,", "лес,сон,")
    write_pairs(second, "лес,сон,", "кот,дом,")
    assert sorted(lines_of("random", first)) == sorted(lines_of("random", second))


def test_random_values_are_spread_over_the_scale() -> None:
    values = [baselines.random_value("слово", str(number)) for number in range(2000)]
    assert sum(values) / len(values) == pytest.approx(0.5, abs=0.03)
    assert len(set(values)) == len(values)


def test_a_pair_on_the_list_twice_stands_once_in_the_run(tmp_path: Path) -> None:
    lines = lines_of("word_length", write_pairs(tmp_path, "кот,дом,", "лес,сон,", "кот,дом,"))
    assert lines == ["word1,word2,sim", "кот,дом,1.000000", "лес,сон,1.000000"]


def test_a_word_is_written_exactly_as_the_list_has_it(tmp_path: Path) -> None:
    lines = lines_of("word_length", write_pairs(tmp_path, 'монах," оракул",', '"раз, два","и ""три""",'))
    assert lines[1].startswith("монах, оракул,")
    assert lines[2].startswith('"раз, два","и ""три""",')


def test_the_program_writes_the_lines_that_the_function_gives(tmp_path: Path, tasks_folder: Path) -> None:
    inputs, out = write_pairs(tmp_path, "кот,крот,", "снег,сугроб,"), tmp_path / "out"
    script = tasks_folder / "russe" / "baselines.py"
    subprocess.run([sys.executable, str(script), str(inputs), str(out)], check=True)
    written = {path.stem: path.read_bytes() for path in out.iterdir()}
    expected = {
        name: "".join(f"{line}\n" for line in lines).encode()
        for name, lines in baselines.baselines(inputs).items()
    }
    assert written == expected


def test_the_program_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert baselines.main([str(tmp_path), str(tmp_path / "out")]) == 1
    assert "has no pairs.csv" in capsys.readouterr().err


def test_the_program_asks_for_two_folders(capsys: pytest.CaptureFixture[str]) -> None:
    assert baselines.main([]) == 2
    assert "INPUTS_DIR OUT_DIR" in capsys.readouterr().err
