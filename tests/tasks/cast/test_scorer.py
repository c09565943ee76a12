"""CAsT's scorer on small files made here, and on the real runs against the reference programs' numbers."""

import csv
import gzip
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import FormatError, Scorer, Scores, TaskSpec
from leaderboard.formats.qrels import read_qrels
from leaderboard.measures.ranking import Ranks, rank_rows

REFERENCE_RUNS_2019 = [f"decaf2019_{number:02}" for number in range(1, 13)] + [
    "cqr_bert_base_rule_based",
    "cqr_bert_base_run_raw",
    "cqr_bert_base_run_rule_based_cv",
    "cqr_bert_base_run_self_learn",
    "cqr_bert_base_run_self_learn_cv",
]
REFERENCE_RUNS_2020 = [f"decaf2020_{number:02}" for number in range(1, 5)]
PRINTED_AS = {
    "nDCG@3": "ndcg_cut_3",
    "nDCG@5": "ndcg_cut_5",
    "AP": "map",
    "RR": "recip_rank",
    "P@5": "P_5",
    "R@100": "recall_100",
}
ASKED_OF_PYTREC_EVAL = {
    "nDCG@3": "ndcg_cut_3",
    "nDCG@5": "ndcg_cut_5",
    "nDCG": "ndcg",
    "AP": "map",
    "RR": "recip_rank",
    "P@5": "P_5",
    "R@100": "recall_100",
    "R@1000": "recall_1000",
}


@pytest.fixture(scope="module")
def task(tasks_folder: Path) -> TaskSpec:
    return load_task(tasks_folder / "cast")


@pytest.fixture(scope="module")
def task_2020(tasks_folder: Path) -> TaskSpec:
    return load_task(tasks_folder / "cast2020")


@pytest.fixture(scope="module")
def scorer(task: TaskSpec) -> Scorer:
    return load_scorer(task)


@pytest.fixture(scope="module")
def gold_2019(task: TaskSpec, scorer: Scorer, shared_data: Path) -> Any:
    folder = shared_data / "cast2019" / "gold"
    return scorer.read_gold(task, {track.name: folder / track.gold for track in task.tracks})


@pytest.fixture(scope="module")
def gold_2020(task_2020: TaskSpec, scorer: Scorer, shared_data: Path) -> Any:
    return scorer.read_gold(task_2020, {"graded": shared_data / "cast2020" / "gold" / "graded.qrels"})


def run_file(shared_data: Path, name: str) -> Path:
    folder = shared_data / ("cast2020" if name.startswith("decaf2020") else "cast2019") / "runs"
    return next(path for path in folder.iterdir() if path.name in (f"{name}.run", f"{name}.trec.gz"))


def scores_of(scorer: Scorer, task: TaskSpec, gold: Any, path: Path) -> Scores:
    report = scorer.check(task, path, None)
    assert report.faults == ()
    return scorer.score(task, report.run, gold)


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def small_gold(scorer: Scorer, task: TaskSpec, folder: Path, **qrels: list[str]) -> Any:
    """Tracks by name, each a list of qrels lines."""
    return scorer.read_gold(
        task, {track: written(folder, f"{track}.qrels", *lines) for track, lines in qrels.items()}
    )


# --- on small files ---------------------------------------------------------------------------------


def test_every_track_with_gold_is_scored_and_no_other(scorer: Scorer, task: TaskSpec, tmp_path: Path) -> None:
    gold = small_gold(scorer, task, tmp_path, graded=["1_1 0 MARCO_1 2"], best=["1_1 0 MARCO_1 1"])
    run = written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t")
    scores = scores_of(scorer, task, gold, run)
    assert set(scores) == {"graded", "best"}
    assert scores["graded"].values["nDCG@3"] == 1.0
    assert tuple(scores["graded"].values) == task.track("graded").measures


