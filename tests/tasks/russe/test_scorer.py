"""RUSSE runs get the values of the reference programs, and participants are told nothing of the gold."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics

from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import FormatError, Gold, PairScorer, Report, Scores, TaskSpec

Check = Callable[..., Report]
Reference = dict[str, dict[str, float]]

LIST = [
    ("кошка", "собака"),
    ("кошка", "дом"),
    ("кошка", "кот"),
    ("кошка", "стул"),
    ("дом", "крыша"),
    ("дом", "кит"),
]
HJ = {("кошка", "собака"): 0.9, ("кошка", "дом"): 0.4, ("дом", "кит"): 0.1}
RT = {("кошка", "кот"): 1, ("кошка", "стул"): 0, ("дом", "крыша"): 1, ("дом", "кит"): 0}


@pytest.fixture(scope="session")
def spec(tasks_folder: Path) -> TaskSpec:
    return load_task(tasks_folder / "russe")


@pytest.fixture(scope="session")
def scorer(spec: TaskSpec) -> PairScorer:
    return load_scorer(spec)  # type: ignore[return-value]


def write_pairs(path: Path, values: Mapping[tuple[str, str], object]) -> Path:
    path.write_text(
        "word1,word2,sim\n" + "".join(f"{one},{two},{value}\n" for (one, two), value in values.items()),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    write_pairs(folder / "pairs.csv", dict.fromkeys(LIST, ""))
    return folder


@pytest.fixture
def gold_files(tmp_path: Path) -> dict[str, Path]:
    return {"hj": write_pairs(tmp_path / "hj.csv", HJ), "rt": write_pairs(tmp_path / "rt.csv", RT)}


@pytest.fixture
def check(spec: TaskSpec, scorer: PairScorer, tmp_path: Path, inputs: Path) -> Check:
    def run(content: str | bytes, folder: Path | None = inputs) -> Report:
        path = tmp_path / "run"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return scorer.check(spec, path, folder)

    return run


def run_text(values: Mapping[tuple[str, str], object]) -> str:
    return "word1,word2,sim\n" + "".join(f"{one},{two},{value}\n" for (one, two), value in values.items())


FULL = run_text(dict(zip(LIST, (0.8, 0.3, 0.7, 0.2, 0.9, 0.1), strict=True)))


# --- check ----------------------------------------------------------------------------------------


def test_a_sound_run_is_accepted_without_a_word(check: Check) -> None:
    report = check(FULL)
    assert report.accepted
    assert (report.faults, report.warnings, report.notes, report.left_out) == ((), (), (), ())


def test_without_the_public_list_the_checks_left_out_are_named(check: Check, tmp_path: Path) -> None:
    for folder in (None, tmp_path / "nowhere"):
        report = check("word1,word2,sim\nчужое,слово,1\n", folder)
        assert report.accepted
        assert report.notes == ()
        (left_out,) = report.left_out
        assert "pairs.csv is not at hand: missing, unknown, misspelt and reversed" in str(left_out)


def test_windows_1251_is_read_only_beside_the_list(check: Check) -> None:
    report = check(FULL.encode("cp1251"))
    assert report.accepted
    assert "Windows-1251" in str(report.notes[0])
    assert check(FULL.encode("cp1251"), None).faults[0].kind == "encoding"
    assert check(FULL.encode("koi8-r")).faults[0].kind == "encoding"


def test_faults_are_reported_without_a_run(check: Check) -> None:
    report = check(FULL.replace("0.8", "nan").replace("0.3", "x"))
    assert report.run is None
    assert report.fault_count == 2
    assert [str(fault)[:17] for fault in report.faults] == ["line 2, column 14", "line 3, column 11"]


def test_a_packed_run_is_unpacked(check: Check) -> None:
    assert check(gzip.compress(FULL.encode())).accepted


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"{}", b"PK\x03\x04 rubbish", b"\x1f\x8b rubbish", bytes(range(256))]
)
def test_whatever_the_file_is_a_report_says_so(check: Check, content: bytes) -> None:
    report = check(content)
    assert not report.accepted
    assert report.fault_count == len(report.faults) == 1


def test_a_broken_public_list_is_the_platforms_own_fault(check: Check, inputs: Path) -> None:
    (inputs / "pairs.csv").write_text("nothing\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"pairs\.csv"):
        check(FULL)


def test_the_template_is_a_run_that_the_check_accepts(
    spec: TaskSpec, scorer: PairScorer, check: Check, inputs: Path
) -> None:
    text = "".join(f"{line}\n" for line in scorer.template(spec, inputs))
    report = check(text)
    assert report.accepted
    assert report.notes == ()
    assert report.run.to_list() == LIST


def test_the_template_without_inputs_is_short_and_sound(
    spec: TaskSpec, scorer: PairScorer, check: Check
) -> None:
    lines = list(scorer.template(spec, None))
    assert len(lines) == 4
    assert check("\n".join(lines), None).accepted


def test_the_template_quotes_words_that_need_it(
    spec: TaskSpec, scorer: PairScorer, inputs: Path, check: Check
) -> None:
    (inputs / "pairs.csv").write_text('word1,word2,sim\n"а, б","в ""г""",\n', encoding="utf-8")
    report = check("\n".join(scorer.template(spec, inputs)))
    assert report.run.to_list() == [("а, б", 'в "г"')]


