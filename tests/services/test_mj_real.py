"""MJ from real runs and the released MJ files, beside a slow evaluation with scipy and scikit-learn."""

from __future__ import annotations

import csv
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score

from leaderboard.services import mj, mj_files, mj_pages
from leaderboard.store.session import Database
from tests.services.pair_task import PairTask
from tests.services.toy import NOON

Pair = tuple[str, str]
GOLD = {"hj": "hj-test.csv", "rt": "rt-test.csv", "ae": "ae2-test.csv"}
WEIGHTS = {"rank": float, "exp": math.exp, "sqrt": math.sqrt}
ENSEMBLES = {"ensemble_unsup", "supervised_gbdt"}


@cache
def read_pairs(path: Path) -> Mapping[Pair, float]:
    """The last value of each pair; nan where it is empty."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return {(row["word1"], row["word2"]): float(row["sim"] or "nan") for row in csv.DictReader(stream)}


def evaluate(track: str, values: Sequence[float], gold: Sequence[float]) -> float:
    if track != "hj":
        return float(average_precision_score(gold, values))
    return math.nan if len(set(values)) == 1 else float(spearmanr(values, gold).statistic)


@cache
def slow_scores(
    russe: Path, track: str, left_out: frozenset[str]
) -> tuple[Mapping[str, float], Mapping[str, Mapping[Pair, float]]]:
    """What each run that has a score scores, and its values between 0 and 1, whatever the weights."""
    gold = read_pairs(russe / "gold" / GOLD[track])
    listed = read_pairs(russe / "pairs.csv")
    scores, scaled = {}, {}
    for path in sorted((russe / "runs").glob("*.csv")):
        if path.stem in left_out:
            continue
        run = read_pairs(path)
        score = evaluate(track, [run[pair] for pair in gold], list(gold.values()))
        if math.isnan(score):
            continue
        given = [run[pair] for pair in listed if pair in run]
        least, greatest = min(given), max(given)
        inside = least >= 0 and greatest <= 1
        scores[path.stem] = score
        if least == greatest:
            scaled[path.stem] = dict.fromkeys(gold, 0.0)
        else:
            scaled[path.stem] = {
                pair: run[pair] if inside else (run[pair] - least) / (greatest - least) for pair in gold
            }
    return scores, scaled


def slow_mj(
    russe: Path, track: str, weighting: str, left_out: set[str]
) -> tuple[Mapping[Pair, float], Mapping[Pair, float], float]:
    """The weighted means and the paper's sums of a track, and what the means score."""
    gold = read_pairs(russe / "gold" / GOLD[track])
    scores, scaled = slow_scores(russe, track, frozenset(left_out))
    n = len(scores)
    places = {name: 1 + sum(other > score for other in scores.values()) for name, score in scores.items()}
    weights = {name: WEIGHTS[weighting](n + 1 - place) for name, place in places.items()}
    sums = {pair: math.fsum(weights[name] * scaled[name][pair] for name in scores) for pair in gold}
    means = {pair: total / math.fsum(weights.values()) for pair, total in sums.items()}
    line = evaluate(track, [means[pair] for pair in gold], list(gold.values()))
    return means, {pair: total / n for pair, total in sums.items()}, line


def installed(template: Path, folder: Path, russe: Path, left_out: set[str]) -> PairTask:
    """The task with the real gold and every real run as a team of its own."""
    shutil.copyfile(template, folder / "leaderboard.db")
    task = PairTask(Database(f"sqlite:///{folder / 'leaderboard.db'}"), folder).install()
    task.install_inputs_of(russe).install_gold_of(russe / "gold")
    for path in sorted((russe / "runs").glob("*.csv")):
        if path.stem not in left_out:
            task.submit(path.stem, path)
    return task


Build = Callable[[str], mj.Built]


@pytest.fixture(scope="module")
def russe(shared_data: Path) -> Path:
    return shared_data / "russe"


@pytest.fixture(scope="module", params=["all 13 teams", "without the ensembles"])
def left_out(request: pytest.FixtureRequest) -> set[str]:
    return set() if request.param == "all 13 teams" else ENSEMBLES


