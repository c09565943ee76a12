"""The sample of CAsT: conversations, passages, judgments and runs of the project's own."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from leaderboard.catalog import load_task
from tasks.cast import baselines
from tests.tasks.samples import SAMPLES, TASKS, as_bytes, best_of, scored


def cast(path: str) -> Path:
    return SAMPLES["cast"] / path


def qrels(track: str) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for line in cast(f"gold/{track}.qrels").read_text(encoding="utf-8").splitlines():
        topic, _, docno, value = line.split(" ")
        values[topic][docno] = float(value)
    return values


def passages() -> dict[str, str]:
    return baselines.read_passages(cast("passages.tsv"))


def test_conversations_count_from_1_and_have_four_to_six_turns() -> None:
    conversations = json.loads(cast("inputs/evaluation_topics_v1.0.json").read_text(encoding="utf-8"))
    assert [each["number"] for each in conversations] == list(range(1, 9))
    for each in conversations:
        assert [turn["number"] for turn in each["turn"]] == list(range(1, len(each["turn"]) + 1))
        assert 4 <= len(each["turn"]) <= 6
        assert all((each["title"], each["description"], *(turn["raw_utterance"] for turn in each["turn"])))


def test_every_turn_has_a_resolved_question() -> None:
    turns = baselines.read_turns(cast("inputs"))
    assert len(turns) == 41
    assert all(turn.resolved for turn in turns)


def test_ids_have_the_form_of_the_collection() -> None:
    pattern = load_task(TASKS / "cast").options["id_pattern"]
    assert [docno for docno in passages() if not re.fullmatch(pattern, docno)] == []


def test_a_car_id_is_the_sha1_of_the_text() -> None:
    car = {docno: text for docno, text in passages().items() if docno.startswith("CAR_")}
    assert car == {f"CAR_{hashlib.sha1(text.encode()).hexdigest()}": text for text in car.values()}


def test_passages_are_different_and_whole_sentences() -> None:
    lines = cast("passages.tsv").read_text(encoding="utf-8").splitlines()
    texts = passages()
    assert len(set(texts.values())) == len(texts) == len(lines) == 308
    assert [text for text in texts.values() if not re.fullmatch(r"[A-Z].*\.", text) or len(text) > 400] == []


@pytest.mark.parametrize("track", ["graded", "combined", "best"])
def test_qrels_name_turns_and_passages_that_exist(track: str) -> None:
    turns = {turn.topic for turn in baselines.read_turns(cast("inputs"))}
    assert qrels(track).keys() < turns
    assert {docno for values in qrels(track).values() for docno in values} <= passages().keys()


def test_grades_go_from_0_to_4() -> None:
    assert {grade for values in qrels("graded").values() for grade in values.values()} == {0, 1, 2, 3, 4}


def test_a_level_is_50_less_10_for_each_strictly_better_passage() -> None:
    for values in qrels("combined").values():
        levels = [value for value in values.values() if value >= 10]
        assert 1 <= len(levels) <= 5
        assert sorted(levels) == sorted(50 - 10 * sum(other > level for other in levels) for level in levels)


def test_below_the_levels_stand_the_grades() -> None:
    graded = qrels("graded")
    for topic, values in qrels("combined").items():
        assert values.keys() == graded[topic].keys()
        assert all(value == graded[topic][docno] for docno, value in values.items() if value < 10)


def test_each_judged_turn_has_one_best_answer_among_its_levels() -> None:
    combined = qrels("combined")
    assert qrels("best").keys() == combined.keys()
    for topic, values in qrels("best").items():
        (docno,) = values
        assert combined[topic][docno] >= 10


def test_the_runs_of_cast_are_made_again_byte_for_byte() -> None:
    made = baselines.baselines(cast("inputs"))
    shipped = {path.stem: path.read_bytes() for path in cast("runs").iterdir()}
    assert {name: as_bytes(lines) for name, lines in made.items()} == shipped


def test_knowing_the_subject_helps() -> None:
    def values(name: str) -> Mapping[str, float]:
        return scored("cast", cast(f"runs/{name}.run"))["graded"].values

    ordered = [values(name)["nDCG@3"] for name in ("random", "bm25_raw", "bm25_first_turn", "bm25_resolved")]
    assert ordered == sorted(ordered)


def test_grades_and_preferences_have_different_winners() -> None:
    assert best_of("cast", "graded") != best_of("cast", "combined")


def test_no_question_of_the_sample_is_a_real_one(shared_data: Path) -> None:
    name = "evaluation_topics_v1.0.json"
    real = json.loads((shared_data / "cast2019" / name).read_text(encoding="utf-8"))
    asked = {turn["raw_utterance"].strip().lower() for each in real for turn in each["turn"]}
    own = {turn.question.lower() for turn in baselines.read_turns(cast("inputs"))}
    assert not own & asked


def test_no_passage_of_the_sample_is_a_real_one(shared_data: Path) -> None:
    judged = (shared_data / "cast2019" / "gold" / "graded.qrels").read_text(encoding="utf-8").splitlines()
    real = {line.split()[2] for line in judged}
    assert not real & passages().keys()