# --- gold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("track", "content", "says"),
    [
        ("hj", "word1,word2,sim\nа,б,1\nв,г,\n", r"gold\.csv: line 3: sim is empty"),
        ("hj", "word1,word2,sim\nа,б,x\n", r"gold\.csv: line 2, column 5"),
        ("hj", "word1,word2,sim\nа,б,1\nв,г,1\n", "All values are the same"),
        ("rt", "word1,word2,sim\nа,б,1\nв,г,0\nв,д,0.5\n", r"gold\.csv: line 4: sim is 0\.5"),
        ("rt", "word1,word2,sim\nа,б,1\nв,г,1\n", "All values are the same"),
        ("rt", "w1,w2,s\n", "word1,word2,sim"),
    ],
)
def test_unsound_gold_is_refused_with_file_and_line(
    spec: TaskSpec, scorer: PairScorer, tmp_path: Path, track: str, content: str, says: str
) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=says):
        scorer.read_gold(spec, {track: path})


def test_the_faults_of_a_gold_beyond_the_first_fifty_are_counted(
    spec: TaskSpec, scorer: PairScorer, tmp_path: Path
) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("word1,word2,sim\n" + "а,б,x\n" * 53, encoding="utf-8")
    with pytest.raises(FormatError, match=r"And 3 more faults\.$"):
        scorer.read_gold(spec, {"hj": path})


@pytest.mark.parametrize("text", ["nDCG@3", "spearman(x=1)", "AveP@5"])
def test_a_measure_that_is_none_of_relatedness_is_refused_when_the_gold_is_read(
    spec: TaskSpec, scorer: PairScorer, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("word1,word2,sim\nа,б,1\nв,г,0\n", encoding="utf-8")
    declared = replace(spec, tracks=(replace(spec.track("hj"), measures=("spearman", text)),))
    with pytest.raises(FormatError, match=r"task\.toml: "):
        scorer.read_gold(declared, {"hj": path})


def test_gold_has_its_pairs_in_file_order_and_no_topics(
    spec: TaskSpec, scorer: PairScorer, gold_files: dict[str, Path]
) -> None:
    gold = scorer.read_gold(spec, gold_files)
    assert gold.topics == {"hj": (), "rt": ()}
    assert scorer.pairs(gold) == {"hj": tuple(HJ), "rt": tuple(RT)}


# --- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def score(
    spec: TaskSpec, scorer: PairScorer, check: Check, gold_files: dict[str, Path]
) -> Callable[[str], Scores]:
    def run(text: str) -> Scores:
        return scorer.score(spec, check(text, None).run, scorer.read_gold(spec, gold_files))

    return run