@pytest.fixture(scope="module")
def task(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory, russe: Path, left_out: set[str]
) -> Iterator[PairTask]:
    made = installed(sqlite_template, tmp_path_factory.mktemp("russe"), russe, left_out)
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def build(task: PairTask) -> Build:
    """The build with certain weights, made when a test first asks for it."""

    @cache
    def built(weights: str) -> mj.Built:
        parts = task.transactions, task.files, task.spec, task.scorer
        return mj.build(*parts, mj.Wanted(weights), lambda: NOON, lambda done, total: None)

    return built


of_all = pytest.mark.parametrize("left_out", ["all 13 teams"], indirect=True)
"""Where it does not matter who is left out."""


@pytest.mark.parametrize("weights", WEIGHTS)
def test_mj_of_the_real_runs_is_that_of_a_slow_evaluation(
    task: PairTask, build: Build, russe: Path, left_out: set[str], weights: str
) -> None:
    built = build(weights)
    factor = {"exp": math.exp}.get(weights, lambda n: 1.0)
    with task.files.kept.path(built.file_hash).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 12_883
    for track in GOLD:
        means, sums, line = slow_mj(russe, track, weights, left_out)
        own = {(row["word1"], row["word2"]): row for row in rows if row["track"] == track}
        assert own.keys() == means.keys()
        found = np.array([(float(own[pair]["mj"]), float(own[pair]["paper_sum"])) for pair in means])
        np.testing.assert_allclose(found[:, 0], list(means.values()), rtol=0, atol=1e-12)
        runs = {int(row["n_runs"]) for row in own.values()}
        assert len(runs) == 1
        np.testing.assert_allclose(found[:, 1] * factor(runs.pop()), list(sums.values()), rtol=1e-12)
        assert built.table.combined[weights][track] == pytest.approx(line, abs=1e-12)


def test_the_unique_file_has_every_pair_once(task: PairTask, build: Build) -> None:
    with task.files.kept.path(build("rank").unique_hash).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len({(row["word1"], row["word2"]) for row in rows}) == 12_854
    assert sum("+" in row["track"] for row in rows) == 29


def test_the_best_single_runs_are_those_of_the_reference(
    build: Build, shared_data: Path, left_out: set[str]
) -> None:
    with (shared_data / "reference" / "russe_runs.csv").open(newline="") as stream:
        reference = [row for row in csv.DictReader(stream) if not row["run"].startswith("released")]
    best = build("rank").table.best
    for track, column in {"hj": "hj_spearman", "rt": "rt_avep", "ae": "ae_avep"}.items():
        values = {
            row["run"]: float(row[column])
            for row in reference
            if row["run"] not in left_out and row[column] != "nan"
        }
        name = max(values, key=lambda run: values[run])
        assert best[track].name == name
        assert best[track].value == pytest.approx(values[name], abs=1e-12)


PAPER = {
    "rank": (".79023", ".99009", ".99213"),
    "exp": (".77194", ".99572", ".99085"),
    "sqrt": (".77847", ".98307", ".98896"),
}
"""Table 3 of the paper, with more digits: the released files scored by scipy and scikit-learn."""


@of_all
def test_the_released_files_score_what_the_paper_says(task: PairTask, russe: Path) -> None:
    paths = [russe / "released_mj" / f"mj-{weights}.csv" for weights in PAPER]
    benchmark = mj_files.gold_in(task.spec, task.scorer, russe / "gold")
    lines = mj_files.evaluate_files(task.spec, task.scorer, paths, benchmark)
    for expected, line in zip(PAPER.values(), lines, strict=True):
        assert tuple(f"{line[track]:.5f}".lstrip("0") for track in GOLD) == expected


@of_all
def test_the_words_related_to_a_book_are_those_of_the_papers_table_1(
    task: PairTask, build: Build, russe: Path
) -> None:
    stored = task.files.kept.put_file(russe / "released_mj" / "mj-rank.csv")
    number = build("rank").number
    with task.database.reading() as session:
        built = mj_pages.of_number(session, task.spec, number)
    released = replace(built, unique=mj_pages.KeptFile("mj-rank.csv", stored.file_hash, stored.size))
    found = mj_pages.related(task.files, released, "книга", most=20)
    values = {word: round(value, 6) for word, value in found.most}
    expected = {
        "книжка": 0.718858,
        "книжечка": 0.645619,
        "сборник": 0.642670,
        "монография": 0.574065,
        "том": 0.554145,
    }
    assert {word: values[word] for word in expected} == expected
