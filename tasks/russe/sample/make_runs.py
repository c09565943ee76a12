"""Makes the runs of the sample that no baseline computes, as teams of different strengths might send them.

They start from the sample's own gold and blur it with seeded noise, so the boards of the demonstration
show what real ones show: the best on human judgements is not the best on thesaurus relations, runs tie,
and some lack pairs. Nothing of the kind is possible, or allowed, with a real benchmark.
``python tasks/russe/sample/make_runs.py OUT_DIR`` writes them; the same bytes every time.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent
GOLD_FILES = {"hj": "hj-test.csv", "rt": "rt-test.csv", "ae": "ae2-test.csv"}

Pair = tuple[str, str]


@dataclass(frozen=True)
class Blur:
    """How well a run knows each track: the standard deviation of the noise added to the true value."""

    hj: float
    rt: float
    ae: float

    def of(self, track: str) -> float:
        return {"hj": self.hj, "rt": self.rt, "ae": self.ae}[track]


BLURS: Mapping[str, Blur] = {
    "embeddings": Blur(hj=0.34, rt=0.50, ae=0.48),
    "thesaurus": Blur(hj=0.50, rt=0.36, ae=0.75),
    "associations": Blur(hj=0.42, rt=0.70, ae=0.38),
    "coarse_ratings": Blur(hj=0.12, rt=0.55, ae=0.60),
}


def known_values(gold: Path) -> dict[Pair, tuple[str, float]]:
    """The track and value of each pair of the gold; a pair on two tracks keeps the first."""
    known: dict[Pair, tuple[str, float]] = {}
    for track, name in GOLD_FILES.items():
        with (gold / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                known.setdefault((row["word1"], row["word2"]), (track, float(row["sim"])))
    return known


def input_pairs(sample: Path) -> Iterator[Pair]:
    """The pairs of the public list, in its order."""
    with (sample / "inputs" / "pairs.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["word1"], row["word2"]


def blurred(name: str, sample: Path) -> Iterator[tuple[Pair, float]]:
    """A value in [0, 1] for each input pair; a pair without a true value gets one drawn evenly."""
    chance = random.Random(f"russe sample {name}")  # noqa: S311 (made-up noise, no secret)
    known = known_values(sample / "gold")
    for pair in input_pairs(sample):
        track, value = known.get(pair, ("hj", chance.random()))
        # Real similarities crowd the middle of the scale; squeezing keeps the noise off its ends.
        noisy = 0.25 + 0.5 * value + chance.gauss(0, BLURS[name].of(track) / 2)
        yield pair, min(1.0, max(0.0, noisy))


def plain_lines(name: str, sample: Path) -> Iterator[str]:
    """The run as the task asks for it."""
    yield "word1,word2,sim"
    for (word1, word2), value in blurred(name, sample):
        yield f"{word1},{word2},{value:.4f}"


def coarse_lines(name: str, sample: Path) -> Iterator[str]:
    """The run on a scale of five steps with every twelfth pair left out, as a spreadsheet would save it
    in Russian: semicolons and decimal commas."""
    yield "word1;word2;sim"
    for place, ((word1, word2), value) in enumerate(blurred(name, sample)):
        if place % 12 != 7:
            yield f"{word1};{word2};{round(value * 4) / 4:.2f}".replace(".", ",")


def constant_lines(sample: Path) -> Iterator[str]:
    """The same value for every pair, on which rank correlation is undefined."""
    yield "word1,word2,sim"
    for word1, word2 in input_pairs(sample):
        yield f"{word1},{word2},0.5"


def made_runs(sample: Path = SAMPLE) -> dict[str, Iterator[str]]:
    """The lines of each made run (without line ends), by name."""
    return {
        "embeddings": plain_lines("embeddings", sample),
        "thesaurus": plain_lines("thesaurus", sample),
        "associations": plain_lines("associations", sample),
        "coarse_ratings": coarse_lines("coarse_ratings", sample),
        "constant": constant_lines(sample),
    }


def main(arguments: Sequence[str]) -> int:
    """Writes ``OUT_DIR/<name>.csv`` for each made run."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python tasks/russe/sample/make_runs.py OUT_DIR\n")
        return 2
    out = Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in made_runs().items():
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
