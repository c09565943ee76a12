"""Reading, checking and scoring the samples that come with the tasks, for their tests."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import Report, Scores

TASKS = Path(__file__).resolve().parents[2] / "tasks"
SAMPLES = {name: TASKS / name / "sample" for name in ("russe", "cast")}
RUNS = [(task, path) for task, sample in SAMPLES.items() for path in sorted((sample / "runs").iterdir())]

Pair = tuple[str, str]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pairs(path: Path) -> list[Pair]:
    return [(row["word1"], row["word2"]) for row in rows(path)]


def as_bytes(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@cache
def checked(task: str, path: Path) -> Report:
    spec = load_task(TASKS / task)
    return load_scorer(spec).check(spec, path, SAMPLES[task] / "inputs")


@cache
def scored(task: str, path: Path) -> Scores:
    spec = load_task(TASKS / task)
    scorer = load_scorer(spec)
    gold = scorer.read_gold(spec, {t.name: SAMPLES[task] / "gold" / t.gold for t in spec.tracks})
    return scorer.score(spec, checked(task, path).run, gold)


def best_of(task: str, track: str) -> str:
    primary = load_task(TASKS / task).track(track).primary
    values = {path.stem: scored(task, path)[track].values[primary] for of, path in RUNS if of == task}
    return max(values, key=lambda name: -math.inf if math.isnan(values[name]) else values[name])
