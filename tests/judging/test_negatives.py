"""Unrelated pairs: who confirms them, and as many of each word as related ones."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.formats.annotations import read_annotations
from leaderboard.judging.negatives import Annotation, Mark, Words, balance, confirm

PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("stuvwxyz")), max_size=40)


def marks(word2: str, *given_: Mark) -> list[Annotation]:
    return [Annotation("a", word2, mark, f"judge {number}") for number, mark in enumerate(given_)]


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        (("unrelated", "unrelated"), None),
        (("unrelated", "unrelated", "unrelated"), None),
        (("unrelated",), "too few annotators"),
        (("unrelated", "unrelated", "doubtful"), "in doubt"),
        (("unrelated", "unrelated", "related"), "called related"),
        (("doubtful", "related"), "called related"),
    ],
)
def test_two_confirm_and_nobody_objects(given_: tuple[Mark, ...], reason: str | None) -> None:
    found = confirm(marks("b", *given_))
    assert [each.reason for each in found.dropped] == ([] if reason is None else [reason])
    assert found.pairs == ((("a", "b"),) if reason is None else ())


def test_one_annotator_who_says_it_twice_is_one() -> None:
    assert confirm([Annotation("a", "b", "unrelated", "x")] * 2).pairs == ()


def test_each_source_word_has_as_many_of_both_and_the_rest_is_reported() -> None:
    positives = [("a", "p1"), ("a", "p2"), ("b", "p1"), ("c", "p1")]
    negatives = [("a", "n1"), ("b", "n1"), ("b", "n2"), ("d", "n1"), ("a", "p1")]
    found = balance(positives, negatives, seed=1)
    assert Counter(word for word, _ in found.positives) == {"a": 1, "b": 1}
    assert Counter(word for word, _ in found.negatives) == {"a": 1, "b": 1}
    assert found.reasons == {
        "is a positive": 1,
        "more than negatives": 1,
        "more than positives": 1,
        "no negatives": 1,
        "no positives": 1,
    }


@given(PAIRS, PAIRS, st.integers(0, 99))
def test_nothing_is_lost_and_both_sides_are_equal(
    positives: list[Words], negatives: list[Words], seed: int
) -> None:
    found = balance(positives, negatives, seed)
    assert Counter(w for w, _ in found.positives) == Counter(w for w, _ in found.negatives)
    for is_related, given_, kept in [
        (True, positives, found.positives),
        (False, negatives, found.negatives),
    ]:
        out = [each.words for each in found.dropped if each.related == is_related]
        assert Counter([*kept, *out]) == Counter(set(given_))
    assert not set(found.positives) & set(found.negatives)
    assert balance(reversed(positives), negatives[::-1], seed).negatives == found.negatives


def test_as_many_are_kept_as_can_be() -> None:
    found = balance([("a", f"p{n}") for n in range(3)], [("a", f"n{n}") for n in range(5)], seed=4)
    assert (len(found.positives), len(found.negatives)) == (3, 3)
    assert found.reasons == {"more than positives": 2}


@pytest.fixture(scope="module")
def annotated(shared_data: Path) -> list[Annotation]:
    files = sorted((shared_data / "russe" / "annotations").glob("negatives*.csv"))
    return [annotation for file in files for annotation in read_annotations(file)]


@pytest.mark.parametrize(
    ("gold", "source", "known", "confirmed"),
    [
        ("rt-test.csv", "rt.csv", 4496, 4489),
        ("ae2-test.csv", "ae2.csv", 1429, 1407),
    ],
)
def test_the_unrelated_pairs_of_the_benchmarks_are_those_that_two_confirmed(
    shared_data: Path, annotated: list[Annotation], gold: str, source: str, known: int, confirmed: int
) -> None:
    with (shared_data / "russe" / "gold" / gold).open(encoding="utf-8", newline="") as stream:
        negatives = {(row["word1"], row["word2"]) for row in csv.DictReader(stream) if float(row["sim"]) == 0}
    of_list = [annotation for annotation in annotated if annotation.source == source]
    found = set(confirm(of_list).pairs)
    seen = {(annotation.word1, annotation.word2) for annotation in of_list}
    assert (len(negatives & seen), len(negatives & found)) == (known, confirmed)


def test_a_balanced_benchmark_from_real_annotations(shared_data: Path, annotated: list[Annotation]) -> None:
    with (shared_data / "russe" / "gold" / "rt-test.csv").open(encoding="utf-8", newline="") as stream:
        positives = [(row["word1"], row["word2"]) for row in csv.DictReader(stream) if float(row["sim"]) > 0]
    confirmed = confirm(annotation for annotation in annotated if annotation.source == "rt.csv")
    found = balance(positives, confirmed.pairs, seed=1)
    assert len(found.positives) == len(found.negatives) > 4000
    assert len(found.positives) + sum(each.related for each in found.dropped) == 4774