def test_every_track_with_gold_is_scored_by_all_its_measures(score: Callable[[str], Scores]) -> None:
    scores = score(FULL)
    assert set(scores) == {"hj", "rt"}
    assert scores["hj"].values == pytest.approx(
        {"spearman": 1.0, "pearson": scipy.stats.pearsonr([0.8, 0.3, 0.1], list(HJ.values())).statistic}
    )
    assert scores["rt"].values == pytest.approx({"AveP": 1.0, "AveP_2015": 1.0, "AUC": 1.0, "accuracy": 1.0})
    assert scores["rt"].per_topic == {}
    assert [(held.answered, held.total) for held in scores.values()] == [(3, 3), (4, 4)]


def test_a_missing_and_an_empty_pair_score_zero_and_are_counted(score: Callable[[str], Scores]) -> None:
    given_zero = score(FULL.replace("0.9", "0.0").replace("0.8", "0"))
    lacking = score(FULL.replace("дом,крыша,0.9\n", "").replace("0.8", ""))
    for track in ("hj", "rt"):
        assert lacking[track].values == given_zero[track].values
    assert [(held.answered, held.total) for held in lacking.values()] == [(2, 3), (3, 4)]


def test_a_constant_run_is_undefined_where_it_is_correlated_with_the_reason(
    score: Callable[[str], Scores],
) -> None:
    scores = score(run_text(dict.fromkeys(LIST, 0.5)))
    assert math.isnan(scores["hj"].values["spearman"])
    assert "constant" in str(scores["hj"].undefined["spearman"])
    assert set(scores["hj"].undefined) == {"spearman", "pearson"}
    assert scores["rt"].undefined == {}
    assert scores["rt"].values["AveP"] == 0.5


def test_a_run_without_any_pair_of_a_track_is_undefined_with_that_reason(
    score: Callable[[str], Scores],
) -> None:
    scores = score("word1,word2,sim\nчужое,слово,1\n")
    assert "no value for any pair" in str(scores["hj"].undefined["spearman"])
    assert scores["hj"].answered == 0


def test_values_are_the_last_given_and_nan_where_there_is_none(
    spec: TaskSpec, scorer: PairScorer, check: Check, gold_files: dict[str, Path]
) -> None:
    run = check("word1,word2,sim\nкошка,собака,1\nкошка, дом,2\nкошка,собака,3\n", None).run
    found = scorer.values(spec, run, scorer.read_gold(spec, gold_files))
    np.testing.assert_array_equal(found["hj"], [3.0, 2.0, np.nan])
    np.testing.assert_array_equal(found["rt"], [np.nan] * 4)


def test_given_are_the_values_of_pairs_of_the_public_list(
    spec: TaskSpec, scorer: PairScorer, check: Check, inputs: Path
) -> None:
    run = check("word1,word2,sim\nкошка,собака,1\nчужое,слово,9\nкошка,дом,\n", None).run
    assert scorer.given(spec, run, inputs).tolist() == [1.0]


def test_evaluate_is_the_primary_measure_and_nan_scores_as_missing(
    spec: TaskSpec, scorer: PairScorer, gold_files: dict[str, Path]
) -> None:
    gold = scorer.read_gold(spec, gold_files)
    values = np.array([0.2, np.nan, -1.0, 0.5])
    expected = sklearn.metrics.average_precision_score(list(RT.values()), [0.2, 0.0, -1.0, 0.5])
    assert scorer.evaluate(spec, "rt", values, gold) == pytest.approx(expected)
    assert scorer.evaluate(spec, "hj", np.array([3.0, 2.0, np.nan]), gold) == pytest.approx(1.0)


# --- real data ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real_gold(spec: TaskSpec, scorer: PairScorer, shared_data: Path) -> Gold:
    return scorer.read_gold(
        spec, {track.name: shared_data / "russe/gold" / track.gold for track in spec.tracks}
    )


