"""A measure on a part of the gold is what the reference programs say of that part alone."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import pytrec_eval
import scipy.stats
import sklearn.metrics

from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import TaskSpec
from leaderboard.measures.ranking import rank_rows
from leaderboard.rules.parts import part_units
from leaderboard.scorers import PartingScorer


def loaded(folder: Path) -> tuple[TaskSpec, PartingScorer]:
    spec = load_task(folder)
    return spec, cast(PartingScorer, load_scorer(spec))


def public_units(spec: TaskSpec, scorer: PartingScorer, gold: Any) -> set[str]:
    strata = {unit: kind for track in scorer.parting(spec, gold).values() for unit, kind in track.items()}
    return {unit for unit, part in part_units(strata, 0.3, 7).items() if part == "public"}


def test_topics_of_a_part_score_as_pytrec_eval_and_the_gold_of_these_topics_alone_say(
    tasks_folder: Path, shared_data: Path, tmp_path: Path
) -> None:
    spec, scorer = loaded(tasks_folder / "cast")
    folder = shared_data / "cast2019"
    gold = scorer.read_gold(spec, {track.name: folder / "gold" / track.gold for track in spec.tracks})
    public = public_units(spec, scorer, gold)
    alone = {}
    for track in spec.tracks:
        lines = (folder / "gold" / track.gold).read_text("utf-8").splitlines()
        alone[track.name] = tmp_path / track.gold
        alone[track.name].write_text(
            "".join(f"{line}\n" for line in lines if line.split()[0] in public), "utf-8"
        )
    run = scorer.check(spec, folder / "runs" / "cqr_bert_base_run_raw.trec.gz", None).run
    ours = scorer.score(spec, run, scorer.part(spec, gold, public))
    same = scorer.score(spec, run, scorer.read_gold(spec, alone))
    for track in spec.tracks:
        assert set(ours[track.name].topics) == set(same[track.name].topics) <= public
        assert ours[track.name].values == pytest.approx(dict(same[track.name].values), abs=1e-12)
    theirs = by_pytrec_eval(run, alone["graded"])
    expected = [theirs.get(topic, 0.0) for topic in ours["graded"].topics]
    assert ours["graded"].values["nDCG@3"] == pytest.approx(np.mean(expected), abs=1e-9)


def by_pytrec_eval(run: Any, qrels: Path) -> Mapping[str, float]:
    judged: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, qrels.read_text("utf-8").splitlines()):
        judged.setdefault(topic, {})[docno] = int(grade)
    names = run.docnos.to_pylist()
    ranks = rank_rows(run.topic, run.score, lambda rows: [names[int(run.docno[row])] for row in rows])
    ranked: dict[str, dict[str, float]] = {}
    for topic, docno, rank in zip(run.topic, run.docno, ranks.descending, strict=True):
        ranked.setdefault(run.topics[topic], {})[names[docno]] = -float(rank)
    found = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.3"}).evaluate(ranked)
    return {topic: values["ndcg_cut_3"] for topic, values in found.items()}


def test_source_words_of_a_part_score_as_scikit_learn_and_scipy_say(
    tasks_folder: Path, shared_data: Path
) -> None:
    spec, scorer = loaded(tasks_folder / "russe")
    folder = shared_data / "russe"
    files = {track.name: folder / "gold" / track.gold for track in spec.tracks}
    gold = scorer.read_gold(spec, files)
    public = public_units(spec, scorer, gold)
    sample = tasks_folder / "russe" / "sample" / "runs" / "embeddings.csv"
    report = scorer.check(spec, sample, None)
    ours = scorer.score(spec, report.run, scorer.part(spec, gold, public))
    given = {(one, two): float(value) for one, two, value in rows_of(sample)}
    for track, path in files.items():
        rows = [row for row in rows_of(path) if row[0] in public]
        expected = np.array([float(value) for *_, value in rows])
        values = np.array([given.get((one, two), 0.0) for one, two, _ in rows])
        assert 0 < ours[track].total == len(rows)
        if track == "hj":
            assert ours[track].values["spearman"] == pytest.approx(
                scipy.stats.spearmanr(values, expected).statistic, nan_ok=True
            )
        else:
            reference = sklearn.metrics.average_precision_score(expected, values)
            assert ours[track].values["AveP"] == pytest.approx(reference)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [row[:3] for row in list(csv.reader(stream))[1:]]


def test_a_part_that_cannot_tell_runs_apart_leaves_measures_undefined(
    tasks_folder: Path, tmp_path: Path
) -> None:
    spec, scorer = loaded(tasks_folder / "russe")
    path = tmp_path / "rt.csv"
    path.write_text("word1,word2,sim\nкошка,кот,1\nдом,кит,0\n", "utf-8")
    gold = scorer.read_gold(spec, {"rt": path})
    run = scorer.check(spec, path, None).run
    scores = scorer.score(spec, run, scorer.part(spec, gold, {"кошка"}))["rt"]
    assert np.isnan(scores.values["AveP"])
    assert "cannot tell runs apart" in str(scores.undefined["AveP"])
