"""RUSSE: one file of word pairs, and 105 of them, beside pandas, scipy and scikit-learn."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import scipy.stats
from sklearn.metrics import average_precision_score

from benchmarks.timing import each, medians, show
from leaderboard.catalog import load_scorer, load_task
from leaderboard.formats.pairs import read_pairs

PAIRS, RUNS = 14_835, 105
SIZES = {"hj-test.csv": 333, "rt-test.csv": 9_548, "ae2-test.csv": 3_002}
OURS = "ours: bytes to all scores"
THEIRS = "pandas + scipy + scikit-learn: the three primary measures"


def run(folder: Path, turns: int) -> None:
    """Writes gold and runs to `folder`, times them and prints."""
    pairs = write_golds(folder)
    paths = [write_run(folder / f"{number}.csv", number, pairs) for number in range(RUNS)]
    spec = load_task(Path(__file__).parent.parent / "tasks" / "russe")
    scorer = load_scorer(spec)
    gold = scorer.read_gold(spec, {track.name: folder / track.gold for track in spec.tracks})
    tables = {name: pd.read_csv(folder / name) for name in SIZES}

    def score(path: Path) -> None:
        scorer.score(spec, scorer.check(spec, path, None).run, gold)

    def with_pandas(path: Path) -> None:
        sent = pd.read_csv(path).drop_duplicates(["word1", "word2"], keep="last")
        for name, table in tables.items():
            both = table.merge(sent, how="left", on=["word1", "word2"], suffixes=("_gold", ""))
            given = both["sim"].fillna(0.0)
            if name.startswith("hj"):
                scipy.stats.spearmanr(both["sim_gold"], given)
            else:
                average_precision_score(both["sim_gold"], given)

    first = paths[0]
    one = medians(
        {
            "reading the bytes": first.read_bytes,
            "ours: parsing alone": lambda: read_pairs(first.read_bytes()),
            OURS: lambda: score(first),
            THEIRS: lambda: with_pandas(first),
        },
        max(turns, 15),
    )
    show(f"RUSSE, one run of {PAIRS} pairs, 10 measures on 3 tracks", one, OURS)
    many = medians(
        {
            OURS: lambda: each(score, paths),
            THEIRS: lambda: each(with_pandas, paths),
        },
        turns,
    )
    show(f"RUSSE, {RUNS} such runs", many, OURS)


def write_golds(folder: Path) -> list[tuple[str, str]]:
    """Gold of the sizes of RUSSE 2015 over made-up Cyrillic words."""
    dice = random.Random(2)
    words = [
        "".join(dice.choices("абвгдежзиклмнопрстуфхцчшэюя", k=dice.randint(4, 11))) for _ in range(9_000)
    ]
    pairs = list(dict.fromkeys((dice.choice(words[:1_500]), dice.choice(words)) for _ in range(PAIRS + 500)))
    pairs = pairs[:PAIRS]
    start = 0
    for name, size in SIZES.items():
        rows = [
            (*pair, dice.random() if name.startswith("hj") else dice.randint(0, 1)) for pair in pairs[start:]
        ]
        pd.DataFrame(rows[:size], columns=["word1", "word2", "sim"]).to_csv(folder / name, index=False)
        start += size
    return pairs


def write_run(path: Path, seed: int, pairs: list[tuple[str, str]]) -> Path:
    dice = random.Random(seed)
    lines = [f"{first},{second},{dice.random():.6f}\n" for first, second in pairs]
    path.write_text("word1,word2,sim\n" + "".join(lines), encoding="utf-8")
    return path
