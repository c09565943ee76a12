"""Baselines of CAsT: word statistics over a small collection of passages, with and without the conversation.

They need Python alone, so that a participant can start from this file, and give the same bytes everywhere.
A follow-up question such as "How much is enough?" does not name its subject; the baselines differ in where
they look for it. ``python tasks/cast/baselines.py INPUTS_DIR OUT_DIR`` writes one run for each. The passages
are read from ``passages.tsv`` in the folder of the inputs or the one above it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TOPICS_FILE = "evaluation_topics_v1.0.json"
RESOLVED_FILE = "evaluation_topics_annotated_resolved_v1.0.tsv"
PASSAGES_FILE = "passages.tsv"

DEPTH = 100
RANDOM_SEED = "cast"

DESCRIPTIONS: Mapping[str, str] = {
    "bm25_raw": "BM25 on the words of the question as asked.",
    "bm25_first_turn": "BM25 on the question together with the first one of its conversation.",
    "bm25_history": "BM25 on the question together with all earlier ones, the older ones weighing less.",
    "bm25_resolved": "BM25 on the question as a person rewrote it to stand alone (a manual run).",
    "tfidf_history": "Cosine of tf-idf vectors, on the question together with all earlier ones.",
    "char_4grams_first_turn": "BM25 on sequences of four characters, on the question and the first one.",
    "fused": "Reciprocal rank fusion of bm25_first_turn, bm25_history and char_4grams_first_turn.",
    "random": "One hundred passages in an order drawn from a hash: what chance gives.",
}
"""What each baseline computes, by its name, which is also its tag."""

STOP_WORDS = frozenset(
    """
    a about an and any are as at be been but by can could did do does each else for from had has
    have how i if in into is it its just many me more most much my no not of on or our out s should
    so some such t than that the their them then there these they this those to up us was we were
    what when where which who whose why will with would you your
    """.split()  # noqa: SIM905 (a list of quoted words is harder to read)
)

# The usual values (Robertson and Zaragoza 2009); passages are short, so length is normalised mildly.
K1 = 1.2
B = 0.4

OLDER_TURN_WEIGHT = 0.6

FUSED = ("bm25_first_turn", "bm25_history", "char_4grams_first_turn")
FUSION_CONSTANT = 60

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Turn:
    """One question of a conversation: its topic (``31_1``), its own words, and the questions before it."""

    topic: str
    question: str
    earlier: tuple[str, ...]
    resolved: str | None = None


Analyzer = Callable[[str], list[str]]
Query = Callable[[Turn, Analyzer], Weights]


def baselines(inputs: Path) -> dict[str, Iterator[str]]:
    """The lines of each baseline run (without line ends), by name, for the turns in the folder `inputs`.

    ``bm25_resolved`` is left out where the resolved questions are not at hand. Raises FileNotFoundError
    where the topics or the passages are missing.
    """
    turns = read_turns(inputs)
    passages = read_passages(find_passages(inputs))
    by_words, by_grams = BM25(passages, words), BM25(passages, char_4grams)
    ways: dict[str, tuple[Index, Query]] = {
        "bm25_raw": (by_words, as_asked),
        "bm25_first_turn": (by_words, with_first_turn),
        "bm25_history": (by_words, with_history),
        "bm25_resolved": (by_words, as_resolved),
        "tfidf_history": (Cosine(passages, words), with_history),
        "char_4grams_first_turn": (by_grams, with_first_turn),
    }
    if any(turn.resolved is None for turn in turns):
        del ways["bm25_resolved"]
    runs = {name: rank_all(name, index, query, turns) for name, (index, query) in ways.items()}
    runs["fused"] = fuse("fused", [rank_all(name, *ways[name], turns) for name in FUSED])
    runs["random"] = rank_at_random(list(passages), turns)
    return runs


def read_turns(inputs: Path) -> list[Turn]:
    """Every turn of every conversation in the folder, in order."""
    resolved: dict[str, str] = {}
    if (inputs / RESOLVED_FILE).is_file():
        resolved = _read_tab_separated(inputs / RESOLVED_FILE)
    turns = []
    for conversation in json.loads((inputs / TOPICS_FILE).read_text(encoding="utf-8-sig")):
        earlier: tuple[str, ...] = ()
        for turn in conversation["turn"]:
            topic = f"{conversation['number']}_{turn['number']}"
            question = turn["raw_utterance"].strip()
            turns.append(Turn(topic, question, earlier, resolved.get(topic)))
            earlier = (*earlier, question)
    return turns


def find_passages(inputs: Path) -> Path:
    """The collection beside the inputs; raises FileNotFoundError naming the places looked at."""
    places = [inputs / PASSAGES_FILE, inputs.resolve().parent / PASSAGES_FILE]
    for path in places:
        if path.is_file():
            return path
    raise FileNotFoundError(f"no passages at {' or '.join(map(str, places))}")


def read_passages(path: Path) -> dict[str, str]:
    """The text of each passage by its docno, from lines ``docno<TAB>text``."""
    return _read_tab_separated(path)


def _read_tab_separated(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return dict(line.rstrip("\r").split("\t", 1) for line in lines if "\t" in line)


def words(text: str) -> list[str]:
    """The words that carry meaning, in lower case, with a final plural s taken off."""
    found = re.findall(r"\w+", text.lower().replace("’", "'"))
    return [_singular(word) for word in found if word not in STOP_WORDS]


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def char_4grams(text: str) -> list[str]:
    """The sequences of four characters within each word, its edges marked."""
    grams = []
    for word in words(text):
        marked = f"^{word}$"
        grams += [marked[start : start + 4] for start in range(max(1, len(marked) - 3))]
    return grams


def as_asked(turn: Turn, terms: Analyzer) -> Weights:
    """The question alone."""
    return Counter(terms(turn.question))


def as_resolved(turn: Turn, terms: Analyzer) -> Weights:
    """The question as a person rewrote it."""
    return Counter(terms(turn.resolved or turn.question))


def with_first_turn(turn: Turn, terms: Analyzer) -> Weights:
    """The question and the first of the conversation, which usually names the subject."""
    return _summed([(1.0, turn.question), *((OLDER_TURN_WEIGHT, text) for text in turn.earlier[:1])], terms)


def with_history(turn: Turn, terms: Analyzer) -> Weights:
    """The question and all before it, each weighing 0.6 of the one after it."""
    weighed = [(1.0, turn.question)]
    for age, text in enumerate(reversed(turn.earlier), start=1):
        weighed.append((OLDER_TURN_WEIGHT**age, text))
    return _summed(weighed, terms)


def _summed(weighed: Sequence[tuple[float, str]], terms: Analyzer) -> Weights:
    total: dict[str, float] = defaultdict(float)
    for weight, text in weighed:
        for term in terms(text):
            total[term] += weight
    return total


class Index:
    """The passages by the terms in them; a way of scoring is a subclass."""

    def __init__(self, passages: Mapping[str, str], terms: Analyzer) -> None:
        self.terms = terms
        self.counts = {docno: Counter(terms(text)) for docno, text in passages.items()}
        self.postings: dict[str, list[str]] = defaultdict(list)
        for docno, counts in self.counts.items():
            for term in counts:
                self.postings[term].append(docno)

    def scores(self, query: Weights) -> dict[str, float]:
        """The score of each passage that shares a term with the query."""
        raise NotImplementedError


class BM25(Index):
    """Okapi BM25: Σ weight · idf · tf·(k1+1) / (tf + k1·(1 − b + b·length/mean length))."""

    def __init__(self, passages: Mapping[str, str], terms: Analyzer) -> None:
        super().__init__(passages, terms)
        self.lengths = {docno: counts.total() for docno, counts in self.counts.items()}
        self.mean_length = sum(self.lengths.values()) / max(len(self.lengths), 1)

    def scores(self, query: Weights) -> dict[str, float]:
        total: dict[str, float] = defaultdict(float)
        for term, weight in query.items():
            docnos = self.postings.get(term, [])
            idf = math.log(1 + (len(self.counts) - len(docnos) + 0.5) / (len(docnos) + 0.5))
            for docno in docnos:
                frequency = self.counts[docno][term]
                norm = K1 * (1 - B + B * self.lengths[docno] / self.mean_length)
                total[docno] += weight * idf * frequency * (K1 + 1) / (frequency + norm)
        return total


class Cosine(Index):
    """The cosine of the vectors (1 + ln tf) · ln(N / df) of query and passage."""

    def __init__(self, passages: Mapping[str, str], terms: Analyzer) -> None:
        super().__init__(passages, terms)
        self.idf = {term: math.log(len(self.counts) / len(found)) for term, found in self.postings.items()}
        self.norms = {
            docno: math.sqrt(math.fsum(self._weight(docno, term) ** 2 for term in counts))
            for docno, counts in self.counts.items()
        }

    def _weight(self, docno: str, term: str) -> float:
        return (1 + math.log(self.counts[docno][term])) * self.idf[term]

    def scores(self, query: Weights) -> dict[str, float]:
        known = {term: weight * self.idf[term] for term, weight in query.items() if term in self.idf}
        length = math.sqrt(math.fsum(weight**2 for weight in known.values()))
        total: dict[str, float] = defaultdict(float)
        for term, weight in known.items():
            for docno in self.postings[term]:
                total[docno] += weight * self._weight(docno, term)
        return {docno: dot / (length * self.norms[docno]) for docno, dot in total.items() if dot > 0}


def rank_all(tag: str, index: Index, query: Query, turns: Sequence[Turn]) -> Iterator[str]:
    """The run lines of one way of asking; a turn whose words no passage has gets none."""
    for turn in turns:
        yield from run_lines(turn.topic, index.scores(query(turn, index.terms)), tag)


def rank_at_random(docnos: Sequence[str], turns: Sequence[Turn]) -> Iterator[str]:
    """The run lines of a hundred passages per turn, drawn by a hash of seed, topic and docno."""
    for turn in turns:
        yield from run_lines(turn.topic, {docno: _chance(turn.topic, docno) for docno in docnos}, "random")


def _chance(topic: str, docno: str) -> float:
    digest = hashlib.sha256(f"{RANDOM_SEED}\t{topic}\t{docno}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def fuse(tag: str, runs: Sequence[Iterator[str]]) -> Iterator[str]:
    """The run lines by Σ 1 / (60 + rank) over the given runs (Cormack, Clarke and Büttcher 2009)."""
    total: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in runs:
        for line in run:
            topic, _, docno, rank, _, _ = line.split()
            total[topic][docno] += 1 / (FUSION_CONSTANT + int(rank))
    for topic, scores in total.items():
        yield from run_lines(topic, scores, tag)


def run_lines(topic: str, scores: Mapping[str, float], tag: str) -> Iterator[str]:
    """The best `DEPTH` passages, best first, in millionths of a score. Equal ones stand by docno descending,
    each a millionth below the one before, so that every measure sees the order that the ranks give."""
    millionths = sorted(((round(score * 1e6), docno) for docno, score in scores.items()), reverse=True)
    lowest = math.inf
    for rank, (score, docno) in enumerate(millionths[:DEPTH], start=1):
        lowest = min(score, lowest - 1)
        yield f"{topic} Q0 {docno} {rank} {lowest / 1e6:.6f} {tag}"


def main(arguments: Sequence[str]) -> int:
    """Writes ``OUT_DIR/<name>.run`` for each baseline; 2 where the arguments are not two folders."""
    if len(arguments) != 2:
        print("usage: python tasks/cast/baselines.py INPUTS_DIR OUT_DIR", file=sys.stderr)
        return 2
    inputs, out = Path(arguments[0]), Path(arguments[1])
    try:
        runs = baselines(inputs)
    except FileNotFoundError as error:
        print(f"A file that the baselines need is missing: {error}", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in runs.items():
        with (out / f"{name}.run").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