def test_a_topic_without_results_scores_nought_and_counts_in_the_mean(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    gold = small_gold(scorer, task, tmp_path, graded=["1_1 0 MARCO_1 2", "1_2 0 MARCO_1 2"])
    track = scores_of(scorer, task, gold, written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t"))["graded"]
    assert track.values["nDCG@3"] == 0.5
    assert (track.answered, track.total) == (1, 2)
    assert track.topics == ("1_1", "1_2")


def test_a_topic_without_a_positive_value_counts_for_ndcg_and_not_for_compatibility(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    gold = small_gold(scorer, task, tmp_path, graded=["1_1 0 MARCO_1 2", "1_2 0 MARCO_1 0"])
    track = scores_of(scorer, task, gold, written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t"))["graded"]
    assert track.values["nDCG@3"] == 0.5
    assert track.values["compat(p=0.8)"] == 1.0
    assert math.isnan(track.per_topic["compat(p=0.8)"][1])


def test_a_gold_without_any_positive_value_leaves_compatibility_undefined_with_a_reason(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    gold = small_gold(scorer, task, tmp_path, graded=["1_1 0 MARCO_1 0"])
    track = scores_of(scorer, task, gold, written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t"))["graded"]
    assert math.isnan(track.values["compat(p=0.8)"])
    assert "positive" in str(track.undefined["compat(p=0.8)"])


def test_top5_is_the_part_of_combined_with_levels_of_at_least_ten(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    lines = ["1_1 0 MARCO_1 50.0", "1_1 0 MARCO_2 4.0", "1_2 0 MARCO_3 3.0"]
    gold = small_gold(scorer, task, tmp_path, combined=lines, top5=lines)
    assert gold.topics == {"combined": ("1_1", "1_2"), "top5": ("1_1",)}


def test_a_fractional_grade_is_refused_where_gains_are_grades(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=r"graded\.qrels: line 1"):
        small_gold(scorer, task, tmp_path, graded=["1_1 0 MARCO_1 2.5"])
    assert small_gold(scorer, task, tmp_path, best=["1_1 0 MARCO_1 2.5"]).topics == {"best": ("1_1",)}


def test_a_docno_twice_in_the_gold_keeps_its_greatest_value(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    gold = small_gold(scorer, task, tmp_path, graded=["1 0 a 0", "1 0 a 3", "1 0 a 1"])
    assert gold.items("graded")[2].tolist() == [3.0]


def test_the_relevance_level_of_the_edition_decides_what_is_relevant(
    scorer: Scorer, task: TaskSpec, task_2020: TaskSpec, tmp_path: Path
) -> None:
    run = written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t")
    for spec, expected in ((task, 1.0), (task_2020, 0.0)):
        gold = small_gold(scorer, spec, tmp_path, graded=["1_1 0 MARCO_1 1"])
        assert scores_of(scorer, spec, gold, run)["graded"].values["RR"] == expected


def test_a_measure_that_is_not_ours_goes_through_ir_measures(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    graded = replace(task.track("graded"), measures=("nDCG@3", "bpref", "infAP"))
    spec = replace(task, tracks=(graded,))
    gold = small_gold(scorer, spec, tmp_path, graded=["1_1 0 MARCO_1 0", "1_1 0 MARCO_2 2"])
    run = written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t", "1_1 Q0 MARCO_2 1 2.5 t")
    # By docno descending MARCO_2 comes first, and our order is what ir-measures gets to see.
    assert scores_of(scorer, spec, gold, run)["graded"].values == {"nDCG@3": 1.0, "bpref": 1.0, "infAP": 1.0}


@pytest.mark.parametrize("text", ["nDCGG@5", "compat(p=1.5)", "P", "RBP(p=0.8)", "Success"])
def test_a_measure_that_nobody_can_compute_is_refused_when_the_gold_is_read(
    scorer: Scorer, task: TaskSpec, tmp_path: Path, text: str
) -> None:
    spec = replace(task, tracks=(replace(task.track("graded"), measures=("nDCG@3", text)),))
    with pytest.raises(FormatError, match=r"task\.toml: "):
        small_gold(scorer, spec, tmp_path, graded=["1_1 0 MARCO_1 2"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": None},
        {"depth": "1000"},
        {"depth": 0},
        {"relevance_level": None},
        {"relevance_level": "two"},
        {"relevance_level": 0},
        {"relevance_level": True},
        {"id_pattern": "("},
        {"id_pattern": 5},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_used_is_named_by_its_key(
    scorer: Scorer, task: TaskSpec, tmp_path: Path, wrong: dict[str, object]
) -> None:
    (key,) = wrong
    spec = replace(task, options={**task.options, **wrong})
    with pytest.raises(FormatError, match=rf"task\.toml: options\.{key}"):
        scorer.check(spec, written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t"), None)
    with pytest.raises(FormatError, match=rf"task\.toml: options\.{key}"):
        small_gold(scorer, spec, tmp_path, graded=["1_1 0 MARCO_1 2"])


def test_another_score_for_missing_passages_is_refused(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    spec = replace(task, tracks=(replace(task.track("graded"), missing=0.5),))
    with pytest.raises(FormatError, match="leave out missing in graded"):
        small_gold(scorer, spec, tmp_path, graded=["1_1 0 MARCO_1 2"])


def test_without_inputs_the_report_says_that_topics_were_not_checked(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    report = scorer.check(task, written(tmp_path, "run", "1_1 Q0 MARCO_1 1 2.5 t"), None)
    assert report.accepted
    assert "topic list" in str(report.left_out[0])


def test_the_topics_are_checked_against_the_public_list(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    written(
        inputs,
        "evaluation_topics_v1.0.json",
        '[{"number": 1, "turn": [{"number": 1, "raw_utterance": "?"}]}]',
    )
    known = scorer.check(task, written(tmp_path, "known", "1_1 Q0 MARCO_1 1 2.5 t"), inputs)
    unknown = scorer.check(task, written(tmp_path, "unknown", "7_7 Q0 MARCO_1 1 2.5 t"), inputs)
    assert known.accepted
    assert known.left_out == ()
    assert unknown.fault_count == 1
    assert unknown.run is None


def test_a_file_that_cannot_be_unpacked_is_a_fault_and_not_an_error(
    scorer: Scorer, task: TaskSpec, tmp_path: Path
) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"1_1 Q0 MARCO_1 1 2.5 t\n" * 50)[:40])
    report = scorer.check(task, path, None)
    assert report.fault_count == 1
    assert report.run is None


@pytest.mark.parametrize("with_inputs", [True, False])
def test_the_template_is_a_run_that_the_check_accepts(
    scorer: Scorer, task: TaskSpec, tasks_folder: Path, tmp_path: Path, with_inputs: bool
) -> None:
    inputs = tasks_folder / "cast" / "sample" / "inputs" if with_inputs else None
    path = written(tmp_path, "template", *scorer.template(task, inputs))
    report = scorer.check(task, path, inputs)
    assert report.accepted
    assert report.warnings == ()


# --- on the real runs -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE_RUNS_2019)
def test_compatibility_is_that_of_compatibility_py(
    scorer: Scorer, task: TaskSpec, gold_2019: Any, shared_data: Path, name: str
) -> None:
    # reference/compat was computed by claclark/Compatibility's compatibility.py, unmodified.
    scores = scores_of(scorer, task, gold_2019, run_file(shared_data, name))
    with (shared_data / "reference" / "compat" / f"{name}.csv").open() as file:
        reference = {row.pop("topic"): row for row in csv.DictReader(file)}
    compared = 0
    for track, of_track in scores.items():
        for persistence in ("0.8", "0.95"):
            ours = of_track.per_topic[f"compat(p={persistence})"]
            for topic, value in zip(of_track.topics, ours, strict=True):
                theirs = reference[topic][f"{track}_p{persistence}"]
                assert value == pytest.approx(float(theirs), abs=1e-12), (track, topic)
                compared += 1
    assert compared == 2 * (173 + 173 + 171 + 173)


def ranked_run(run: Any, ranks: Ranks) -> dict[str, dict[str, float]]:
    """The run as pytrec_eval takes it, with scores made from our ranks: it compares 32-bit floats."""
    names = run.docnos.to_pylist()
    order: dict[str, dict[str, float]] = {}
    for topic, docno, rank in zip(run.topic, run.docno, ranks.descending, strict=True):
        order.setdefault(run.topics[topic], {})[names[docno]] = -float(rank)
    return order


@pytest.mark.parametrize("name", REFERENCE_RUNS_2019 + REFERENCE_RUNS_2020)
def test_every_topic_has_pytrec_evals_values(
    request: pytest.FixtureRequest, scorer: Scorer, shared_data: Path, name: str
) -> None:
    is_2020 = name.startswith("decaf2020")
    task = request.getfixturevalue("task_2020" if is_2020 else "task")
    gold = request.getfixturevalue("gold_2020" if is_2020 else "gold_2019")
    run = scorer.check(task, run_file(shared_data, name), None).run
    ours = scorer.score(task, run, gold)["graded"]
    names = run.docnos
    ranks = rank_rows(run.topic, run.score, lambda rows: [names[int(run.docno[row])].as_py() for row in rows])
    folder = shared_data / ("cast2020" if is_2020 else "cast2019") / "gold"
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels_dictionary(folder / "graded.qrels"),
        {"ndcg_cut.3,5", "ndcg", "map", "recip_rank", "P.5", "recall.100,1000"},
        relevance_level=2 if is_2020 else 1,
    )
    theirs = evaluator.evaluate(ranked_run(run, ranks))
    for text, theirs_name in ASKED_OF_PYTREC_EVAL.items():
        expected = [theirs[topic][theirs_name] if topic in theirs else 0.0 for topic in ours.topics]
        np.testing.assert_allclose(ours.per_topic[text], expected, rtol=0, atol=1e-9, err_msg=text)


def qrels_dictionary(path: Path) -> dict[str, dict[str, int]]:
    judgments: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        topic, _, docno, value = line.split()
        judgments.setdefault(topic, {})[docno] = int(value)
    return judgments


@pytest.mark.parametrize(
    "name", [n for n in REFERENCE_RUNS_2019 + REFERENCE_RUNS_2020 if n.startswith("decaf")]
)
def test_the_published_eval_files_agree_to_their_four_decimals(
    request: pytest.FixtureRequest, scorer: Scorer, shared_data: Path, name: str
) -> None:
    # DECAF's own trec_eval output, published beside its runs; 2020 at relevance level 2.
    is_2020 = name.startswith("decaf2020")
    task = request.getfixturevalue("task_2020" if is_2020 else "task")
    gold = request.getfixturevalue("gold_2020" if is_2020 else "gold_2019")
    path = run_file(shared_data, name)
    ours = scores_of(scorer, task, gold, path)["graded"]
    lines = (line.split() for line in path.with_name(f"{name}.eval.txt").read_text().splitlines())
    printed = {line[0]: line[2] for line in lines}
    for text, theirs in PRINTED_AS.items():
        assert f"{ours.values[text]:.4f}" == printed[theirs], text


@pytest.mark.parametrize(
    ("name", "ndcg", "compat"),
    [
        ("decaf2019_12", 0.5233, 0.2627),
        ("cqr_bert_base_run_rule_based_cv", 0.4950, 0.2183),
        ("decaf2019_01", 0.1422, 0.0433),
    ],
)
def test_the_means_over_173_topics_are_the_known_ones(
    scorer: Scorer, task: TaskSpec, gold_2019: Any, shared_data: Path, name: str, ndcg: float, compat: float
) -> None:
    scores = scores_of(scorer, task, gold_2019, run_file(shared_data, name))
    assert scores["graded"].values["nDCG@3"] == pytest.approx(ndcg, abs=5e-5)
    assert scores["combined"].values["compat(p=0.8)"] == pytest.approx(compat, abs=5e-5)
    assert len(scores["graded"].topics) == 173


def test_a_run_of_479_topics_is_accepted_and_told_nothing_about_which_are_judged(
    scorer: Scorer, task: TaskSpec, shared_data: Path
) -> None:
    report = scorer.check(task, run_file(shared_data, "cqr_bert_base_run_raw"), None)
    assert len(report.run.topics) == 479
    assert "173" not in " ".join(map(str, report.notes + report.warnings))


def test_the_real_gold_has_the_known_size(gold_2019: Any, gold_2020: Any, shared_data: Path) -> None:
    assert {name: len(topics) for name, topics in gold_2019.topics.items()} == {
        "graded": 173,
        "combined": 173,
        "top5": 171,
        "best": 173,
    }
    assert len(gold_2019.items("top5")[2]) == 917
    assert len(gold_2020.topics["graded"]) == 208
    assert len(read_qrels(shared_data / "cast2019" / "gold" / "graded.qrels", integer_grades=True)) == 29350


def test_raw_scores_as_32_bit_floats_change_no_real_run_but_where_scores_tie_as_such(
    scorer: Scorer, task: TaskSpec, gold_2019: Any, shared_data: Path
) -> None:
    """The order that trec_eval 9 would see differs from ours only inside groups of equal 32-bit scores."""
    judgments = qrels_dictionary(shared_data / "cast2019" / "gold" / "graded.qrels")
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"ndcg_cut.3"})
    for name in REFERENCE_RUNS_2019:
        run = scorer.check(task, run_file(shared_data, name), None).run
        names = run.docnos.to_pylist()
        raw: dict[str, dict[str, float]] = {}
        near_tied: set[str] = set()
        for topic, docno, score in zip(run.topic, run.docno, run.score, strict=True):
            raw.setdefault(run.topics[topic], {})[names[docno]] = float(score)
        for topic, scores in raw.items():
            if len(set(map(np.float32, scores.values()))) < len(set(scores.values())):
                near_tied.add(topic)
        ours = scorer.score(task, run, gold_2019)["graded"]
        theirs = evaluator.evaluate(raw)
        for topic, value in zip(ours.topics, ours.per_topic["nDCG@3"], strict=True):
            if topic not in near_tied:
                assert value == pytest.approx(theirs[topic]["ndcg_cut_3"], abs=1e-9), (name, topic)
