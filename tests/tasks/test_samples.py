"""The samples that come with the tasks: whole, made here, and scored from end to end."""

from __future__ import annotations

import hashlib
import math
from datetime import datetime
from pathlib import Path

import pytest

from leaderboard.catalog import load_task
from tests.tasks.samples import RUNS, SAMPLES, TASKS, checked, rows, scored

RUN_NAMES = [f"{task}-{path.stem}" for task, path in RUNS]


@pytest.mark.parametrize("task", SAMPLES)
def test_a_sample_has_every_input_and_all_gold_of_its_task(task: str) -> None:
    spec, sample = load_task(TASKS / task), SAMPLES[task]
    assert all((sample / "gold" / track.gold).is_file() for track in spec.tracks)
    folders = (sample / "inputs", TASKS / task)
    assert all(any((folder / given.file).is_file() for folder in folders) for given in spec.inputs)


@pytest.mark.parametrize("task", SAMPLES)
def test_the_list_of_runs_names_each_run_once(task: str) -> None:
    listed = rows(SAMPLES[task] / "runs.csv")
    assert sorted(row["file"] for row in listed) == sorted(
        f"runs/{path.name}" for of, path in RUNS if of == task
    )
    assert {row["baseline"] for row in listed} == {"yes", "no"}
    times = [datetime.fromisoformat(row["submitted_at"]) for row in listed]
    assert times == sorted(times)
    assert all(time.tzinfo is not None for time in times)


@pytest.mark.parametrize(("task", "path"), RUNS, ids=RUN_NAMES)
def test_every_run_is_accepted_without_a_warning(task: str, path: Path) -> None:
    report = checked(task, path)
    assert report.accepted, [str(fault) for fault in report.faults]
    assert not report.warnings
    assert not report.left_out


@pytest.mark.parametrize(("task", "path"), RUNS, ids=RUN_NAMES)
def test_every_run_is_scored_on_every_track(task: str, path: Path) -> None:
    spec, scores = load_task(TASKS / task), scored(task, path)
    assert scores.keys() == {track.name for track in spec.tracks}
    for track in spec.tracks:
        value = scores[track.name].values[track.primary]
        assert -1 <= value <= 1 or (path.stem, track.name) == ("constant", "hj")


@pytest.mark.parametrize("task", SAMPLES)
def test_the_worst_run_is_the_one_that_knows_nothing(task: str) -> None:
    spec = load_task(TASKS / task)
    values = {
        path.stem: scored(task, path)[spec.tracks[0].name].values[spec.tracks[0].primary]
        for of, path in RUNS
        if of == task
    }
    assert min((value, name) for name, value in values.items() if not math.isnan(value))[1] == "random"


def test_no_file_of_a_sample_is_one_of_the_real_ones(shared_data: Path) -> None:
    def sums(folder: Path) -> dict[str, Path]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in files}

    real = sums(shared_data)
    for sample in SAMPLES.values():
        assert [path for digest, path in sums(sample).items() if digest in real] == []
