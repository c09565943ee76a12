"""Baselines of RUSSE: what the letters of two words alone say about how related they are.

Each is computed from the public list of pairs, knows no corpus and no benchmark, and gives the same
bytes everywhere. ``python tasks/russe/baselines.py INPUTS_DIR OUT_DIR`` writes one run for each.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

Pair = tuple[str, str]

PAIRS_FILE = "pairs.csv"
RANDOM_SEED = "russe random"

DESCRIPTIONS: Mapping[str, str] = {
    "char_trigrams": "Dice coefficient of the character trigrams of the two words, with their edges marked.",
    "common_prefix": "Length of the common beginning of the two words, divided by the longer word's length.",
    "edit_similarity": "1 minus the Levenshtein distance, divided by the longer word's length.",
    "word_length": "1 minus the difference in length, divided by the longer word's length.",
    "random": "A number in [0, 1) drawn from a hash of the pair: what chance gives.",
}
"""What each baseline computes, by its name; all values lie in [0, 1]."""


def baselines(inputs: Path) -> dict[str, Iterator[str]]:
    """The lines of each baseline run (without line ends), by name, for the pairs in the folder `inputs`.

    Raises OSError where the folder has no pair list, KeyError where that has no `word1` or `word2`.
    """
    pairs = read_pair_list(inputs / PAIRS_FILE)
    return {name: run_lines(pairs, SIMILARITIES[name]) for name in DESCRIPTIONS}


def read_pair_list(path: Path) -> list[Pair]:
    """The different pairs of the list at `path`, in the order of first appearance, exactly as written."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(dict.fromkeys((row["word1"], row["word2"]) for row in csv.DictReader(file)))


def run_lines(pairs: Iterable[Pair], similarity: Callable[[str, str], float]) -> Iterator[str]:
    """The lines of a run that gives every pair its similarity, to six decimals."""
    yield "word1,word2,sim"
    for word1, word2 in pairs:
        yield f"{quoted(word1)},{quoted(word2)},{similarity(word1, word2):.6f}"


def quoted(word: str) -> str:
    """The word as a CSV field: in quotation marks where a comma or a quotation mark makes that necessary."""
    if any(mark in word for mark in ',"\r\n'):
        return '"' + word.replace('"', '""') + '"'
    return word


def char_trigrams(word1: str, word2: str) -> float:
    """2·|A ∩ B| / (|A| + |B|) over the multisets of trigrams of ``^word$`` (Dice 1945)."""
    grams1, grams2 = _trigrams(word1), _trigrams(word2)
    return 2 * (grams1 & grams2).total() / (grams1.total() + grams2.total())


def _trigrams(word: str) -> Counter[str]:
    marked = f"^{word}$"
    # A word of no letters still has one gram, so that the coefficient is defined.
    return Counter(marked[start : start + 3] for start in range(max(1, len(marked) - 2)))


def common_prefix(word1: str, word2: str) -> float:
    """The share of the longer word that both begin with; a stand-in for a common stem."""
    same = 0
    for letter1, letter2 in zip(word1, word2, strict=False):
        if letter1 != letter2:
            break
        same += 1
    return same / max(len(word1), len(word2), 1)


def edit_similarity(word1: str, word2: str) -> float:
    """1 minus the fewest insertions, deletions and substitutions per letter of the longer word."""
    previous = list(range(len(word2) + 1))
    for row, letter1 in enumerate(word1, start=1):
        current = [row]
        for column, letter2 in enumerate(word2, start=1):
            substituted = previous[column - 1] + (letter1 != letter2)
            current.append(min(previous[column] + 1, current[column - 1] + 1, substituted))
        previous = current
    return 1 - previous[-1] / max(len(word1), len(word2), 1)


def word_length(word1: str, word2: str) -> float:
    """1 for words of equal length, less the more they differ; many pairs tie."""
    return 1 - abs(len(word1) - len(word2)) / max(len(word1), len(word2), 1)


def random_value(word1: str, word2: str) -> float:
    """A number that depends on the pair and the seed alone, so that the order of the list does not matter."""
    digest = hashlib.sha256(f"{RANDOM_SEED}\t{word1}\t{word2}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


SIMILARITIES: Mapping[str, Callable[[str, str], float]] = {
    "char_trigrams": char_trigrams,
    "common_prefix": common_prefix,
    "edit_similarity": edit_similarity,
    "word_length": word_length,
    "random": random_value,
}


def main(arguments: Sequence[str]) -> int:
    """Writes ``OUT_DIR/<name>.csv`` for each baseline; 2 where the arguments are not two folders."""
    if len(arguments) != 2:
        print("usage: python tasks/russe/baselines.py INPUTS_DIR OUT_DIR", file=sys.stderr)
        return 2
    inputs, out = Path(arguments[0]), Path(arguments[1])
    if not (inputs / PAIRS_FILE).is_file():
        print(f"{inputs} has no {PAIRS_FILE}; name the folder with the task's inputs.", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in baselines(inputs).items():
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