@pytest.fixture(scope="session")
def reference(shared_data: Path) -> Reference:
    """Reference values by run and track, from scipy 1.17 and scikit-learn 1.9."""
    columns = {"hj": "hj_spearman", "rt": "rt_avep", "ae": "ae_avep"}
    with (shared_data / "reference/russe_runs.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["run"]: {track: float(row[column]) for track, column in columns.items()}
            for row in csv.DictReader(file)
        }


def primary(spec: TaskSpec, scores: Scores) -> dict[str, float]:
    return {track.name: scores[track.name].values[track.primary] for track in spec.tracks}


RUNS = [
    *(
        "char3_dice",
        "ensemble_unsup",
        "freq_zipf",
        "navec_cos",
        "navec_paradigm",
        "navec_pca10",
        "navec_pca50",
    ),
    *("navec_subword", "random", "skipgram_debian", "supervised_gbdt", "use_multilingual", "zeros"),
]


@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_gets_the_reference_values(
    spec: TaskSpec, scorer: PairScorer, real_gold: Gold, reference: Reference, shared_data: Path, name: str
) -> None:
    report = scorer.check(spec, shared_data / f"russe/runs/{name}.csv", shared_data / "russe")
    assert report.accepted
    found = primary(spec, scorer.score(spec, report.run, real_gold))
    assert found == pytest.approx(reference[name], abs=1e-9, nan_ok=True)


def as_a_russian_excel_saves_it(text: str) -> str:
    rows = [line.split(",") for line in text.splitlines()]
    return "".join(f"{one};{two};{value.replace('.', ',')}\r\n" for one, two, value in rows)


@pytest.mark.parametrize(
    ("encoding", "pack"), [("cp1251", bytes), ("utf-8-sig", gzip.compress), ("utf-16", bytes)]
)
def test_a_real_run_scores_the_same_as_a_russian_excel_saves_it(
    spec: TaskSpec,
    scorer: PairScorer,
    real_gold: Gold,
    shared_data: Path,
    tmp_path: Path,
    encoding: str,
    pack: Callable[[bytes], bytes],
) -> None:
    plain = shared_data / "russe/runs/navec_cos.csv"
    other = tmp_path / "run"
    other.write_bytes(pack(as_a_russian_excel_saves_it(plain.read_text(encoding="utf-8")).encode(encoding)))
    first, second = (
        scorer.score(spec, scorer.check(spec, path, shared_data / "russe").run, real_gold)
        for path in (plain, other)
    )
    assert {track: held.values for track, held in first.items()} == {
        track: held.values for track, held in second.items()
    }


def test_all_real_runs_are_among_the_tested(shared_data: Path) -> None:
    assert sorted(path.stem for path in (shared_data / "russe/runs").glob("*.csv")) == RUNS


def test_the_real_constant_run_is_undefined_on_hj_with_its_reason(
    spec: TaskSpec, scorer: PairScorer, real_gold: Gold, shared_data: Path
) -> None:
    run = scorer.check(spec, shared_data / "russe/runs/zeros.csv", None).run
    scores = scorer.score(spec, run, real_gold)
    assert math.isnan(scores["hj"].values["spearman"])
    assert "constant" in str(scores["hj"].undefined["spearman"])
    assert {track: scores[track].values["AveP_2015"] for track in ("rt", "ae")} == {"rt": 0.75, "ae": 0.75}


@pytest.fixture
def released(
    spec: TaskSpec, scorer: PairScorer, real_gold: Gold, shared_data: Path, tmp_path: Path
) -> Callable[[str], Scores]:
    """The scores of a released MJ file, whose column wmean is the run and sim is gold."""

    def run(weighting: str) -> Scores:
        text = (shared_data / f"russe/released_mj/mj-{weighting}.csv").read_text(encoding="utf-8-sig")
        header, rest = text.split("\n", 1)
        assert header.rstrip("\r") == "word1,word2,sim,wmean"
        path = tmp_path / "mj.csv"
        path.write_text("word1,word2,gold,sim\n" + rest, encoding="utf-8")
        return scorer.score(spec, scorer.check(spec, path, None).run, real_gold)

    return run


