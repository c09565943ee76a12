"""The ranking measures against pytrec_eval, trec_eval's own code behind a Python door."""

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leaderboard.measures.names import parse
from leaderboard.measures.pool import Qrels, make_pool
from leaderboard.measures.ranking import Judged, evaluate, rank_rows

Run = Mapping[str, Mapping[str, float]]
Judgments = Mapping[str, Mapping[str, int]]

NAMES_IN_TREC_EVAL = {
    "nDCG": "ndcg",
    "nDCG@3": "ndcg_cut_3",
    "nDCG@5": "ndcg_cut_5",
    "AP": "map",
    "AP@5": "map_cut_5",
    "RR": "recip_rank",
    "P@5": "P_5",
    "R@5": "recall_5",
    "R@100": "recall_100",
}
REQUEST = {"ndcg", "ndcg_cut.3,5", "map", "map_cut.5", "recip_rank", "P.5", "recall.5,100"}


def codes(names: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    distinct = list(dict.fromkeys(names))
    return tuple(distinct), np.array([distinct.index(name) for name in names], dtype=np.int32)


def make_qrels(judgments: Judgments) -> Qrels:
    """`judgments`: topic to docno to value."""
    rows = [(topic, docno, value) for topic, items in judgments.items() for docno, value in items.items()]
    topics, topic = codes([row[0] for row in rows])
    docnos, docno = codes([row[1] for row in rows])
    values = np.array([row[2] for row in rows], dtype=float)
    return Qrels(topics, topic, pa.array(docnos, pa.string()), docno, values)


def judge(run: Run, judgments: Judgments, level: float = 1) -> tuple[tuple[str, ...], Judged]:
    """`run`: topic to docno to score. The judged items with the run's ranks."""
    rows = [(topic, docno, score) for topic, items in run.items() for docno, score in items.items()]
    topics, topic = codes([row[0] for row in rows])
    docnos, docno = codes([row[1] for row in rows])
    scores = np.array([row[2] for row in rows], dtype=float)
    ranks = rank_rows(topic, scores, lambda chosen: [rows[i][1] for i in chosen])
    pool = make_pool({"track": make_qrels(judgments)})
    found = pool.rows_of(topics, topic, pa.array(docnos, pa.string()), docno)
    return pool.topics["track"], pool.judged("track", found, ranks, level)


docnos = st.sampled_from([f"d{i}" for i in range(12)] + ["é", "Ω", "d10a"])
topics = st.sampled_from(["1_1", "1_2", "2_1", "2_2"])
runs = st.dictionaries(topics, st.dictionaries(docnos, st.integers(-3, 3).map(float), min_size=1), min_size=1)
# trec_eval 9 loops for ever on a topic all of whose grades are negative, so none is made here.
grades = st.dictionaries(docnos, st.integers(-1, 4), min_size=1).filter(
    lambda items: max(items.values()) >= 0
)
judgments_of = st.dictionaries(topics, grades, min_size=1)


@settings(max_examples=300)
@given(runs, judgments_of, st.sampled_from([1, 2]))
def test_every_topic_has_trec_evals_value_with_ties_and_negative_grades(
    run: Run, judgments: Judgments, level: int
) -> None:
    # Whole-number scores are the same as 32-bit floats, so that trec_eval sees the ties we see.
    order, judged = judge(run, judgments, level)
    theirs = pytrec_eval.RelevanceEvaluator(judgments, REQUEST, relevance_level=level).evaluate(run)
    for text, name in NAMES_IN_TREC_EVAL.items():
        ours = evaluate(parse(text), judged)
        expected = [theirs[topic][name] if topic in theirs else 0.0 for topic in order]
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12, err_msg=text)


@given(runs, judgments_of, st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_matter(run: Run, judgments: Judgments, random: Random) -> None:
    shuffled: dict[str, dict[str, float]] = {}
    for topic in random.sample(list(run), len(run)):
        shuffled[topic] = {
            docno: run[topic][docno] for docno in random.sample(list(run[topic]), len(run[topic]))
        }
    order, judged = judge(run, judgments)
    order_again, judged_again = judge(shuffled, judgments)
    assert order == order_again
    for text in [*NAMES_IN_TREC_EVAL, "compat(p=0.8)"]:
        np.testing.assert_array_equal(evaluate(parse(text), judged), evaluate(parse(text), judged_again))


def test_scores_that_32_bit_floats_cannot_tell_apart_still_order_the_run() -> None:
    run = {"1": {"a": 0.5, "b": 0.5 + 1e-9}}
    _, judged = judge(run, {"1": {"b": 1}})
    assert evaluate(parse("RR"), judged).tolist() == [1.0]


def test_ties_go_by_docno_descending_for_trec_eval_and_ascending_for_compatibility() -> None:
    _, judged = judge({"1": {"a": 1.0, "b": 1.0}}, {"1": {"a": 1}})
    assert judged.rank.tolist() == [2]
    assert judged.rank_ascending.tolist() == [1]


def test_negative_zero_ties_with_zero() -> None:
    _, judged = judge({"1": {"a": 0.0, "b": -0.0, "c": -1.0}}, {"1": {"a": 1, "b": 1, "c": 1}})
    assert sorted(judged.rank.tolist()) == [1, 2, 3]
    _, first = judge({"1": {"b": -0.0, "a": 0.0}}, {"1": {"b": 1}})
    assert first.rank.tolist() == [1]


def test_tied_rows_are_counted() -> None:
    ranks = rank_rows(
        np.array([0, 0, 0, 1]), np.array([2.0, 1.0, 1.0, 1.0]), lambda rows: [str(r) for r in rows]
    )
    assert ranks.tied == 2


def test_a_run_without_rows_has_no_ranks() -> None:
    ranks = rank_rows(np.array([], dtype=int), np.array([]), lambda rows: [])
    assert ranks.descending.size == 0
    assert ranks.tied == 0


def test_a_topic_that_the_run_does_not_answer_scores_nought() -> None:
    order, judged = judge({"1": {"a": 1.0}}, {"1": {"a": 1}, "2": {"b": 1}})
    assert dict(zip(order, evaluate(parse("nDCG@3"), judged), strict=True)) == {"1": 1.0, "2": 0.0}


def test_a_topic_without_relevant_items_counts_as_nought() -> None:
    _, judged = judge({"1": {"a": 1.0}}, {"1": {"a": 0}})
    for text in NAMES_IN_TREC_EVAL:
        assert evaluate(parse(text), judged).tolist() == [0.0]


@pytest.mark.parametrize("text", ["AP(gain=2)", "nDCG(p=0.8)@3", "P", "compat@3", "compat(p=x)", "AP(rel=0)"])
def test_a_measure_with_a_parameter_it_does_not_have_is_refused(text: str) -> None:
    _, judged = judge({"1": {"a": 1.0}}, {"1": {"a": 1}})
    with pytest.raises(ValueError, match=r"."):
        evaluate(parse(text), judged)


def test_a_topic_with_negative_grades_alone_scores_nought() -> None:
    _, judged = judge({"1": {"a": 1.0}}, {"1": {"a": -1}})
    for text in NAMES_IN_TREC_EVAL:
        assert evaluate(parse(text), judged).tolist() == [0.0]


def test_an_unknown_measure_is_refused_by_name() -> None:
    _, judged = judge({"1": {"a": 1.0}}, {"1": {"a": 1}})
    with pytest.raises(ValueError, match="bpref"):
        evaluate(parse("bpref"), judged)
