"""CAsT: one run of 173 topics × 1000 passages, and 42 of them, beside pytrec_eval and ir-measures."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ir_measures
import pytrec_eval
from ir_measures import AP, RR, Compat, P, R, nDCG

from benchmarks.timing import each, medians, show
from leaderboard.catalog import load_scorer, load_task
from leaderboard.formats.trec_run import read_run

Rows = list[tuple[str, str, int]]
TOPICS, DEPTH, JUDGED, RUNS = 173, 1000, 170, 42
GRADED = ("nDCG@3", "nDCG@5", "AP", "RR", "P@5", "R@100")
COMPAT = ("compat(p=0.8)", "compat(p=0.95)")
OURS = "ours: bytes to all scores"


def run(folder: Path, turns: int, step: int) -> None:
    """Writes gold and runs to `folder`, times them and prints; ir-measures gets every `step`-th of 42."""
    collection = [docno_of(random.Random(number)) for number in range(100_000)]
    golds = write_golds(folder, collection)
    paths = [write_run(folder / f"{number}.run", number, collection, golds) for number in range(RUNS)]

    spec = load_task(Path(__file__).parent.parent / "tasks" / "cast")
    tracks = tuple(replace(t, measures=(GRADED if t.name == "graded" else ()) + COMPAT) for t in spec.tracks)
    spec = replace(spec, tracks=tracks)
    scorer = load_scorer(spec)
    gold = scorer.read_gold(spec, {track.name: folder / track.gold for track in spec.tracks})
    graded = _qrels(golds["graded.qrels"])
    evaluator = pytrec_eval.RelevanceEvaluator(graded, {"ndcg_cut.3"})
    outside = _outside_golds(golds)

    def score(path: Path) -> None:
        scorer.score(spec, scorer.check(spec, path, None).run, gold)

    def pytrec(path: Path) -> None:
        with path.open() as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))

    def through_ir_measures(path: Path) -> None:
        results = list(ir_measures.read_trec_run(str(path)))
        for measures, qrels in outside:
            list(ir_measures.iter_calc(measures, qrels, results))

    first = paths[0]
    one = medians(
        {
            "reading the bytes": first.read_bytes,
            "ours: parsing alone": lambda: read_run(first.read_bytes()),
            OURS: lambda: score(first),
            "pytrec_eval: its reader + nDCG@3": lambda: pytrec(first),
            "ir-measures: the same measures": lambda: through_ir_measures(first),
        },
        turns,
    )
    size = first.stat().st_size / 1e6
    show(f"CAsT, one run of {TOPICS} topics × {DEPTH} passages ({size:.1f} MB), 14 measures", one, OURS)

    chosen = paths[::step]
    many = medians(
        {OURS: lambda: each(score, paths), "pytrec_eval: its reader + nDCG@3": lambda: each(pytrec, paths)},
        turns,
    )
    many |= medians(
        {"ir-measures: the same measures": lambda: each(through_ir_measures, chosen)}, min(turns, 1)
    )
    if len(chosen) < RUNS:
        print(f"\n(ir-measures scored {len(chosen)} of the {RUNS} runs once; its line is scaled up.)")
        many["ir-measures: the same measures"] *= RUNS / len(chosen)
    show(f"CAsT, {RUNS} such runs", many, OURS)


def docno_of(random: random.Random) -> str:
    return (
        f"MARCO_{random.randrange(9_000_000)}"
        if random.random() < 0.5
        else f"CAR_{random.randbytes(20).hex()}"
    )


def write_golds(folder: Path, collection: Sequence[str]) -> dict[str, Rows]:
    """Qrels of the size and shape of CAsT 2019's: 170 judged passages a topic, a quarter relevant."""
    dice = random.Random(1)
    golds: dict[str, Rows] = {
        "graded.qrels": [],
        "combined.qrels": [],
        "best.qrels": [],
    }
    for number in range(TOPICS):
        topic = f"{31 + number // 8}_{1 + number % 8}"
        judged = dice.sample(collection, JUDGED)
        grades = [dice.choices(range(5), weights=[73, 10, 7, 5, 5])[0] for _ in judged]
        levels = dict(zip(dice.sample(judged, 5), (50, 40, 30, 20, 10), strict=True))
        golds["graded.qrels"] += zip([topic] * JUDGED, judged, grades, strict=True)
        golds["combined.qrels"] += [
            (topic, docno, levels.get(docno, grade)) for docno, grade in zip(judged, grades, strict=True)
        ]
        golds["best.qrels"].append((topic, max(levels, key=levels.__getitem__), 1))
    for name, rows in golds.items():
        (folder / name).write_text("".join(f"{topic} Q0 {docno} {value}\n" for topic, docno, value in rows))
    return golds


def write_run(path: Path, seed: int, collection: Sequence[str], golds: Mapping[str, Rows]) -> Path:
    """A run that finds about half of the judged passages."""
    dice = random.Random(seed)
    judged: dict[str, list[str]] = {}
    for topic, docno, _ in golds["graded.qrels"]:
        judged.setdefault(topic, []).append(docno)
    with path.open("w") as file:
        for topic, docnos in judged.items():
            found = dict.fromkeys(dice.sample(docnos, JUDGED // 2) + dice.sample(collection, DEPTH))
            retrieved = list(found)[:DEPTH]
            dice.shuffle(retrieved)
            for rank, docno in enumerate(retrieved):
                file.write(
                    f"{topic} Q0 {docno} {rank + 1} {30 - rank / 50 - dice.random() / 60:.6f} run{seed}\n"
                )
    return path


def _qrels(rows: Rows) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for topic, docno, value in rows:
        qrels.setdefault(topic, {})[docno] = value
    return qrels


def _outside_golds(golds: Mapping[str, Rows]) -> list[tuple[list[Any], Mapping[str, Any]]]:
    """What ir-measures is asked for: the same measures on the same four tracks."""
    compat = [Compat(p=0.8), Compat(p=0.95)]
    combined = _qrels(golds["combined.qrels"])
    top5 = _qrels([row for row in golds["combined.qrels"] if row[2] >= 10])
    return [
        ([nDCG @ 3, nDCG @ 5, AP, RR, P @ 5, R @ 100, *compat], _qrels(golds["graded.qrels"])),
        (compat, combined),
        (compat, top5),
        (compat, _qrels(golds["best.qrels"])),
    ]
