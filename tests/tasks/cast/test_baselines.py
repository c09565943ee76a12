"""The baselines of CAsT: what they compute, and that they say the same everywhere."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.cast import baselines

PASSAGES = {
    "CAR_" + "a" * 40: "Bees make honey from nectar.",
    "MARCO_1": "The queen of the bees lays eggs.",
    "MARCO_2": "The queen of Denmark opens bridges.",
    "MARCO_3": "Rain falls on the hills.",
}
CONVERSATION = ("How do bees make honey?", "What does the queen do?", "And eggs?")


def write_inputs(folder: Path, *questions: str, resolved: Sequence[str] = ()) -> Path:
    turns = [{"number": n, "raw_utterance": text} for n, text in enumerate(questions, start=1)]
    topics = [{"number": 7, "title": "bees", "description": "", "turn": turns}]
    (folder / baselines.TOPICS_FILE).write_text(json.dumps(topics), encoding="utf-8")
    passages = "".join(f"{docno}\t{text}\n" for docno, text in PASSAGES.items())
    (folder / baselines.PASSAGES_FILE).write_text(passages, encoding="utf-8")
    if resolved:
        lines = "".join(f"7_{n}\t{text}\n" for n, text in enumerate(resolved, start=1))
        (folder / baselines.RESOLVED_FILE).write_text(lines, encoding="utf-8")
    return folder


def ranking(inputs: Path, name: str, topic: str) -> list[str]:
    fields = [line.split(" ") for line in baselines.baselines(inputs)[name]]
    return [docno for of, _, docno, _, _, _ in fields if of == topic]


def test_every_run_has_a_description_and_its_name_as_tag(tmp_path: Path) -> None:
    inputs = write_inputs(tmp_path, *CONVERSATION, resolved=CONVERSATION)
    runs = {name: list(lines) for name, lines in baselines.baselines(inputs).items()}
    assert runs.keys() == baselines.DESCRIPTIONS.keys()
    assert all(line.split(" ")[5] == name for name, lines in runs.items() for line in lines)


def test_bm25_agrees_with_its_formula() -> None:
    index = baselines.BM25({"a": "honey honey bees", "b": "rain"}, baselines.words)
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    norm = 1.2 * (1 - 0.4 + 0.4 * 3 / 2)
    assert index.scores({"honey": 1.0}) == {"a": pytest.approx(idf * 2 * 2.2 / (2 + norm))}


def test_bm25_of_an_unknown_term_finds_nothing() -> None:
    assert baselines.BM25(PASSAGES, baselines.words).scores({"volcano": 1.0}) == {}


def test_a_passage_is_nearest_to_its_own_words_by_cosine() -> None:
    index = baselines.Cosine(PASSAGES, baselines.words)
    for docno, text in PASSAGES.items():
        query = dict.fromkeys(baselines.words(text), 1.0)
        weights = {term: weight * index.idf[term] for term, weight in query.items()}
        assert any(weights.values())
        assert index.scores(query)[docno] == pytest.approx(1.0)


def test_a_term_of_every_passage_says_nothing_by_cosine() -> None:
    assert (
        baselines.Cosine({"a": "honey bees", "b": "honey rain"}, baselines.words).scores({"honey": 1}) == {}
    )


def test_stop_words_and_a_plural_s_are_taken_off() -> None:
    assert baselines.words("What are the Bees' stages, and is this gas?") == ["bee", "stage", "gas"]


def test_a_word_of_two_letters_has_one_gram() -> None:
    assert baselines.char_4grams("ox") == ["^ox$"]
    assert baselines.char_4grams("honey") == ["^hon", "hone", "oney", "ney$"]


def test_the_question_alone_does_not_know_its_subject(tmp_path: Path) -> None:
    inputs = write_inputs(tmp_path, *CONVERSATION)
    assert set(ranking(inputs, "bm25_raw", "7_2")) == {"MARCO_1", "MARCO_2"}


def test_the_first_turn_names_the_subject(tmp_path: Path) -> None:
    inputs = write_inputs(tmp_path, "Tell me about bees.", "What does the queen do?")
    assert ranking(inputs, "bm25_first_turn", "7_2")[0] == "MARCO_1"


def test_an_older_question_weighs_less() -> None:
    turn = baselines.Turn("7_3", "eggs", ("honey", "queen"))
    assert baselines.with_history(turn, baselines.words) == pytest.approx(
        {"egg": 1, "queen": 0.6, "honey": 0.36}
    )


def test_history_leaves_out_what_comes_later(tmp_path: Path) -> None:
    turns = baselines.read_turns(write_inputs(tmp_path, *CONVERSATION))
    assert [turn.earlier for turn in turns] == [(), CONVERSATION[:1], CONVERSATION[:2]]


def test_without_resolved_questions_there_is_no_run_on_them(tmp_path: Path) -> None:
    runs = baselines.baselines(write_inputs(tmp_path, *CONVERSATION))
    assert baselines.DESCRIPTIONS.keys() - runs.keys() == {"bm25_resolved"}


def test_fusion_prefers_what_several_runs_rank_high() -> None:
    one = ["7_1 Q0 a 1 3.0 x", "7_1 Q0 b 2 2.0 x"]
    two = ["7_1 Q0 b 1 9.0 y", "7_1 Q0 c 2 8.0 y"]
    lines = [line.split(" ") for line in baselines.fuse("fused", [iter(one), iter(two)])]
    assert [line[2] for line in lines] == ["b", "a", "c"]
    assert float(lines[0][4]) == pytest.approx(1 / 61 + 1 / 62, abs=1e-6)


@given(st.dictionaries(st.text("abc", min_size=1), st.floats(0, 5), max_size=150))
def test_ranks_count_from_1_and_scores_fall_strictly(scores: dict[str, float]) -> None:
    lines = [line.split(" ") for line in baselines.run_lines("7_1", scores, "tag")]
    assert [int(line[3]) for line in lines] == list(range(1, min(len(scores), baselines.DEPTH) + 1))
    printed = [float(line[4]) for line in lines]
    assert all(earlier > later for earlier, later in pairwise(printed))


def test_equal_scores_stand_by_docno_descending() -> None:
    lines = list(baselines.run_lines("7_1", {"b": 1.0, "c": 1.0, "a": 2.0}, "tag"))
    assert lines == [
        "7_1 Q0 a 1 2.000000 tag",
        "7_1 Q0 c 2 1.000000 tag",
        "7_1 Q0 b 3 0.999999 tag",
    ]


def test_passages_may_lie_above_the_inputs(tmp_path: Path) -> None:
    write_inputs(tmp_path, *CONVERSATION)
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (tmp_path / baselines.TOPICS_FILE).rename(inputs / baselines.TOPICS_FILE)
    assert ranking(inputs, "bm25_raw", "7_1")


def test_the_program_writes_the_lines_that_the_function_gives(tmp_path: Path, tasks_folder: Path) -> None:
    inputs, out = write_inputs(tmp_path, *CONVERSATION, resolved=CONVERSATION), tmp_path / "out"
    script = tasks_folder / "cast" / "baselines.py"
    subprocess.run([sys.executable, str(script), str(inputs), str(out)], check=True)
    written = {path.stem: path.read_bytes() for path in out.iterdir()}
    expected = {
        name: "".join(f"{line}\n" for line in lines).encode()
        for name, lines in baselines.baselines(inputs).items()
    }
    assert written == expected


def test_the_program_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / baselines.TOPICS_FILE).write_text("[]", encoding="utf-8")
    assert baselines.main([str(tmp_path), str(tmp_path / "out")]) == 1
    assert "passages.tsv" in capsys.readouterr().err


def test_the_program_asks_for_two_folders(capsys: pytest.CaptureFixture[str]) -> None:
    assert baselines.main([]) == 2
    assert "INPUTS_DIR OUT_DIR" in capsys.readouterr().err