@pytest.mark.parametrize(
    ("weighting", "table3"),
    [("rank", (0.790, 0.990, 0.992)), ("exp", (0.772, 0.996, 0.991)), ("sqrt", (0.778, 0.983, 0.989))],
)
def test_the_released_mj_gets_the_papers_table_3(
    spec: TaskSpec,
    released: Callable[[str], Scores],
    reference: Reference,
    weighting: str,
    table3: tuple[float, ...],
) -> None:
    found = primary(spec, released(weighting))
    assert found == pytest.approx(reference[f"released_mj-{weighting}"], abs=1e-9)
    assert tuple(round(value, 3) for value in found.values()) == table3


def test_the_released_mj_gets_the_published_area_of_2015(released: Callable[[str], Scores]) -> None:
    scores = released("rank")
    assert round(scores["rt"].values["AveP_2015"], 5) == 0.99009
    assert round(scores["ae"].values["AveP_2015"], 5) == 0.99213


def test_white_space_that_tells_two_gold_pairs_apart_is_kept(released: Callable[[str], Scores]) -> None:
    assert round(released("rank")["hj"].values["spearman"], 5) == 0.79023


def test_trimming_everything_would_move_the_published_value(
    spec: TaskSpec, scorer: PairScorer, real_gold: Gold, shared_data: Path, tmp_path: Path
) -> None:
    """What the rule is for: a run whose words were all trimmed merges two pairs of the gold."""
    source = shared_data / "russe/released_mj/mj-rank.csv"
    with source.open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["word1"].strip(), row["word2"].strip(), row["wmean"]) for row in csv.DictReader(file)]
    path = tmp_path / "trimmed.csv"
    path.write_text("word1,word2,sim\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    scores = scorer.score(spec, scorer.check(spec, path, None).run, real_gold)
    assert round(scores["hj"].values["spearman"], 5) == 0.78916
    assert scores["hj"].answered == 333


def test_the_real_gold_has_the_published_numbers_of_pairs(scorer: PairScorer, real_gold: Gold) -> None:
    pairs = scorer.pairs(real_gold)
    assert {track: len(held) for track, held in pairs.items()} == {"hj": 333, "rt": 9548, "ae": 3002}
    assert len({pair for held in pairs.values() for pair in held}) == 12854


def test_the_extra_measures_equal_the_reference_programs_on_a_real_run(
    spec: TaskSpec, scorer: PairScorer, real_gold: Any, shared_data: Path
) -> None:
    run = scorer.check(spec, shared_data / "russe/runs/navec_cos.csv", None).run
    values, scores = scorer.values(spec, run, real_gold), scorer.score(spec, run, real_gold)
    gold = {track: held.value for track, held in real_gold.tracks.items()}
    assert scores["hj"].values["pearson"] == pytest.approx(
        scipy.stats.pearsonr(values["hj"], gold["hj"]).statistic, abs=1e-12
    )
    for track in ("rt", "ae"):
        expected = sklearn.metrics.roc_auc_score(gold[track], values[track])
        assert scores[track].values["AUC"] == pytest.approx(expected, abs=1e-12)


def test_the_official_list_unfilled_is_told_to_hold_no_values(
    spec: TaskSpec, scorer: PairScorer, shared_data: Path
) -> None:
    report = scorer.check(spec, shared_data / "russe/pairs.csv", shared_data / "russe")
    assert [fault.kind for fault in report.faults] == ["too-few-pairs"]


def test_real_annotation_files_with_other_columns_are_told_what_lacks(
    spec: TaskSpec, scorer: PairScorer, shared_data: Path
) -> None:
    for path in sorted((shared_data / "russe/annotations").glob("*.csv")):
        (fault,) = scorer.check(spec, path, shared_data / "russe").faults
        assert "lacks sim" in str(fault)
