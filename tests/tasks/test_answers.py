"""What a task's scorer says a run answers; and honest real runs, none of which gives a reason to ask."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leaderboard.analysis.probing import coins, flips, strangers
from leaderboard.analysis.probing_sketch import alike, bands, candidates, sketch
from leaderboard.catalog import load_scorer, load_task
from leaderboard.scorers import Answers
from tests.analysis.probing_runs import steps


def read(tasks_folder: Path, task: str, path: Path) -> Answers:
    spec = load_task(tasks_folder / task)
    scorer: Any = load_scorer(spec)
    report = scorer.check(spec, path, None)
    assert report.run is not None, report.faults
    found: Answers = scorer.answers(spec, report.run)
    return found


def test_a_pair_that_is_given_twice_has_its_last_value(tasks_folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("word1,word2,sim\nкот,пёс,0.5\nкот,дом,\nлес,гриб,-0.0\nкот,пёс,0.7\n", encoding="utf-8")
    found = read(tasks_folder, "russe", run)
    assert found.values is not None
    assert dict(zip(found.units, found.values.tolist(), strict=True)) == {"кот\0пёс": 0.7, "лес\0гриб": 0.0}
    # Minus nought is nought.
    assert found.exact[list(found.units).index("лес\0гриб")] == 0


def write_run(path: Path, *rankings: tuple[str, ...]) -> Path:
    lines = [
        f"31_{topic} Q0 {docno} {rank} {100 - rank} x"
        for topic, docnos in enumerate(rankings, 1)
        for rank, docno in enumerate(docnos, 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_ranking_is_its_first_passages_in_their_order(tasks_folder: Path, tmp_path: Path) -> None:
    docnos = tuple(f"MARCO_{number}" for number in range(30))
    turned = (docnos[1], docnos[0], *docnos[2:])
    deep = (*docnos[:20], *reversed(docnos[20:]))
    one = read(tasks_folder, "cast", write_run(tmp_path / "one.run", docnos, docnos, docnos))
    other = read(tasks_folder, "cast", write_run(tmp_path / "other.run", docnos, turned, deep))
    assert list(one.units) == ["31_1", "31_2", "31_3"]
    assert (one.exact == other.exact).tolist() == [True, False, True]
    assert one.items is not None
    assert other.items is not None
    assert (one.items == other.items).all()


def test_the_order_is_that_of_the_scores_and_not_of_the_lines(tasks_folder: Path, tmp_path: Path) -> None:
    docnos = ("MARCO_1", "MARCO_2", "CAR_3")
    path = write_run(tmp_path / "one.run", docnos, docnos)
    backwards = tmp_path / "backwards.run"
    backwards.write_text("\n".join(reversed(path.read_text().split("\n")[:-1])) + "\n")
    one, other = read(tasks_folder, "cast", path), read(tasks_folder, "cast", backwards)
    by_topic = dict(zip(other.units, other.exact.tolist(), strict=True))
    assert [by_topic[unit] for unit in one.units] == one.exact.tolist()


@pytest.mark.parametrize(
    ("task", "pattern", "count"),
    [
        ("russe", "russe/runs/*", 13),
        ("cast", "cast2019/runs/*", 17),
        ("cast2020", "cast2020/runs/*", 4),
    ],
)
def test_real_runs_are_neither_copies_nor_attacks(
    shared_data: Path, tasks_folder: Path, task: str, pattern: str, count: int
) -> None:
    """Taken as runs of one team, as of a team each, and in the order of the alphabet."""
    paths = sorted(path for path in shared_data.glob(pattern) if path.suffix != ".txt")
    runs = [read(tasks_folder, task, path) for path in paths]
    sketches = [sketch(run) for run in runs]
    assert len(runs) == count
    assert [alike(*pair).strength for pair in combinations(sketches, 2)] == [None] * (
        count * (count - 1) // 2
    )
    assert flips(steps(runs)) is None
    common = set.intersection(*(set(each.unit.tolist()) for each in sketches))
    kept = [np.isin(each.unit, list(common)) for each in sketches]
    assert coins(np.array([each.exact[rows] for each, rows in zip(sketches, kept, strict=True)])) is None
    if sketches[0].values is not None:
        values = [each.values[rows] for each, rows in zip(sketches, kept, strict=True)]  # type: ignore[index]
        assert strangers(np.array(values)) is None
    hashes = np.array([bands(each) for each in sketches])
    assert len(list(candidates(hashes, list(range(count))))) <= count * (count - 1) // 2
